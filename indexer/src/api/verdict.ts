/**
 * What can be said about a transaction. Pure. A program that reads only `verified` is never misled: true means an equal
 * root was found on the ledger, false that
 * it was not, null that nothing was compared.
 */
import type { ProofRecord } from '../store/proof-record.js';
import type { History } from '../store/streams.js';

/** How much of the ledger this index knows. Belongs to answers that may change, never to those that are kept. */
export interface Knowledge {
  /** Every event up to here is stored; absent before the first poll. */
  readonly watermark?: number;
  /** The ledger's newest checkpoint at the last poll. */
  readonly head?: number;
  readonly history: History;
  /**
   * True if the first read of the whole history is done, the last poll is not long ago and the node was not standing
   * still.
   */
  readonly synced: boolean;
  /** False as long as no node has told about the package. */
  readonly packageKnown: boolean;
  /** Senders that are indexed; empty means all. */
  readonly senders: readonly string[];
}

export type UnknownReason =
  | 'not_found'
  | 'not_synced'
  | 'history_partial'
  | 'filtered'
  | 'incomplete'
  | 'package_unknown';

export type Verdict =
  | {
      readonly verdict: 'match';
      readonly verified: true;
      readonly expected_root: string;
      readonly proofs: readonly ProofRecord[];
    }
  | {
      readonly verdict: 'mismatch';
      readonly verified: false;
      readonly expected_root: string;
      readonly proofs: readonly ProofRecord[];
    }
  | { readonly verdict: 'indexed'; readonly verified: null; readonly proofs: readonly ProofRecord[] }
  | {
      readonly verdict: 'unknown';
      readonly verified: false;
      readonly reason: UnknownReason;
      readonly expected_root?: string;
      readonly proofs: readonly ProofRecord[];
    };

/**
 * @param root 64 lower-case hex digits, or undefined if nothing is to be compared
 * @param incomplete the node has not told every event of the transaction: a root that is not among the proofs may stand
 * in one that is missing
 */
export function verdictOn(
  proofs: readonly ProofRecord[],
  root: string | undefined,
  knowledge: Knowledge,
  incomplete: boolean,
): Verdict {
  const asked = root === undefined ? {} : { expected_root: root };
  if (root === undefined && proofs.length > 0) return { verdict: 'indexed', verified: null, proofs };
  if (root !== undefined && proofs.some((proof) => proof.merkle_root === root))
    return { verdict: 'match', verified: true, expected_root: root, proofs };
  if (root === undefined || proofs.length === 0 || incomplete)
    return { verdict: 'unknown', verified: false, reason: reasonForUnknown(knowledge, incomplete), ...asked, proofs };
  return { verdict: 'mismatch', verified: false, expected_root: root, proofs };
}

/** The strongest excuse first: only an index that has read everything from everybody may say that there is nothing. */
export function reasonForUnknown(
  { synced, packageKnown, senders, history }: Knowledge,
  incomplete: boolean,
): UnknownReason {
  if (incomplete) return 'incomplete';
  if (!synced) return 'not_synced';
  if (!packageKnown) return 'package_unknown';
  if (senders.length > 0) return 'filtered';
  return history === 'complete' ? 'not_found' : 'history_partial';
}
