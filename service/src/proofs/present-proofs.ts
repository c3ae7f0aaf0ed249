import type { Reader } from '@clockproof/platform/database/database';
import { formatInstant, type Instant } from '@clockproof/platform/time/instant';
import type { components } from '../generated/service-types.js';
import type { CompanyId, PersonId } from '../store/ids.js';
import { listSenders } from './anchor-rows.js';
import { isOverdue } from './commitment-state.js';
import type { Part } from './month-proof.js';
import { unpackParts } from './packed-parts.js';
import { changesBetween, type MonthStep, reopeningAfter, stepsOf } from './revision-changes.js';
import { findTokens, listProofsOfPerson, listRevisedMonths, listSteps } from './rows.js';

type ProofOfMonth = components['schemas']['ProofOfMonth'];

/** What a person can prove, newest first. */
export async function presentProofs(
  reader: Reader,
  personId: PersonId,
  at: Instant,
): Promise<components['schemas']['ProofList']> {
  const { company_id: companyId, ...tokens } = (await findTokens(reader, personId))!;
  const proofs = await listProofsOfPerson(reader, personId);
  const partsByRevision = new Map<string, readonly Part[]>();
  for (const { period, revision, parts } of await listRevisedMonths(reader, personId))
    if (parts !== null) partsByRevision.set(`${period} ${revision}`, unpackParts(parts));
  const data: ProofOfMonth[] = [];
  for (const proof of proofs) {
    const { period, revision } = proof;
    const [before, own, next] = [-1, 0, 1].map((by) => partsByRevision.get(`${period} ${revision + by}`));
    data.push({
      period,
      revision,
      root: proof.root,
      made_at: formatInstant(proof.made_at),
      state: proof.state,
      overdue: isOverdue(proof, at),
      confirmed_by: proof.confirmed_by,
      anchored_at: formatInstant(proof.state === 'anchored' ? proof.reported_at : null),
      current: proof.is_current === 1,
      reopened:
        proof.is_current === 1
          ? undefined
          : reopeningAfter(revision, next === undefined ? await readSteps(reader, companyId, period) : stepsOf(next)),
      changes: before === undefined || own === undefined ? undefined : changesBetween(before, own),
    });
  }
  return { ...tokens, senders: await listSenders(reader, companyId), data };
}

/** Of a month that is open: no revision tells of its last re-opening yet. */
async function readSteps(reader: Reader, companyId: CompanyId, month: string): Promise<readonly MonthStep[]> {
  const steps = await listSteps(reader, { companyId, month });
  return steps.map(({ step, at, reason }) => ({ step, at: formatInstant(at), reason }));
}
