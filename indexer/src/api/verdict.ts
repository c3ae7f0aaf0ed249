/**
 * The verdict on a transaction. Pure. A program that reads only `verified` is never misled: true means that an equal
 * root is on the ledger, false that it was not found, null that nothing was compared.
 */
import type { ProofRecord } from '../store/proof-record.js';
import type { History } from '../store/streams.js';

/** The extent of this index. It belongs to answers that may change, never to those that are kept. */
export interface Knowledge {
  /** Every event up to here is stored; absent before the first poll. */
  readonly watermark?: number;
  /** The ledger's newest checkpoint at the last poll. */
  readonly head?: number;
  readonly history: History;
  /** True if the whole history has been read once, the last poll is recent and the node was not standing still. */
  readonly synced: boolean;
  /** False as long as no node knows the package. */
  readonly packageKnown: boolean;
  /** Senders that are indexed; empty means all. */
  readonly senders: readonly string[];
}

export type UnknownReason =
  | 'not_found'
  | 'not_yet'
  | 'not_synced'
  | 'history_partial'
  | 'filtered'
  | 'incomplete'
  | 'disputed'
  | 'package_unknown';

/** The caller's expectation of one proof of the transaction. Anyone can anchor any root: it identifies no one. */
export interface Expectation {
  /** 64 lower-case hex digits. */
  readonly merkle_root?: string;
  readonly company_token?: string;
  readonly period?: string;
  /** As {@link ProofRecord} spells it. */
  readonly sender?: string;
}

/** An answer repeats what it answers, so that a copy of it says so too. */
interface ExpectedMembers {
  readonly expected_root?: string;
  readonly expected_company_token?: string;
  readonly expected_period?: string;
  readonly expected_sender?: string;
}

export type Verdict = ExpectedMembers & { readonly proofs: readonly ProofRecord[] } & (
    | { readonly verdict: 'match'; readonly verified: true }
    | { readonly verdict: 'mismatch'; readonly verified: false; readonly differs: (keyof Expectation)[] }
    | { readonly verdict: 'indexed'; readonly verified: null }
    | {
        readonly verdict: 'unknown';
        readonly verified: false;
        readonly reason: UnknownReason;
        readonly disputed_by?: readonly ProofRecord[];
      }
  );

/** Everything known about one transaction. */
export interface Evidence {
  readonly proofs: readonly ProofRecord[];
  /** The ledger has contradicted a proof of the transaction. */
  readonly disputed: boolean;
  /** Other versions of these proofs that the ledger gave at another time. */
  readonly disputedBy: readonly ProofRecord[];
  /** The node has not delivered every event: a root that is not among the proofs may stand in one that is missing. */
  readonly incomplete: boolean;
  /** The watermark has passed the transaction, so every event of it that the node lists is stored. */
  readonly passed: boolean;
  /**
   * The ledger's answer for the digest. `confirmed`: the proofs are complete. `absent`: the node has no such
   * transaction (any more), or no proof in it. `unanswered`: it could not be asked, or has no final answer yet.
   */
  readonly ledger: 'confirmed' | 'absent' | 'unanswered';
}

const expectable = ['merkle_root', 'company_token', 'period', 'sender'] as const;

/** True if a proof meets the whole expectation. */
export function meets(proof: ProofRecord, expectation: Expectation): boolean {
  return differences(proof, expectation).length === 0;
}

function differences(proof: ProofRecord, expectation: Expectation): (keyof Expectation)[] {
  return expectable.filter((name) => expectation[name] !== undefined && expectation[name] !== proof[name]);
}

/** The first mismatch of the closest proof. */
function closestDifferences(proofs: readonly ProofRecord[], expectation: Expectation): (keyof Expectation)[] {
  const [closest] = proofs.map((proof) => differences(proof, expectation)).sort((a, b) => a.length - b.length);
  return closest!;
}

export function verdictOn(evidence: Evidence, expectation: Expectation, knowledge: Knowledge): Verdict {
  const { proofs, disputed, disputedBy } = evidence;
  const expectedMembers = expectedMembersOf(expectation);
  if (disputed) {
    const versions = disputedBy.length === 0 ? {} : { disputed_by: disputedBy };
    return { verdict: 'unknown', verified: false, reason: 'disputed', ...expectedMembers, proofs, ...versions };
  }
  if (proofs.some((proof) => meets(proof, expectation)))
    return expectation.merkle_root === undefined
      ? { verdict: 'indexed', verified: null, ...expectedMembers, proofs }
      : { verdict: 'match', verified: true, ...expectedMembers, proofs };
  const doubt = proofs.length === 0 ? reasonForMiss(evidence, knowledge) : reasonAgainstMismatch(evidence);
  if (doubt !== undefined) return { verdict: 'unknown', verified: false, reason: doubt, ...expectedMembers, proofs };
  const differingMembers = closestDifferences(proofs, expectation);
  return { verdict: 'mismatch', verified: false, ...expectedMembers, differs: differingMembers, proofs };
}

function expectedMembersOf({ merkle_root, company_token, period, sender }: Expectation): ExpectedMembers {
  return {
    expected_root: merkle_root,
    expected_company_token: company_token,
    expected_period: period,
    expected_sender: sender,
  };
}

/** A reason why the transaction may still hold the expected values; undefined if there is none. */
function reasonAgainstMismatch({ incomplete, passed: isPassed, ledger }: Evidence): UnknownReason | undefined {
  if (incomplete) return 'incomplete';
  if (ledger === 'confirmed') return undefined;
  if (!isPassed) return 'not_synced';
  // A node that has pruned the transaction will never confirm it; its earlier list is all there is to know.
  return ledger === 'absent' ? undefined : 'not_yet';
}

/** The reason why nothing is stored: `not_found` only if the index has read everything and the node has nothing. */
export function reasonForMiss({ incomplete, ledger }: Evidence, knowledge: Knowledge): UnknownReason {
  const reason = reasonForUnknown(knowledge, incomplete);
  return reason === 'not_found' && ledger !== 'absent' ? 'not_yet' : reason;
}

/** The strongest excuse first: only an index that has read everything from everyone may say that there is nothing. */
export function reasonForUnknown(
  { synced, packageKnown, senders, history }: Knowledge,
  incomplete: boolean,
): Exclude<UnknownReason, 'not_yet' | 'disputed'> {
  if (incomplete) return 'incomplete';
  if (!synced) return 'not_synced';
  if (!packageKnown) return 'package_unknown';
  if (senders.length > 0) return 'filtered';
  return history === 'complete' ? 'not_found' : 'history_partial';
}
