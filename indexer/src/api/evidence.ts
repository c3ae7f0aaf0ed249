/** Everything the index can find out about a transaction now: what is stored, and what the ledger answers for it. */
import type { Instant } from '@clockproof/platform/time/instant';
import { presentProof } from '../store/proof-record.js';
import { type ProofsOfTransaction, proofsOfTransaction } from '../store/proofs.js';
import type { IndexKnowledge } from './knowledge.js';
import { type ApiContext, refuseUnlessDigest } from './request.js';
import { type Evidence, reasonForUnknown } from './verdict.js';

export interface Found extends Evidence {
  /** Nothing about it can change any more: the answer may be kept for ever. */
  readonly final: boolean;
}

/**
 * Reads what is stored. Before an answer that only the whole transaction justifies, the ledger is asked for it by its
 * digest, once: from then on the index knows it whole.
 * @param suffices true if the stored proofs answer the question by themselves
 * @throws Refusal `invalid_request` if nothing is stored and the text is no digest
 */
export async function findEvidence(
  { db, confirm }: Pick<ApiContext, 'db' | 'confirm'>,
  tx: string,
  at: Instant,
  known: IndexKnowledge,
  suffices: (stored: ProofsOfTransaction) => boolean,
): Promise<Found> {
  const stored = await proofsOfTransaction(db, tx);
  if (stored.rows.length === 0) refuseUnlessDigest(tx);
  if (stored.confirmed || stored.disputed || suffices(stored))
    return evidenceOf(stored, known, stored.confirmed ? 'confirmed' : 'unanswered');
  // A miss that has another excuse is not worth a question: whatever the node says, the excuse stays.
  if (stored.rows.length === 0 && reasonForUnknown(known, stored.incomplete) !== 'not_found')
    return evidenceOf(stored, known, 'unanswered');
  const confirmation = await confirm(tx, at);
  if (confirmation === 'unanswered') return evidenceOf(stored, known, 'unanswered');
  // Also an answer without a proof may have changed what is known about stored ones.
  const now = await proofsOfTransaction(db, tx);
  if (now.confirmed) return evidenceOf(now, known, 'confirmed');
  return evidenceOf(now, known, confirmation === 'absent' ? 'absent' : 'unanswered');
}

function evidenceOf(stored: ProofsOfTransaction, known: IndexKnowledge, ledger: Evidence['ledger']): Found {
  const { rows, incomplete, disputed, disputedBy, final } = stored;
  const passed = rows.length > 0 && rows.every((row) => row.checkpoint <= (known.watermark ?? -1));
  return {
    proofs: rows.map(presentProof),
    disputed,
    disputedBy: disputedBy.map(presentProof),
    incomplete,
    passed,
    ledger,
    final: final && passed,
  };
}
