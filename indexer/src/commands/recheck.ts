/**
 * Asks the ledger for every stored transaction by its digest. A contradiction becomes a dispute; transactions that are
 * not on this chain are listed, and removed with `--remove`. That cleans an index into which a node of another chain
 * has written its own history.
 */
import type { Database } from '@clockproof/platform/database/database';
import { openExistingDatabase } from '@clockproof/platform/database/open';
import type { IndexerConfig } from '../config.js';
import type { LedgerNode } from '../ledger/node.js';
import { ingestTransaction, withdrawTransaction } from '../store/ingest.js';
import { beforeEverything, type Position, type ProofRow, proofsInLedgerOrder } from '../store/proofs.js';
import { migrations } from '../store/schema.js';
import { beginStreamsAgain } from '../store/streams.js';
import { type CommandContext, openLedger, patiently } from './ledger.js';

const rowsPerStep = 500;

/**
 * @param remove take back what is not on this chain, and read everything again
 * @returns 0 if the ledger confirms every transaction that it can be asked for, or the rest was removed; 1 otherwise.
 * @throws WrongLedger, LedgerFailure
 */
export async function recheck(
  config: IndexerConfig,
  remove: boolean,
  { print, clock, fetch }: CommandContext,
): Promise<number> {
  const db = await openExistingDatabase({ driver: config.DB_DRIVER, dsn: config.DB_DSN });
  const counts = { confirmed: 0, disputed: 0, foreign: 0, pruned: 0 };
  try {
    await db.migrate(migrations);
    const { node, decoder } = await openLedger(config, db, fetch);
    const floor = await patiently(() => node.retentionFloor());
    for await (const { tx: digest, checkpoint } of storedTransactions(db)) {
      const answer = await patiently(() => decoder.transaction(digest));
      if (typeof answer === 'object') {
        const { alarms } = await db.write((tx) => ingestTransaction(tx, digest, answer, clock()));
        if (alarms > 0) print(`recheck: transaction ${digest}: the ledger contradicts what is stored; run settle`);
        counts[alarms > 0 ? 'disputed' : 'confirmed']++;
      } else if (answer === undefined && (await isForeign(node, digest, checkpoint, floor))) {
        counts.foreign++;
        print(`recheck: transaction ${digest}: not on this chain${remove ? ', removed' : ''}`);
        if (remove) await db.write((tx) => withdrawTransaction(tx, digest));
      } else counts.pruned++;
    }
    // While the node belonged to another chain, the events of this chain were not read.
    if (remove && counts.foreign > 0) await db.write(beginStreamsAgain);
    print(
      `recheck: ${counts.confirmed} transactions confirmed, ${counts.disputed} disputed, ${counts.foreign} not on this chain${remove ? ' and removed' : ''}, ${counts.pruned} that the node does not have`,
    );
    return counts.disputed > 0 || (counts.foreign > 0 && !remove) ? 1 : 0;
  } finally {
    await db.close();
  }
}

/**
 * True only if the node shows the checkpoint in which the transaction is said to be, and the transaction is not in it.
 * A node that may have pruned it, or has not come that far, shows nothing: replicas behind one address are not equally
 * far.
 */
async function isForeign(
  node: LedgerNode,
  digest: string,
  checkpoint: number,
  floor: number | undefined,
): Promise<boolean> {
  if (floor === undefined || checkpoint < floor) return false;
  const answer = await patiently(() => node.whereabouts(digest, checkpoint));
  return answer !== undefined && !answer.transaction && answer.checkpoint;
}

/** Every stored transaction once, in ledger order. */
async function* storedTransactions(db: Database): AsyncGenerator<ProofRow> {
  let last: string | undefined;
  for (let position: Position = beforeEverything; ; ) {
    const rows = await proofsInLedgerOrder(db, position, Number.MAX_SAFE_INTEGER, [], rowsPerStep);
    for (const row of rows) {
      if (row.tx !== last) yield row;
      last = row.tx;
    }
    const end = rows.at(-1);
    if (end === undefined) return;
    position = { checkpoint: end.checkpoint, tx: end.tx, sequence: end.event_sequence };
  }
}
