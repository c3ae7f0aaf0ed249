/**
 * Settles disputes: the ledger is asked for each disputed transaction by its digest, and its answer takes the place of
 * every version that is stored. Point CHAIN_GRAPHQL_URL at a node you trust before running it.
 */
import { openExistingDatabase } from '@clockproof/platform/database/open';
import type { IndexerConfig } from '../config.js';
import { correctTransaction } from '../store/ingest.js';
import { disputedTransactions } from '../store/proofs.js';
import { migrations } from '../store/schema.js';
import { type CommandContext, openLedger, patiently } from './ledger.js';

/**
 * @returns 0 if no dispute is left, 1 if the node has no whole answer for one of them.
 * @throws WrongLedger, LedgerFailure
 */
export async function settle(config: IndexerConfig, { print, clock, fetch }: CommandContext): Promise<number> {
  const db = await openExistingDatabase({ driver: config.DB_DRIVER, dsn: config.DB_DSN });
  try {
    await db.migrate(migrations);
    const { decoder } = await openLedger(config, db, fetch);
    const digests = await disputedTransactions(db);
    let openCount = 0;
    for (const digest of digests) {
      const answer = await patiently(() => decoder.transaction(digest));
      if (typeof answer !== 'object' || answer.gaps > 0) {
        openCount++;
        print(`settle: transaction ${digest}: the node has no whole answer, so both versions stay`);
        continue;
      }
      // Proofs, alarms, counts and digest in one transaction: if the process dies here, the dispute is still open.
      const { changed, removed } = await db.write((tx) => correctTransaction(tx, digest, answer, clock()));
      const outcome =
        changed + removed === 0 ? 'the stored version was right' : `${changed} proofs replaced, ${removed} removed`;
      print(`settle: transaction ${digest}: ${outcome}`);
    }
    print(`settle: ${digests.length - openCount} of ${digests.length} disputes settled`);
    return openCount === 0 ? 0 : 1;
  } finally {
    await db.close();
  }
}
