/**
 * Proofs, rejected events, counts and digest: stored together, in the caller's transaction, wherever they were read
 * from the ledger.
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
 * Stores new proofs. Stored ones stay as they are; a contradiction raises an alarm.
 * @param transaction the transaction that was asked for by its digest, and its delivered events: earlier gaps in them
 * are closed
 */
export async function ingest(
  tx: Transaction,
  { proofs, rejected }: Pick<DecodedEvents, 'proofs' | 'rejected'>,
  at: Instant,
  transaction?: { readonly digest: string; readonly sequences: readonly number[]; readonly gaps: number },
): Promise<Stored> {
  const storeResult = await storeProofs(tx, proofs, at);
  const resolvedCount =
    transaction === undefined ? 0 : await deleteUnresolved(tx, transaction.digest, transaction.sequences);
  const addedCount = (await storeRejected(tx, rejected)) - resolvedCount;
  const changedProofs = [...storeResult.inserted, ...storeResult.dated];
  if (changedProofs.length > 0 || addedCount !== 0 || storeResult.alarms > 0) {
    const lastProofAt =
      changedProofs.length === 0 ? null : Math.max(...changedProofs.map((proof) => proof.ledgerTime ?? -1));
    await addToTotals(tx, {
      proofs: storeResult.inserted.length,
      rejected: addedCount,
      alarms: storeResult.alarms,
      lastProofAt,
    });
  }
  if (changedProofs.length > 0)
    await invalidateDigestFrom(tx, Math.min(...changedProofs.map((proof) => proof.checkpoint)));
  if (transaction?.gaps !== 0) return storeResult;
  await markConfirmed(tx, transaction.digest, transaction.sequences);
  const missingCount = await raiseMissing(tx, transaction.digest, transaction.sequences, at);
  if (missingCount > 0) await addToTotals(tx, { proofs: 0, rejected: 0, alarms: missingCount, lastProofAt: null });
  return { ...storeResult, alarms: storeResult.alarms + missingCount };
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
 * @returns the numbers of replaced and removed proofs
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

/** Takes back everything that is stored about a transaction that is not on the ledger. @returns the number of proofs */
export async function withdrawTransaction(tx: Transaction, digest: string): Promise<number> {
  const { removed, lowestCheckpoint } = await removeTransaction(tx, digest);
  if (lowestCheckpoint !== undefined) await invalidateDigestFrom(tx, lowestCheckpoint);
  return removed;
}
