/**
 * Proofs, what could not be read, counts and digest: stored together, in the caller's transaction, whoever read them
 * from the ledger.
 */
import type { Transaction } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import type { DecodedEvents } from '../ledger/event-decoder.js';
import { addToTotals, deleteUnresolved, type Stored, storeProofs, storeRejected } from './proofs.js';
import { invalidateDigestFrom } from './streams.js';

/**
 * @param told a transaction that was asked for by its digest, and which of its events the node has told: what it could
 * not tell of them before is forgotten
 */
export async function ingest(
  tx: Transaction,
  { proofs, rejected }: Pick<DecodedEvents, 'proofs' | 'rejected'>,
  at: Instant,
  told?: { readonly digest: string; readonly sequences: readonly number[] },
): Promise<Stored> {
  const stored = await storeProofs(tx, proofs, at);
  const settled = told === undefined ? 0 : await deleteUnresolved(tx, told.digest, told.sequences);
  const more = (await storeRejected(tx, rejected)) - settled;
  const changed = [...stored.inserted, ...stored.dated];
  if (changed.length > 0 || more !== 0 || stored.alarms > 0) {
    const lastProofAt = changed.length === 0 ? null : Math.max(...changed.map((proof) => proof.ledgerTime ?? -1));
    await addToTotals(tx, { proofs: stored.inserted.length, rejected: more, alarms: stored.alarms, lastProofAt });
  }
  if (changed.length > 0) await invalidateDigestFrom(tx, Math.min(...changed.map((proof) => proof.checkpoint)));
  return stored;
}
