import type { Reader } from '@clockproof/platform/database/database';
import { formatInstant, type Instant } from '@clockproof/platform/time/instant';
import { addDays, localDateAt, monthOf, nextMonth } from '@clockproof/platform/time/local-date';
import type { components } from '../generated/service-types.js';
import { firstMonthKept, lastMonthWithRecords } from '../months/rows.js';
import type { CompanyId, PersonId } from '../store/ids.js';
import { lastClosedMonth } from '../working-time/closed-month-rows.js';
import { listSenders } from './anchor-rows.js';
import { isOverdue } from './commitment-state.js';
import type { Part } from './month-proof.js';
import { unpackParts } from './packed-parts.js';
import { changesBetween, type MonthStep, reopeningAfter, stepsOf } from './revision-changes.js';
import { findTokens, listProofsOfPerson, listRevisedMonths, listSteps, type PersonOfProofs } from './rows.js';

type ProofOfMonth = components['schemas']['ProofOfMonth'];

/** The proofs of a person, newest first. */
export async function presentProofs(
  reader: Reader,
  personId: PersonId,
  at: Instant,
): Promise<components['schemas']['ProofList']> {
  const person = (await findTokens(reader, personId))!;
  const { company_id: companyId, company_token, person_token } = person;
  const proofs = await listProofsOfPerson(reader, personId);
  const partsByRevision = new Map<string, readonly Part[]>();
  for (const { period, revision, parts } of await listRevisedMonths(reader, personId))
    if (parts !== null) partsByRevision.set(`${period} ${revision}`, unpackParts(parts));
  const data: ProofOfMonth[] = [];
  for (const proof of proofs) {
    const { period, revision } = proof;
    const [previousParts, currentParts, nextParts] = [-1, 0, 1].map((by) =>
      partsByRevision.get(`${period} ${revision + by}`),
    );
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
          : reopeningAfter(
              revision,
              nextParts === undefined ? await readSteps(reader, companyId, period) : stepsOf(nextParts),
            ),
      changes:
        previousParts === undefined || currentParts === undefined
          ? undefined
          : changesBetween(previousParts, currentParts),
    });
  }
  return {
    company_token,
    person_token,
    senders: await listSenders(reader, companyId),
    not_closed: await readNotClosed(reader, personId, person, at),
    data,
  };
}

/**
 * Months close in order: those after the last closed one, as far as they are over and the person was there, or has
 * entries or bookings in them after the last day.
 */
async function readNotClosed(
  reader: Reader,
  personId: PersonId,
  { company_id: companyId, tracking_start: start, employment_end: end, time_zone: timeZone }: PersonOfProofs,
  at: Instant,
): Promise<components['schemas']['ProofList']['not_closed']> {
  const closedMonth = await lastClosedMonth(reader, companyId);
  const first = closedMonth === undefined ? await firstMonthKept(reader, companyId) : nextMonth(closedMonth);
  if (first === undefined) return undefined;
  const lastOver = monthOf(addDays(`${monthOf(localDateAt(at, timeZone))}-01`, -1));
  const from = [first, monthOf(start)].sort().at(-1)!;
  const lastRecord = end === null ? undefined : await lastMonthWithRecords(reader, personId);
  const last = end === null ? lastOver : [monthOf(end), lastRecord ?? ''].sort().at(-1)!;
  const to = [lastOver, last].sort()[0]!;
  return from <= to ? { from, to } : undefined;
}

/** The steps of an open month: no revision has its last re-opening yet. */
async function readSteps(reader: Reader, companyId: CompanyId, month: string): Promise<readonly MonthStep[]> {
  const steps = await listSteps(reader, { companyId, month });
  return steps.map(({ step, at, reason }) => ({ step, at: formatInstant(at), reason }));
}
