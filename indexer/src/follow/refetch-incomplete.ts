/**
 * What the node could not tell whole is asked for again by its transaction, until it is a proof or malformed for good.
 */
import type { Database } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import type { EventDecoder } from '../ledger/event-decoder.js';
import { LedgerFailure } from '../ledger/graphql.js';
import { ingestTransaction } from '../store/ingest.js';
import { incompleteTransactions } from '../store/proofs.js';

const batchSize = 100;

/**
 * @param after where the round before ended, so that many that stay silent do not keep others from being asked for
 * @returns where the next round begins. @throws LedgerFailure where the node does not answer now
 */
export async function refetchIncomplete(
  {
    database,
    decoder,
    clock,
  }: { readonly database: Database; readonly decoder: EventDecoder; readonly clock: () => Instant },
  after: string,
): Promise<string> {
  const digests = await incompleteTransactions(database, after, batchSize);
  for (const digest of digests) {
    const answer = await decoder.transaction(digest).catch((error: unknown) => {
      if (error instanceof LedgerFailure && (error.kind === 'refused' || error.kind === 'pruned')) return undefined;
      throw error;
    });
    if (typeof answer === 'object') await database.write((tx) => ingestTransaction(tx, digest, answer, clock()));
  }
  return digests.length < batchSize ? '' : digests.at(-1)!;
}
