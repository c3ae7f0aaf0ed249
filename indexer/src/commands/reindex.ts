/**
 * Sets the watermarks back. A running service notices and reads again from there; nothing that is stored is removed.
 */
import { openExistingDatabase } from '@clockproof/platform/database/open';
import type { IndexerConfig } from '../config.js';
import { migrations } from '../store/schema.js';
import { rewindStreams } from '../store/streams.js';

/** @param from the first checkpoint to read again. @returns 0 */
export async function reindex(config: IndexerConfig, from: number, print: (line: string) => void): Promise<number> {
  const db = await openExistingDatabase({ driver: config.DB_DRIVER, dsn: config.DB_DSN });
  try {
    await db.migrate(migrations);
    const streams = await db.write((tx) => rewindStreams(tx, from));
    print(`reindex: ${streams} streams set back to checkpoint ${from}; the service reads again from there`);
    return 0;
  } finally {
    await db.close();
  }
}
