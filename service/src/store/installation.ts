/** The identity of an installation: a secret and a token, made once and shared by all replicas through the database. */
import type { Reader } from '@clockproof/platform/database/database';
import { proofToken } from './proof-token.js';
import { insertIfAbsent } from './tables.js';
import type { Store } from './write.js';

/** 32 bytes; authenticates cursors. The first process to start decides, the others read. */
export async function installationSecret(db: Store, randomBytes: (size: number) => Uint8Array): Promise<Uint8Array> {
  await db.runMaintenance('installation', (tx) =>
    insertIfAbsent(tx, 'installation', { one: 1, secret: randomBytes(32), proof_token: proofToken(randomBytes) }),
  );
  return (await db.get<{ secret: Uint8Array }>('SELECT secret FROM installation WHERE one = 1'))!.secret;
}

/** The token under which the audit log is anchored; undefined before the first start. */
export async function readInstallationToken(reader: Reader): Promise<string | undefined> {
  const row = await reader.get<{ proof_token: string }>('SELECT proof_token FROM installation WHERE one = 1');
  return row?.proof_token;
}
