/** The database of a serving process: opened, migrated, with its keys read and its commits announced. */
import type { RandomBytes } from '@clockproof/platform/bytes/random-text';
import type { Database } from '@clockproof/platform/database/database';
import { openDatabase } from '@clockproof/platform/database/open';
import type { Log } from '@clockproof/platform/log';
import { type Instant, minute } from '@clockproof/platform/time/instant';
import type { ServiceConfig } from '../config.js';
import { createHub, type Hub } from './hub.js';
import { installationSecret } from './installation.js';
import { migrations } from './migrations/migrations.js';
import { beginEpochOnNewServer } from './position.js';
import { type DataKey, signWith } from './sealing/data-key.js';
import { openDataKey } from './sealing/data-keys.js';
import { createSealingKeys, type SealingKeys } from './sealing/sealing-keys.js';
import { noticeSetBack, positionNote, positionNoteOf, setBackSentence } from './set-back.js';
import { createStore, type Store } from './write.js';

export interface Storage {
  readonly database: Database;
  readonly db: Store;
  readonly hub: Hub;
  readonly dataKey: DataKey | undefined;
  readonly sealingKeys: SealingKeys;
  /** Source of the sealing keys if there is no DATA_KEY, and of the cursors' keys. */
  readonly secret: Uint8Array;
  /** Notes outside of the database the newest position that its readers know; on SQLite alone. */
  readonly notePosition: (() => Promise<void>) | undefined;
}

export interface StorageNeeds {
  readonly config: ServiceConfig;
  /** Names this process among the replicas. */
  readonly process: string;
  /** True if this is the process that serves from the database. */
  readonly exclusive: boolean;
  readonly at: Instant;
  readonly randomBytes: RandomBytes;
  readonly log: Log;
}

export async function openStorage({
  config,
  process,
  exclusive,
  at,
  randomBytes,
  log,
}: StorageNeeds): Promise<Storage> {
  const database = await openDatabase({
    driver: config.DB_DRIVER,
    dsn: config.DB_DSN,
    poolSize: config.DB_POOL_SIZE,
    poolWaitMilliseconds: config.DB_POOL_WAIT_MS,
    maxTransactionMs: minute,
    exclusive,
  });
  const hub = createHub({
    reader: database,
    process,
    openSignals: database.openSignals,
  });
  try {
    await database.migrate(migrations);
    await database.write(beginEpochOnNewServer);
    // With one serving process, its note is the newest position that its readers know.
    const note = exclusive ? positionNoteOf({ driver: config.DB_DRIVER, dsn: config.DB_DSN }) : undefined;
    if (note !== undefined && (await noticeSetBack(database, note)))
      log.warn({ database: config.DB_DSN }, setBackSentence);
    const dataKey = await openDataKey(createStore(database), config.DATA_KEY, randomBytes, at);
    const db = createStore(database, {
      sign: dataKey && signWith(dataKey),
      sendsMail: config.SMTP_URL !== undefined,
      randomBytes,
      onCommit: hub.noteCommit,
      log,
    });
    const secret = await installationSecret(db, randomBytes);
    await hub.opening;
    return {
      database,
      db,
      hub,
      dataKey,
      sealingKeys: createSealingKeys(dataKey, secret, randomBytes),
      secret,
      notePosition: note === undefined ? undefined : positionNote(database, note),
    };
  } catch (error) {
    await hub.close();
    await database.close();
    throw error;
  }
}
