/**
 * Proofs, what could not be read, counts and digest: stored together, in the caller's transaction, whoever read them
 * from the ledger.
 */
import type { Transaction } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import type { Intake } from './intake.js';
import { addToTotals, forgetUnsettled, type Stored, storeProofs, storeRejected } from './proofs/rows.js';
import { restartDigestFrom } from './streams.js';

/**
 * @param told a transaction that was asked for by its digest, and which of its events the node has told: what it could
 * not tell of them before is forgotten
 */
export async function storeIntake(
  tx: Transaction,
  { proofs, rejected }: Pick<Intake, 'proofs' | 'rejected'>,
  at: Instant,
  told?: { readonly digest: string; readonly sequences: readonly number[] },
): Promise<Stored> {
  const stored = await storeProofs(tx, proofs, at);
  const settled = told === undefined ? 0 : await forgetUnsettled(tx, told.digest, told.sequences);
  const more = (await storeRejected(tx, rejected)) - settled;
  const changed = [...stored.inserted, ...stored.dated];
  if (changed.length > 0 || more !== 0 || stored.alarms > 0) {
    const lastProofAt = changed.length === 0 ? null : Math.max(...changed.map((proof) => proof.ledgerTime ?? -1));
    await addToTotals(tx, { proofs: stored.inserted.length, rejected: more, alarms: stored.alarms, lastProofAt });
  }
  if (changed.length > 0) await restartDigestFrom(tx, Math.min(...changed.map((proof) => proof.checkpoint)));
  return stored;
}
