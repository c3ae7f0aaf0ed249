/**
 * What one installation knows of itself: a secret of its own, made once and shared by all replicas through the
 * database.
 */

import { insertIfAbsent } from './tables.js';
import type { Store } from './write.js';

/** 32 bytes; authenticates cursors. The first process to start decides, the others read. */
export async function installationSecret(db: Store, randomBytes: (size: number) => Uint8Array): Promise<Uint8Array> {
  await db.runMaintenance('installation', (tx) =>
    insertIfAbsent(tx, 'installation', { one: 1, secret: randomBytes(32) }),
  );
  return (await db.get<{ secret: Uint8Array }>('SELECT secret FROM installation WHERE one = 1'))!.secret;
}
