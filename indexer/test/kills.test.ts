/**
 * The built process, killed without warning again and again while it reads the history for the first time, ends with
 * the same digest as if nobody had touched it.
 * KILL_EVENTS and KILLS make it longer; what the long run gave stands in docs/operations/performance.md.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openDatabase } from '@clockproof/platform/database/open';
import { createTestDatabase, dialects } from '@clockproof/platform/testing/databases';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createRandom } from '../simulator/random.js';
import { append, canonicalJson, emptyFrontier, leafHash, rootOf } from '../src/digest.js';
import { publishedDigest } from '../src/index-digest.js';
import { packageFolder } from '../src/package-folder.js';
import type { ProofRecord } from '../src/proofs/present.js';
import { readDigest, readStreams } from '../src/streams.js';

const events = Number(process.env['KILL_EVENTS'] ?? '6000');
const kills = Number(process.env['KILLS'] ?? '6');
const running = new Set<ChildProcess>();

function start(
  script: string,
  env: Record<string, string>,
): { readonly child: ChildProcess; line(contains: string): Promise<string>; readonly lines: string[] } {
  const child = spawn(process.execPath, [join(packageFolder, 'dist', script)], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const lines: string[] = [];
  const waiting: { contains: string; resolve: (line: string) => void; reject: (error: Error) => void }[] = [];
  const see = (line: string) => {
    lines.push(line);
    for (const one of waiting.filter((each) => line.includes(each.contains))) one.resolve(line);
  };
  createInterface({ input: child.stdout! }).on('line', see);
  createInterface({ input: child.stderr! }).on('line', see);
  child.on('exit', (code) => {
    running.delete(child);
    for (const one of waiting)
      one.reject(
        new Error(`${script} ended with ${code} before it said ${one.contains}: ${lines.slice(-5).join('\n')}`),
      );
  });
  return {
    child,
    lines,
    line: (contains) =>
      new Promise((resolve, reject) => {
        const before = lines.find((line) => line.includes(contains));
        if (before !== undefined) resolve(before);
        else if (child.exitCode !== null) reject(new Error(`${script} has ended: ${lines.slice(-5).join('\n')}`));
        else waiting.push({ contains, resolve, reject });
      }),
  };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill(signal);
    await once(child, 'exit');
  }
  return child.exitCode;
}

let ledger: string;
let anchorPackage: string;
let expectedRoot: string;
beforeAll(async () => {
  const simulator = start('simulator/main.js', {
    PORT: '0',
    PROOF_INTERVAL: '0',
    DEMO_PROOFS: String(events),
    LATENCY: '4',
    DIALECT: 'iota',
  });
  const said = await simulator.line('simulated ledger');
  ledger = /http:\/\/\S+graphql/.exec(said)![0];
  anchorPackage = /0x[0-9a-f]{64}/.exec(said)![0];
  const anchored = (await (await fetch(ledger.replace('/graphql', '/anchored'))).json()) as ProofRecord[];
  const records = anchored.map((proof) => ({ ...proof, ledger_time: proof.ledger_time!.replace('.000Z', 'Z') }));
  expectedRoot = rootOf(
    records.reduce((tree, record) => append(tree, leafHash(Buffer.from(canonicalJson({ ...record })))), emptyFrontier),
  ).toString('hex');
}, 120_000);
afterEach(async () => {
  for (const child of [...running].slice(1)) await end(child, 'SIGKILL');
});
afterAll(async () => {
  for (const child of running) await end(child, 'SIGKILL');
});

const settings = (more: Record<string, string>) => ({
  ACCEPT_TERMS: 'true',
  CHAIN_ANCHOR_PACKAGE: anchorPackage,
  CHAIN_NETWORK: 'devnet',
  CHAIN_GRAPHQL_URL: ledger,
  LISTEN_ADDR: '127.0.0.1:0',
  POLL_INTERVAL: '1s',
  ...more,
});

describe.each(dialects)('on %s', (driver) => {
  it(`${kills} kills while ${events} proofs are read leave the same digest as none`, async () => {
    const home = await createTestDatabase(driver);
    const random = createRandom(events + kills);
    let midway = 0;
    try {
      for (let kill = 0; kill < kills; kill++) {
        const indexer = start('src/main.js', settings({ DB_DRIVER: driver, DB_DSN: home.settings.dsn }));
        await indexer.line('following the ledger');
        await new Promise((resolve) => setTimeout(resolve, random.between(20, Math.max(60, events / 40))));
        await end(indexer.child, 'SIGKILL');
        const db = await openDatabase(home.settings);
        const [stream] = await readStreams(db);
        const stored = (await db.get<{ n: number }>('SELECT count(*) AS n FROM proofs'))!.n;
        const counted = (await db.get<{ proofs: number }>('SELECT proofs FROM totals WHERE id = 1'))!.proofs;
        const behind = (await db.get<{ n: number }>('SELECT count(*) AS n FROM proofs WHERE checkpoint <= :watermark', {
          watermark: stream?.watermark ?? -1,
        }))!.n;
        await db.close();
        // Every checkpoint of this ledger after the publication in checkpoint 1 holds one proof.
        expect(behind).toBe(Math.min(events, Math.max(0, (stream?.watermark ?? 1) - 1)));
        expect(counted).toBe(stored);
        if (stored > 0 && stored < events) midway++;
      }
      const indexer = start('src/main.js', settings({ DB_DRIVER: driver, DB_DSN: home.settings.dsn }));
      const url = JSON.parse(await indexer.line('listening')) as { url: string };
      for (;;) {
        const status = (await (await fetch(`${url.url}/readyz`)).json()) as { status: string };
        if (status.status === 'ready') break;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      const db = await openDatabase(home.settings);
      // The digest is written after the last page: wait for it.
      let digest = publishedDigest(await readDigest(db));
      while (digest === undefined || (await readDigest(db)).frontier.size < events) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        digest = publishedDigest(await readDigest(db));
      }
      await db.close();
      expect(digest.root).toBe(expectedRoot);
      expect(midway).toBeGreaterThan(0);
      expect(await end(indexer.child, 'SIGTERM')).toBe(0);
    } finally {
      await home.drop();
    }
  }, 600_000);
});

describe('the process', () => {
  it('stops in the middle of a long reading and of an answer that does not come', async () => {
    const home = await createTestDatabase('sqlite');
    let asked = 0;
    const silent = createServer((message) => {
      message.resume();
      asked++;
    }).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    for (const url of [ledger, `http://127.0.0.1:${(silent.address() as AddressInfo).port}/graphql`]) {
      const indexer = start(
        'src/main.js',
        settings({ DB_DRIVER: 'sqlite', DB_DSN: home.settings.dsn, CHAIN_GRAPHQL_URL: url }),
      );
      if (url === ledger) await indexer.line('following the ledger');
      else while (asked === 0) await new Promise((resolve) => setTimeout(resolve, 20));
      expect(await end(indexer.child, 'SIGTERM')).toBe(0);
      expect(indexer.lines.filter((line) => line.includes('"level":50') || line.includes('"level":40'))).toEqual([]);
    }
    const db = await openDatabase(home.settings);
    const { n } = (await db.get<{ n: number }>('SELECT count(*) AS n FROM proofs'))!;
    expect(n).toBeLessThan(events);
    await db.close();
    await home.drop();
    silent.close();
    silent.closeAllConnections();
  });
  it('ends with 78 and shows the address of the terms unless they are accepted', async () => {
    const indexer = start('src/main.js', settings({ ACCEPT_TERMS: 'yes' }));
    await once(indexer.child, 'exit');
    expect(indexer.child.exitCode).toBe(78);
    expect(indexer.lines.join('\n')).toMatch(/ACCEPT_TERMS .*https:\/\//);
  });
  it('ends with 78 naming every wrong setting', async () => {
    const indexer = start('src/main.js', settings({ POLL_INTERVAL: '0s', TRUSTED_PROXIES: '10.0.0.0/33' }));
    await once(indexer.child, 'exit');
    expect(indexer.child.exitCode).toBe(78);
    expect(indexer.lines.map((line) => /^configuration: (\w+)/.exec(line)?.[1]).sort()).toEqual([
      'POLL_INTERVAL',
      'TRUSTED_PROXIES',
    ]);
  });
  it('does not touch the database of another program', async () => {
    const home = await createTestDatabase('sqlite');
    const { default: sqlite3 } = await import('sqlite3');
    await new Promise<void>((resolve, reject) => {
      const foreign = new sqlite3.Database(home.settings.dsn);
      foreign.exec('CREATE TABLE theirs (x); ', (error) => (error ? reject(error) : foreign.close(() => resolve())));
    });
    const indexer = start('src/main.js', settings({ DB_DSN: home.settings.dsn }));
    await once(indexer.child, 'exit');
    expect(indexer.child.exitCode).toBe(1);
    await home.drop();
  });
  it('explains its commands and refuses unknown ones', async () => {
    const child = spawn(process.execPath, [join(packageFolder, 'dist', 'src/main.js'), 'dance'], { stdio: 'ignore' });
    await once(child, 'exit');
    expect(child.exitCode).toBe(64);
  });
});
