/**
 * Sets the watermarks back. A running service notices and reads again from there; nothing that is stored is removed.
 */
import { openExistingDatabase } from '@clockproof/platform/database/open';
import type { IndexerConfig } from '../config.js';
import { migrations } from '../store/schema.js';
import { rewindStreams } from '../store/streams.js';

export async function reindex(
  config: IndexerConfig,
  words: readonly string[],
  print: (line: string) => void,
): Promise<number> {
  const [flag, from, ...rest] = words;
  if (flag !== '--from' || from === undefined || !/^(0|[1-9][0-9]{0,14})$/.test(from) || rest.length > 0) {
    print('reindex: say from which checkpoint on, for example reindex --from 0');
    return 64;
  }
  const db = await openExistingDatabase({ driver: config.DB_DRIVER, dsn: config.DB_DSN });
  try {
    await db.migrate(migrations);
    const streams = await db.write((tx) => rewindStreams(tx, Number(from)));
    print(`reindex: ${streams} streams set back to checkpoint ${from}; the service reads again from there`);
    return 0;
  } finally {
    await db.close();
  }
}
