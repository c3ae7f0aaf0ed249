/**
 * What the node could not tell whole is asked for again by its transaction, until it is a proof or malformed for good.
 */
import type { Database } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import type { IntakeDesk } from './intake.js';
import { LedgerFailure } from './ledger/graphql.js';
import { transactionsToAskAgain } from './proofs/rows.js';
import { storeIntake } from './storing.js';

const mostAtOnce = 100;

/**
 * @param after where the round before ended, so that many that stay silent do not keep others from being asked for
 * @returns where the next round begins. @throws LedgerFailure where the node does not answer now
 */
export async function askAgain(
  { database, desk, clock }: { readonly database: Database; readonly desk: IntakeDesk; readonly clock: () => Instant },
  after: string,
): Promise<string> {
  const digests = await transactionsToAskAgain(database, after, mostAtOnce);
  for (const digest of digests) {
    const told = await desk.transaction(digest).catch((error: unknown) => {
      if (error instanceof LedgerFailure && (error.kind === 'refused' || error.kind === 'pruned')) return undefined;
      throw error;
    });
    if (told !== undefined)
      await database.write((tx) => storeIntake(tx, told, clock(), { digest, sequences: told.sequences }));
  }
  return digests.length < mostAtOnce ? '' : digests.at(-1)!;
}
