/** The state of a root on the ledger. */
import { day, type Instant } from '@clockproof/platform/time/instant';

/** The verdict of an index on root, company token, period and sender together. */
export type AnchorVerdict = 'match' | 'mismatch' | 'unknown';
export type CommitmentState = 'made' | 'reported' | 'anchored' | 'contradicted';

/** Transactions of a commitment, and indexes asked about each: the contract lists no more. */
export const maxAnchors = 100;
export const maxIndexes = 20;

/** The latest verdict of each index on one transaction. */
export type AnchorVerdicts = ReadonlyMap<string, AnchorVerdict>;

/**
 * A transaction counts as confirmed if every index that was asked confirms it: one that does not know it yet leaves the
 * commitment reported. A contradiction counts until a later transaction is confirmed, also by each index that
 * contradicts; if another index confirms the contradicted transaction, one of the two is wrong, and it counts for good.
 * @param anchors by transaction, oldest first
 */
export function stateOf(anchors: readonly AnchorVerdicts[]): CommitmentState {
  if (anchors.length === 0) return 'made';
  const isContradicted = anchors.some((verdicts, index) => {
    const contradictingUrls = [...verdicts].filter(([, verdict]) => verdict === 'mismatch').map(([url]) => url);
    const isReplaced = (later: AnchorVerdicts) =>
      isConfirmed(later) && contradictingUrls.every((url) => later.has(url));
    return contradictingUrls.length > 0 && (isFound(verdicts) || !anchors.slice(index + 1).some(isReplaced));
  });
  if (isContradicted) return 'contradicted';
  return anchors.some(isConfirmed) ? 'anchored' : 'reported';
}

/** @param checks the latest of each index on one transaction */
export function verdictsOf(
  checks: readonly { readonly index_url: string; readonly verdict: AnchorVerdict }[],
): AnchorVerdicts {
  return new Map(checks.map(({ index_url: index, verdict }) => [index, verdict]));
}

/** Whether an index has found the root in the transaction. */
export function isFound(verdicts: AnchorVerdicts): boolean {
  return [...verdicts.values()].includes('match');
}

function isConfirmed(verdicts: AnchorVerdicts): boolean {
  return verdicts.size > 0 && [...verdicts.values()].every((verdict) => verdict === 'match');
}

/** Whether it should have been on the ledger by now. */
export function isOverdue(
  { state, made_at: madeAt }: { readonly state: CommitmentState; readonly made_at: Instant },
  at: Instant,
): boolean {
  return state !== 'anchored' && at - madeAt > day;
}
