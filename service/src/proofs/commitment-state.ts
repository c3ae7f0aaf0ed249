/** What is known of a root on the ledger. */
import { day, type Instant } from '@clockproof/platform/time/instant';

/** The verdict of an index on root, company token, period and sender together. */
export type AnchorVerdict = 'match' | 'mismatch' | 'unknown';
export type CommitmentState = 'made' | 'reported' | 'anchored' | 'contradicted';

/**
 * A contradiction counts wherever it was found. A transaction counts as confirmed if every index that was asked
 * confirms it: one that does not know it yet leaves the commitment reported.
 * @param anchors the latest verdicts of the indexes, by transaction
 */
export function stateOf(anchors: readonly (readonly AnchorVerdict[])[]): CommitmentState {
  if (anchors.length === 0) return 'made';
  if (anchors.some((verdicts) => verdicts.includes('mismatch'))) return 'contradicted';
  const isConfirmed = (verdicts: readonly AnchorVerdict[]) =>
    verdicts.length > 0 && verdicts.every((verdict) => verdict === 'match');
  return anchors.some(isConfirmed) ? 'anchored' : 'reported';
}

/** Whether it should have been on the ledger by now. */
export function isOverdue(
  { state, made_at: madeAt }: { readonly state: CommitmentState; readonly made_at: Instant },
  at: Instant,
): boolean {
  return state !== 'anchored' && at - madeAt > day;
}
