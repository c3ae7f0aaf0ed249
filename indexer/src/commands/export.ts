/**
 * Every proof with its evidence, in ledger order, one JSON object a line. Suits a backup, an auditor, and an index
 * whose node has pruned.
 */

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { openExistingDatabase } from '@clockproof/platform/database/open';
import type { IndexerConfig } from '../config.js';
import { presentProof } from '../store/proof-record.js';
import { beforeEverything, evidenceInLedgerOrder, type Position } from '../store/proofs.js';
import { migrations } from '../store/schema.js';

const rowsPerStep = 1_000;

/** @param file must not exist yet; standard output without one. @returns 0 */
export async function exportProofs(
  config: IndexerConfig,
  file: string | undefined,
  print: (line: string) => void,
): Promise<number> {
  const db = await openExistingDatabase({ driver: config.DB_DRIVER, dsn: config.DB_DSN });
  const out = file === undefined ? process.stdout : createWriteStream(file, { flags: 'wx' });
  try {
    if (file !== undefined) await once(out, 'open');
    await db.migrate(migrations);
    let count = 0;
    for (let position: Position = beforeEverything; ; ) {
      const rows = await evidenceInLedgerOrder(db, position, rowsPerStep);
      for (const row of rows) {
        const line = JSON.stringify({
          ...presentProof(row),
          event_type: row.event_type,
          ...(row.event_bcs === null ? {} : { event_bcs: Buffer.from(row.event_bcs).toString('base64') }),
        });
        if (!out.write(`${line}\n`)) await once(out, 'drain');
      }
      count += rows.length;
      const last = rows.at(-1);
      if (last === undefined || rows.length < rowsPerStep) break;
      position = { checkpoint: last.checkpoint, tx: last.tx, sequence: last.event_sequence };
    }
    if (file !== undefined) {
      out.end();
      await once(out, 'finish');
      print(`export: ${count} proofs written to ${file}`);
    }
    return 0;
  } finally {
    await db.close();
  }
}
