/**
 * Faults of machines, while people clock in and out:
 * - `kills`: processes are killed and stopped at random, connections to PostgreSQL are cut, slow clients hold requests
 *   open
 * - `restarts`: PostgreSQL is ended without warning and started again every two seconds
 * - `full`: every write to a file of the database fails with ENOSPC, every few seconds for one second
 * - `sync`: every sync fails with EIO likewise (SQLite)
 * - `once`: one call of SQLite fails, at random, for want of room or memory or as a failing disk does
 * - `filled`: the file system of the database and of temporary files has no room, every six seconds for three, under 1,
 *   4 and 24 clients (SQLite, as root)
 * - `temporary`: the folder for temporary files has 64 KiB (SQLite, as root)
 * - `nth-sync`: the process that asks for the N-th sync of a file, N at random, is killed instead: the service on
 *   SQLite, else PostgreSQL
 * - `locked`: another process holds the database's one writer (SQLite), or all its heads (PostgreSQL), for two seconds
 * - `clock`: the clock of the service jumps ahead and back, by seconds and by hours
 * - `slow`: 5,000 clients begin a request and never finish it, and every webhook receiver hangs
 * - `rolling`: at 100 requests a second each process is taken out of the balancer, stopped and replaced; no request may
 *   fail
 * In the end every acknowledged stamp is there once, and no other, and audit log, entries and events agree
 * (`model-client.ts`). `make soak NAME=chaos`, or `node service/dist/bench/chaos.js sqlite full`; CHAOS_SECONDS for
 * each.
 */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { createServer, type Server as HttpServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '@clockproof/platform/database/database';
import { type DatabaseSettings, openDatabase } from '@clockproof/platform/database/open';
import { withPostgres } from '@clockproof/platform/testing/bench';
import { createTestDatabase, type DialectName, dialects } from '@clockproof/platform/testing/databases';
import { type Faults, openFaults } from '@clockproof/platform/testing/faults';
import { migrations } from '../src/store/migrations/migrations.js';
import { randomOf } from '../test/random.js';
import { type Member, openBalancer, startMember, stopMember } from './cluster.js';
import { addHooks, addWorkers } from './company.js';
import { type Model, startModel } from './model-client.js';
import { createServerFolder, type Server, serverIn } from './postgres-pair.js';

const troubles = [
  'kills',
  'restarts',
  'full',
  'sync',
  'once',
  'filled',
  'temporary',
  'nth-sync',
  'locked',
  'clock',
  'slow',
  'rolling',
] as const;
type Trouble = (typeof troubles)[number];
const seconds = Number(process.env['CHAOS_SECONDS'] ?? 30);
/** Chooses the failing calls. */
const random = randomOf(Number(process.env['CHAOS_SEED'] ?? Date.now()));
const selection = process.argv.slice(2);
const isWanted = (name: string, names: readonly string[]) => {
  const chosenNames = names.filter((candidate) => selection.includes(candidate));
  return chosenNames.length === 0 || chosenNames.includes(name);
};

interface Scene {
  readonly settings: DatabaseSettings;
  /** Reads while the scene runs, and at its end. */
  readonly db: Database;
  /** PostgreSQL of its own, if the trouble is the server's. */
  readonly server: Server | undefined;
  readonly faults: Faults | undefined;
  readonly counts: Record<string, number>;
  readonly env: Readonly<Record<string, string>>;
  readonly faulty: string[];
  members: readonly Member[];
  isOver: boolean;
}

const note = (scene: Scene, name: string) => {
  scene.counts[name] = (scene.counts[name] ?? 0) + 1;
};

/** The faults of each trouble, made until the scene is over. */
const makers: Readonly<Record<Trouble, (scene: Scene, model: Model) => Promise<void>>> = {
  async kills(scene) {
    /** Every second end is a kill, the others are SIGTERM with requests under way. */
    const killMembers = async () => {
      for (let turn = 0; !scene.isOver; turn++) {
        await pause(1_000 + 2_000 * Math.random());
        if (scene.isOver) return;
        const member = scene.members[Math.floor(Math.random() * scene.members.length)]!;
        const isHard = turn % 2 === 0;
        note(scene, isHard ? 'kills' : 'stops');
        // A stopping process is taken out of the balancer first; the balancer has to notice a killed one.
        if (!isHard) scene.members = scene.members.filter((candidate) => candidate !== member);
        await stopMember(member, isHard ? 'SIGKILL' : 'SIGTERM');
        scene.members = scene.members.filter((candidate) => candidate !== member);
        scene.members = [...scene.members, await startUntilItRuns(scene)];
      }
    };
    /** Cuts every connection of the service to PostgreSQL, busy or not. */
    const cutConnections = async () => {
      while (!scene.isOver && scene.settings.driver === 'postgres') {
        await pause(3_000 * Math.random());
        await scene.db
          .all(
            'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
          )
          .then(() => note(scene, 'cuts'))
          .catch(() => undefined);
      }
    };
    await Promise.all([killMembers(), cutConnections()]);
  },
  async restarts(scene) {
    while (!scene.isOver) {
      await pause(2_000);
      await scene.server!.stop('immediate');
      await scene.server!.start();
      note(scene, 'restarts');
    }
  },
  full: (scene) => withDisk(scene, { write: 'ENOSPC' }),
  sync: (scene) => withDisk(scene, { sync: 'EIO' }),
  async once(scene, model) {
    while (!scene.isOver) {
      const fault = (['ENOSPC', 'EIO', 'ENOMEM'] as const)[random(3)]!;
      scene.faults!.failOnce(fault, 1 + random(fault === 'ENOMEM' ? 3_000 : 100));
      while (!scene.isOver && scene.faults!.callsLeft() > 0) await pause(2);
      note(scene, fault);
      await restartEnded(scene);
      await servesAll(scene, model);
    }
    scene.faults!.failOnce('EIO', 0);
  },
  async filled(scene, model) {
    const ballast = join(dirname(scene.settings.dsn), 'ballast');
    while (!scene.isOver) {
      await pause(3_000);
      const file = openSync(ballast, 'w');
      note(scene, 'fills');
      for (let turn = 0; turn < 60; turn++) {
        for (const size of [2 ** 20, 2 ** 12]) fill(file, Buffer.alloc(size));
        await pause(50);
      }
      closeSync(file);
      rmSync(ballast);
      await restartEnded(scene);
      await servesAll(scene, model);
    }
  },
  async temporary(scene) {
    while (!scene.isOver) await pause(100);
  },
  async 'nth-sync'(scene) {
    while (!scene.isOver) {
      scene.faults!.killAtSync(1 + Math.floor(100 * Math.random()));
      while (!scene.isOver && scene.faults!.syncsLeft() > 0) await pause(20);
      if (scene.isOver) break;
      note(scene, 'kills');
      // PostgreSQL ends its other processes too and recovers; the service waits for its supervisor.
      if (scene.settings.driver === 'postgres') {
        await waitForRecovery(scene);
      } else {
        while (!scene.members.some(hasEnded)) await pause(10);
        await restartEnded(scene);
      }
    }
    scene.faults!.killAtSync(0);
  },
  async locked(scene) {
    while (!scene.isOver) {
      await pause(1_500);
      await scene.db
        .write(async (tx) => {
          await tx.run('UPDATE event_head SET sequence = sequence');
          note(scene, 'locks');
          await pause(2_000);
        })
        .catch(() => undefined);
    }
  },
  async clock(scene) {
    for (let turn = 0; !scene.isOver; turn++) {
      await pause(1_500);
      scene.faults!.clock([5, -5, 3_600, 0, -90, 0][turn % 6]!);
      note(scene, 'jumps');
    }
    scene.faults!.clock(0);
  },
  async slow(scene) {
    /** The open connections. Those that the service ends are opened again. */
    const sockets = new Set<Socket>();
    const begin = () => {
      const member = scene.members[sockets.size % scene.members.length]!;
      const socket = beginRequest(member.port);
      sockets.add(socket);
      note(scene, 'connections');
      scene.counts['most_at_once'] = Math.max(scene.counts['most_at_once'] ?? 0, sockets.size);
      socket.on('close', () => sockets.delete(socket));
    };
    while (!scene.isOver) {
      for (let turn = 0; turn < 100 && sockets.size < 5_000; turn++) begin();
      await pause(20);
    }
    for (const socket of sockets) socket.destroy();
  },
  async rolling(scene) {
    while (!scene.isOver) {
      await pause(1_000);
      const member = scene.members[0]!;
      const replacement = await startMember(scene.env);
      scene.members = [...scene.members.slice(1), replacement];
      await stopMember(member);
      note(scene, 'replaced');
    }
  },
};

/** After the trouble: requests that met it are answered, and no later one fails. */
async function servesAll(scene: Scene, model: Model): Promise<void> {
  const acknowledge = async (count: number) => {
    const due = model.count.acknowledged + count;
    for (const since = performance.now(); model.count.acknowledged < due && model.faults.length === 0; await pause(5))
      if (performance.now() - since > 60_000) {
        scene.faulty.push(`no stamp was possible afterwards: ${model.lastUnanswered()}`);
        return;
      }
  };
  await acknowledge(2 * model.clients);
  const failureCount = model.count.unanswered;
  await acknowledge(2 * model.clients);
  if (model.count.unanswered > failureCount) scene.faulty.push(`a stamp failed afterwards: ${model.lastUnanswered()}`);
}

/** Writes until there is no room. */
function fill(file: number, bytes: Buffer): void {
  try {
    for (;;) if (writeSync(file, bytes) < bytes.length) return;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

/** A file system of its own in memory. Only root can mount one. */
function mount(size: string): { readonly folder: string; unmount(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'clockproof-mount-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]);
  return {
    folder,
    unmount() {
      execFileSync('umount', [folder]);
      rmSync(folder, { recursive: true });
    },
  };
}

async function withDisk(scene: Scene, fault: Parameters<Faults['disk']>[0]): Promise<void> {
  while (!scene.isOver) {
    await pause(2_500);
    scene.faults!.disk(fault);
    note(scene, 'faults');
    await pause(1_000);
    scene.faults!.disk();
    // A service whose database failed for good ends, as does a server that fails while it recovers. A supervisor starts
    // both again.
    await restartEnded(scene);
  }
}

/**
 * A killed process of PostgreSQL takes the others with it a moment later, and is not killed again while it recovers: a
 * server whose recovery is killed may stay without one. The operator kills a server that does not recover.
 */
async function waitForRecovery(scene: Scene): Promise<void> {
  const killedAt = performance.now();
  while (performance.now() - killedAt < 1_000 && (await scene.db.ping())) await pause(10);
  for (let since = performance.now(); !(await scene.db.ping()); ) {
    await pause(100);
    if (performance.now() - since > 30_000) {
      note(scene, 'server_did_not_recover');
      await scene.server!.kill();
      since = performance.now();
    }
    await restartEnded(scene);
  }
}

/** A service that finds no database at its start ends and says so. A supervisor tries again. */
async function startUntilItRuns(scene: Scene): Promise<Member> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startMember(scene.env);
    } catch (error) {
      if (attempt === 20) throw error;
      note(scene, 'ended_at_start');
      await pause(200);
    }
  }
}

const hasEnded = ({ child }: Member) => child.exitCode !== null || child.signalCode !== null;

async function restartEnded(scene: Scene): Promise<void> {
  // Until the processes of the ended server are gone, the next one refuses to start.
  while (scene.server?.isRunning() === false) {
    note(scene, 'server_restarted');
    await scene.server.start().catch(() => pause(200));
  }
  for (const member of scene.members.filter(hasEnded)) {
    note(scene, 'restarted');
    scene.members = [...scene.members.filter((candidate) => candidate !== member), await startUntilItRuns(scene)];
  }
}

/** A client that begins a request and never finishes it. */
function beginRequest(port: number): Socket {
  const socket = connect(port, '127.0.0.1', () =>
    socket.write('POST /api/v1/clock/in HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{'),
  );
  return socket.on('error', () => undefined);
}

/** Takes webhooks and never answers. */
async function openHangingReceiver(scene: () => Scene): Promise<HttpServer> {
  const server = createServer((message) => {
    note(scene(), 'deliveries_that_hang');
    message.resume();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** A server that has just been started, or killed, recovers first. */
async function openOnceItAnswers(settings: DatabaseSettings): Promise<Database> {
  for (;;) {
    const db = await openDatabase(settings);
    const isReady = await db.get('SELECT 1 AS one').then(
      () => true,
      () => false,
    );
    if (isReady) return db;
    await db.close();
    await pause(50);
  }
}

/** The database of a trouble. */
async function homeOf(
  dialect: DialectName,
  trouble: Trouble,
  faults: Faults | undefined,
): Promise<{
  readonly settings: DatabaseSettings;
  readonly server: Server | undefined;
  readonly env?: Readonly<Record<string, string>>;
  drop(): Promise<void>;
}> {
  if (trouble === 'filled' || trouble === 'temporary') {
    const { folder, unmount } = mount(trouble === 'filled' ? '256m' : '64k');
    const home = trouble === 'temporary' ? await createTestDatabase(dialect, migrations) : undefined;
    return {
      settings: home?.settings ?? { driver: 'sqlite', dsn: join(folder, 'service.sqlite') },
      server: undefined,
      env: { TMPDIR: folder, SQLITE_TMPDIR: folder },
      async drop() {
        await home?.drop();
        unmount();
      },
    };
  }
  if (dialect === 'sqlite' || !['restarts', 'full', 'sync', 'nth-sync'].includes(trouble)) {
    const home = await createTestDatabase(dialect, migrations);
    return { settings: home.settings, server: undefined, drop: () => home.drop() };
  }
  const folder = await createServerFolder();
  const server = await serverIn(folder, [], faults?.env);
  await server.start();
  return {
    settings: { driver: 'postgres', dsn: server.dsn },
    server,
    async drop() {
      await server.kill();
      rmSync(join(folder, '..'), { recursive: true, force: true });
    },
  };
}

async function run(dialect: DialectName, trouble: Trouble, clients: number): Promise<boolean> {
  const faults = ['full', 'sync', 'once', 'nth-sync', 'clock'].includes(trouble) ? openFaults() : undefined;
  const home = await homeOf(dialect, trouble, faults);
  const { settings, server } = home;
  let db = await openOnceItAnswers(settings);
  const { key, people } = await addWorkers(db, clients);
  const receivers = await Promise.all(
    Array.from({ length: trouble === 'slow' ? 10 : 0 }, () => openHangingReceiver(() => scene)),
  );
  await addHooks(
    db,
    people[0]!,
    receivers.map((receiver) => (receiver.address() as AddressInfo).port),
  );
  const env: Record<string, string> = {
    DB_DRIVER: dialect,
    DB_DSN: settings.dsn,
    RATE_API_PER_MINUTE: '1000000',
    RATE_IP_PER_MINUTE: '1000000',
    WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
    ...home.env,
    // On PostgreSQL the disk is the server's.
    ...(faults !== undefined && (dialect === 'sqlite' || trouble === 'clock') ? faults.env : {}),
  };
  const size = dialect === 'postgres' ? 3 : 1;
  const members = await Promise.all(Array.from({ length: size }, () => startMember(env)));
  const scene: Scene = { settings, db, server, faults, counts: {}, faulty: [], env, members, isOver: false };
  const { server: balancer, port } = await openBalancer(() => scene.members);
  const slowSockets = Array.from({ length: trouble === 'kills' ? 300 : 0 }, () => beginRequest(port));

  const startedAt = performance.now();
  // Forty people, each with a stamp every 400 ms: a hundred requests a second.
  const isRolling = trouble === 'rolling';
  const model = startModel({ port, key, people, ...(isRolling ? { pauseMilliseconds: 400 } : {}) });
  const disruption = makers[trouble](scene, model);
  await pause(seconds * 1_000);
  scene.isOver = true;
  await disruption;
  await model.stop();
  const duration = (performance.now() - startedAt) / 1_000;
  for (const socket of slowSockets) socket.destroy();
  await Promise.all(scene.members.map((member) => stopMember(member)));
  for (const receiver of receivers) {
    receiver.close();
    receiver.closeAllConnections();
  }
  balancer.close();
  balancer.closeAllConnections();
  await once(balancer, 'close').catch(() => undefined);

  // A new connection: the old one may have been cut.
  await db.close().catch(() => undefined);
  db = await openOnceItAnswers(settings);
  const problems = [...scene.faulty, ...(await model.verify(db))];
  if ((isRolling || trouble === 'temporary') && model.count.unanswered > 0)
    problems.push(`${model.count.unanswered} requests were not answered: ${model.lastUnanswered()}`);
  await db.close();
  await home.drop();
  faults?.close();
  console.log(
    `${dialect}, ${trouble}, ${clients} clients: ${duration.toFixed(0)} s, ${JSON.stringify({ ...model.count, ...scene.counts })}, longest silence ${(model.longestGap() / 1_000).toFixed(1)} s, ${problems.length === 0 ? 'nothing lost, nothing twice' : `${problems.length} FAULTS`}`,
  );
  for (const fault of problems.slice(0, 10)) console.log(`  ${fault}`);
  return problems.length === 0;
}

/**
 * SQLite is one process in one file: there is no server to restart and no second process to hand over to. A PostgreSQL
 * whose sync fails ends for good, by design, and its operator starts it again.
 */
const isPossible = (dialect: DialectName, trouble: Trouble) =>
  dialect === 'postgres'
    ? !['sync', 'once', 'filled', 'temporary'].includes(trouble)
    : !['restarts', 'rolling'].includes(trouble);

const isGood = await withPostgres(async () => {
  let good = true;
  for (const trouble of troubles.filter((name) => isWanted(name, troubles)))
    for (const dialect of dialects.filter((name) => isWanted(name, dialects) && isPossible(name, trouble)))
      for (const clients of trouble === 'filled' ? [1, 4, 24] : [trouble === 'once' ? 8 : 40])
        good = (await run(dialect, trouble, clients)) && good;
  return good;
});
process.exit(isGood ? 0 : 1);
