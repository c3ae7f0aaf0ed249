import type { Reader } from '@clockproof/platform/database/database';
import { formatInstant, type Instant } from '@clockproof/platform/time/instant';
import type { components } from '../generated/service-types.js';
import type { PersonId } from '../store/ids.js';
import { listSenders } from './anchor-rows.js';
import { isOverdue } from './commitment-state.js';
import { findTokens, listProofsOfPerson } from './rows.js';

/** What a person can prove, newest first. */
export async function presentProofs(
  reader: Reader,
  personId: PersonId,
  at: Instant,
): Promise<components['schemas']['ProofList']> {
  const { company_id: companyId, ...tokens } = (await findTokens(reader, personId))!;
  const proofs = await listProofsOfPerson(reader, personId);
  return {
    ...tokens,
    senders: await listSenders(reader, companyId),
    data: proofs.map((proof) => ({
      period: proof.period,
      revision: proof.revision,
      root: proof.root,
      made_at: formatInstant(proof.made_at),
      state: proof.state,
      overdue: isOverdue(proof, at),
      confirmed_by: proof.confirmed_by,
      anchored_at: formatInstant(proof.state === 'anchored' ? proof.reported_at : null),
      current: proof.is_current === 1,
    })),
  };
}
