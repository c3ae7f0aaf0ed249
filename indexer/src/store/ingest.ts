/**
 * Proofs, rejected events, counts and digest: stored together, in the caller's transaction, wherever they were read from
 * the ledger.
 */
import type { Transaction } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import type { DecodedEvents, DecodedTransaction } from '../ledger/event-decoder.js';
import {
  addToTotals,
  deleteUnresolved,
  markConfirmed,
  raiseMissing,
  removeTransaction,
  replaceTransaction,
  type Stored,
  storeProofs,
  storeRejected,
} from './proofs.js';
import { invalidateDigestFrom } from './streams.js';

/**
 * Stores what is new. What is stored already stays as it is; a contradiction raises an alarm.
 * @param whole the transaction that was asked for by its digest, and which of its events the node delivered: earlier
 * gaps in them are closed
 */
export async function ingest(
  tx: Transaction,
  { proofs, rejected }: Pick<DecodedEvents, 'proofs' | 'rejected'>,
  at: Instant,
  whole?: { readonly digest: string; readonly sequences: readonly number[]; readonly gaps: number },
): Promise<Stored> {
  const stored = await storeProofs(tx, proofs, at);
  const resolved = whole === undefined ? 0 : await deleteUnresolved(tx, whole.digest, whole.sequences);
  const more = (await storeRejected(tx, rejected)) - resolved;
  const changed = [...stored.inserted, ...stored.dated];
  if (changed.length > 0 || more !== 0 || stored.alarms > 0) {
    const lastProofAt = changed.length === 0 ? null : Math.max(...changed.map((proof) => proof.ledgerTime ?? -1));
    await addToTotals(tx, { proofs: stored.inserted.length, rejected: more, alarms: stored.alarms, lastProofAt });
  }
  if (changed.length > 0) await invalidateDigestFrom(tx, Math.min(...changed.map((proof) => proof.checkpoint)));
  if (whole?.gaps !== 0) return stored;
  await markConfirmed(tx, whole.digest, whole.sequences);
  const missing = await raiseMissing(tx, whole.digest, whole.sequences, at);
  if (missing > 0) await addToTotals(tx, { proofs: 0, rejected: 0, alarms: missing, lastProofAt: null });
  return { ...stored, alarms: stored.alarms + missing };
}

/** Stores the answer to a question by digest. */
export function ingestTransaction(
  tx: Transaction,
  digest: string,
  answer: DecodedTransaction,
  at: Instant,
): Promise<Stored> {
  return ingest(tx, answer, at, { digest, sequences: answer.sequences, gaps: answer.gaps });
}

/**
 * The ledger's answer for a transaction takes the place of everything stored about it; its alarms are closed.
 * @returns how many proofs were replaced and removed
 */
export async function correctTransaction(
  tx: Transaction,
  digest: string,
  answer: DecodedTransaction,
  at: Instant,
): Promise<{ readonly changed: number; readonly removed: number }> {
  const { lowestCheckpoint, ...counts } = await replaceTransaction(tx, digest, answer.proofs);
  if (lowestCheckpoint !== undefined) await invalidateDigestFrom(tx, lowestCheckpoint);
  await ingestTransaction(tx, digest, answer, at);
  return counts;
}

/** Takes back everything that is stored about a transaction which is not on the ledger. @returns how many proofs */
export async function withdrawTransaction(tx: Transaction, digest: string): Promise<number> {
  const { removed, lowestCheckpoint } = await removeTransaction(tx, digest);
  if (lowestCheckpoint !== undefined) await invalidateDigestFrom(tx, lowestCheckpoint);
  return removed;
}
