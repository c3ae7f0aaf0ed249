/**
 * The indexer is disturbed again and again while it reads a history for the first time, and ends with the digest of a
 * run without disturbance.
 * - `kills`: without warning, at random; on PostgreSQL its connections are cut besides
 * - `nth-sync`: as it asks for the N-th sync of a file, N at random (SQLite, needs cc)
 * - `once`: the N-th call of SQLite fails, N at random, for want of room or memory or as a failing disk does; the
 *   process is stopped after it (SQLite, needs cc)
 * Part of `make soak NAME=chaos`, or `node indexer/dist/bench/chaos.js sqlite nth-sync`; CHAOS_KILLS for each.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Database } from '@clockproof/platform/database/database';
import { openDatabase } from '@clockproof/platform/database/open';
import { withPostgres } from '@clockproof/platform/testing/bench';
import {
  createTestDatabase,
  type DialectName,
  dialects,
  type TestDatabase,
} from '@clockproof/platform/testing/databases';
import { openFaults } from '@clockproof/platform/testing/faults';
import { publishedDigest } from '../src/store/index-digest.js';
import { readDigest } from '../src/store/streams.js';

const troubles = ['kills', 'nth-sync', 'once'] as const;
type Trouble = (typeof troubles)[number];
const kills = Number(process.env['CHAOS_KILLS'] ?? 10);
const proofs = 20_000;
const selection = process.argv.slice(2);
/** The choices named on the command line; all of them if no word is of their kind. */
const selectedOf = <T extends string>(choices: readonly T[], ofKind: (word: string) => boolean): readonly T[] => {
  const matches = selection.filter(ofKind);
  return matches.length === 0 ? choices : choices.filter((choice) => matches.includes(choice));
};
const isDialect = (word: string) => dialects.includes(word as DialectName);
const wantedTroubles = selectedOf(troubles, (word) => !isDialect(word));

function start(script: string, env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [fileURLToPath(new URL(script, import.meta.url))], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
}

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null;

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (hasEnded(child)) return;
  child.kill(signal);
  await once(child, 'exit');
}

const ledger = start('../simulator/main.js', {
  PORT: '0',
  DEMO_PROOFS: String(proofs),
  PROOF_INTERVAL: '0',
  LATENCY: '10',
});
const ledgerUrl = (await ledger.lines.next()).value as string;
const settings = {
  ACCEPT_TERMS: 'true',
  LISTEN_ADDR: '127.0.0.1:0',
  POLL_INTERVAL: '1s',
  CHAIN_NETWORK: 'devnet',
  CHAIN_GRAPHQL_URL: /http:\/\/\S+graphql/.exec(ledgerUrl)![0],
  CHAIN_ANCHOR_PACKAGE: /0x[0-9a-f]{64}/.exec(ledgerUrl)![0],
};

const startIndexer = (home: TestDatabase, env: Readonly<Record<string, string>> = {}) =>
  start('../src/main.js', { ...settings, DB_DRIVER: home.settings.driver, DB_DSN: home.settings.dsn, ...env }).child;

/** How many proofs the digest covers; before the first start there are no tables. */
const sizeOf = (db: Database) =>
  readDigest(db).then(
    ({ frontier }) => frontier.size,
    () => 0,
  );

/** @returns the digest of the whole history */
async function finish(db: Database): Promise<string> {
  for (;;) {
    const digest = (await sizeOf(db)) < proofs ? undefined : publishedDigest(await readDigest(db));
    if (digest !== undefined) {
      const { n } = (await db.get<{ n: number }>('SELECT count(*) AS n FROM proofs'))!;
      return `${n} proofs, ${digest.root}`;
    }
    await pause(50);
  }
}

async function runUndisturbed(): Promise<string> {
  const home = await createTestDatabase('sqlite');
  const db = await openDatabase(home.settings);
  const indexer = startIndexer(home);
  const digest = await finish(db);
  await end(indexer, 'SIGTERM');
  await db.close();
  await home.drop();
  return digest;
}

async function run(dialect: DialectName, trouble: Trouble, expectedDigest: string): Promise<boolean> {
  const home = await createTestDatabase(dialect);
  let db = await openDatabase(home.settings);
  const faults = trouble === 'kills' ? undefined : openFaults();
  const start = performance.now();
  let killCount = 0;
  let cuts = 0;
  let indexer = startIndexer(home, faults?.env);
  while (killCount < kills) {
    if (trouble === 'once') {
      const fault = (['ENOSPC', 'EIO', 'ENOMEM'] as const)[killCount % 3]!;
      faults!.failOnce(fault, 1 + Math.floor((fault === 'ENOMEM' ? 20_000 : 300) * Math.random()));
      while (!hasEnded(indexer) && faults!.callsLeft() > 0 && (await sizeOf(db)) < proofs) await pause(20);
      if (faults!.callsLeft() > 0) break;
      // It would wait longer after each failure.
      await end(indexer, 'SIGTERM');
    } else if (faults !== undefined) {
      faults.killAtSync(1 + Math.floor(60 * Math.random()));
      // An index that is complete syncs seldom.
      while (!hasEnded(indexer) && (await sizeOf(db)) < proofs) await pause(20);
      faults.killAtSync(0);
      if (!hasEnded(indexer)) break;
    } else {
      await pause(500 + 1_500 * Math.random());
      if (dialect === 'postgres') {
        await db
          .all(
            'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
          )
          .catch(() => undefined);
        cuts++;
        await pause(200 * Math.random());
      }
      await end(indexer, 'SIGKILL');
    }
    killCount++;
    indexer = startIndexer(home, faults?.env);
  }
  await db.close();
  db = await openDatabase(home.settings);
  const digest = await finish(db);
  await end(indexer, 'SIGTERM');
  await db.close();
  await home.drop();
  faults?.close();
  const isSame = digest === expectedDigest;
  console.log(
    `indexer on ${dialect}, ${trouble}: ${((performance.now() - start) / 1_000).toFixed(0)} s, ${killCount} ${trouble === 'once' ? 'failures' : 'kills'}, ${cuts} cuts, ${isSame ? `the digest of an undisturbed run over ${proofs} proofs` : `FAULT: ${digest} in place of ${expectedDigest}`}`,
  );
  return isSame;
}

async function runAll(): Promise<boolean> {
  const expectedDigest = await runUndisturbed();
  let areSame = true;
  for (const trouble of wantedTroubles)
    for (const dialect of selectedOf(dialects, isDialect))
      if (dialect === 'sqlite' || trouble === 'kills')
        areSame = (await run(dialect, trouble, expectedDigest)) && areSame;
  return areSame;
}

// Troubles of the service alone.
if (wantedTroubles.length === 0) process.exit(ledger.child.kill() ? 0 : 1);

const isGood = await withPostgres(runAll).finally(() => ledger.child.kill());
process.exit(isGood ? 0 : 1);
