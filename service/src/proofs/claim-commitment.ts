/** The right to write a root to the ledger. */
import { day, type Instant, second } from '@clockproof/platform/time/instant';
import { Refusal } from '../store/refusal.js';
import type { CompanyScope } from '../store/scope.js';
import type { Write } from '../store/write.js';
import {
  type CommitmentWithToken,
  findCommitmentRow,
  hasEarlierRevisionWaiting,
  listAnchorsOf,
  updateCommitment,
} from './anchor-rows.js';
import { isFound, maxAnchors, verdictsOf } from './commitment-state.js';

export interface ClaimOfCommitment {
  readonly commitmentId: number;
  readonly seconds: number;
  /** The ledger's time up to which the claimant has looked for the root in vain. */
  readonly ledgerReadUntil: Instant | undefined;
}

/**
 * Gives it to one claimant at a time. The next one gets it only with a ledger read past the end of the last claim: a
 * transaction that its holder has written by then would have been found. If the process stops before the commit, there
 * is no claim.
 * @returns the end of the claim
 * @throws Refusal `not_found`, `commitment_claimed`
 */
export async function claimCommitmentOf(
  write: Write,
  scope: CompanyScope,
  { commitmentId, seconds, ledgerReadUntil }: ClaimOfCommitment,
): Promise<Instant> {
  const commitmentRow = await findCommitmentRow(write, scope, commitmentId);
  if (commitmentRow === undefined) throw new Refusal('not_found');
  await write.lock(commitmentRow.company_id === null ? { installation: true } : { company: commitmentRow.company_id });
  const commitment = (await findCommitmentRow(write, scope, commitmentId))!;
  const { period, claimed_until: previousClaimEnd } = commitment;
  const isOver =
    previousClaimEnd === null ||
    (write.at >= previousClaimEnd && ledgerReadUntil !== undefined && ledgerReadUntil >= previousClaimEnd);
  if (!isOver || !(await isMissing(write, commitment, ledgerReadUntil))) throw new Refusal('commitment_claimed');
  const claimedUntil = write.at + seconds * second;
  await updateCommitment(write, commitmentId, { claimed_until: claimedUntil });
  await write.audit({
    ...(commitmentRow.company_id === null ? {} : { companyId: commitmentRow.company_id }),
    action: 'commitment.claimed',
    subject: `commitment ${commitmentId}`,
    details: { period },
  });
  return claimedUntil;
}

/**
 * True if it has to be written: no transaction was reported, or no index has found the root in those reported, a day
 * after the last one, on the ledger's clock as well. Earlier revisions of the month go first.
 */
async function isMissing(
  write: Write,
  commitment: CommitmentWithToken,
  ledgerReadUntil: Instant | undefined,
): Promise<boolean> {
  if (await hasEarlierRevisionWaiting(write, commitment)) return false;
  const anchors = await listAnchorsOf(write, commitment.id);
  if (anchors.length >= maxAnchors) return false;
  const latestReportAt = anchors.at(-1)?.anchor.reported_at;
  if (latestReportAt === undefined) return true;
  const isPast = (instant: Instant | undefined) => instant !== undefined && instant - latestReportAt >= day;
  return !anchors.some(({ checks }) => isFound(verdictsOf(checks))) && isPast(write.at) && isPast(ledgerReadUntil);
}
