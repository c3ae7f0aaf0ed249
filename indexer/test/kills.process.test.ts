/**
 * The built process, killed without warning again and again while it reads the history for the first time, ends with
 * the digest of an undisturbed run.
 * KILL_EVENTS and KILLS make it longer.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { append, emptyFrontier, leafHash, rootOf } from '@clockproof/platform/bytes/merkle-tree';
import { openDatabase } from '@clockproof/platform/database/open';
import { createTestDatabase, dialects } from '@clockproof/platform/testing/databases';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createSimulatedNode } from '../simulator/node.js';
import { createRandom } from '../simulator/random.js';
import { packageFolder } from '../src/package-folder.js';
import { publishedDigest } from '../src/store/index-digest.js';
import { canonicalJson } from '../src/store/proof-record.js';
import { readDigest } from '../src/store/streams.js';
import { anchors, createGround, expectedProofs, proofEvent } from './world.js';

const events = Number(process.env['KILL_EVENTS'] ?? '6000');
const kills = Number(process.env['KILLS'] ?? '6');
const children = new Set<ChildProcess>();

function start(
  script: string,
  env: Record<string, string>,
): { readonly child: ChildProcess; line(contains: string): Promise<string>; readonly lines: string[] } {
  const child = spawn(process.execPath, [join(packageFolder, 'dist', script)], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  const lines: string[] = [];
  const waiters: { contains: string; resolve: (line: string) => void; reject: (error: Error) => void }[] = [];
  const see = (line: string) => {
    lines.push(line);
    for (const waiter of waiters.filter((waiter) => line.includes(waiter.contains))) waiter.resolve(line);
  };
  createInterface({ input: child.stdout! }).on('line', see);
  createInterface({ input: child.stderr! }).on('line', see);
  child.on('exit', (code) => {
    children.delete(child);
    for (const waiter of waiters)
      waiter.reject(
        new Error(`${script} ended with ${code} before it said ${waiter.contains}: ${lines.slice(-5).join('\n')}`),
      );
  });
  return {
    child,
    lines,
    line: (contains) =>
      new Promise((resolve, reject) => {
        const earlierLine = lines.find((line) => line.includes(contains));
        if (earlierLine !== undefined) resolve(earlierLine);
        else if (child.exitCode !== null) reject(new Error(`${script} has ended: ${lines.slice(-5).join('\n')}`));
        else waiters.push({ contains, resolve, reject });
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

/** A ledger behind HTTP that can stop answering at a page, so that a process is caught there and not at a moment. */
interface Ledger {
  readonly url: string;
  readonly package: string;
  readonly root: string;
  /** Withholds the given page, counted from the next question on. @returns resolves when that page was asked for */
  withhold(page: number): Promise<void>;
  /** Answers everything again. */
  release(): void;
  close(): void;
}

async function startLedger(): Promise<Ledger> {
  const ground = createGround();
  for (let index = 0; index < events; index++) {
    ground.chain.append([{ sender: anchors[index % 3]!, called: ground.package, events: [proofEvent(ground.random)] }]);
  }
  const node = createSimulatedNode(ground.chain, { dialect: 'flat' });
  let pagesLeft = Number.POSITIVE_INFINITY;
  let reportReached: () => void = () => undefined;
  const server = createServer(async (request, response) => {
    const body = await text(request);
    if (body.includes('query Page') && --pagesLeft < 0) return reportReached();
    const answer = await node.fetch('http://node.example/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body,
    });
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const tree = expectedProofs(ground).reduce(
    (tree, record) => append(tree, leafHash(Buffer.from(canonicalJson({ ...record })))),
    emptyFrontier,
  );
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
    package: ground.package,
    root: rootOf(tree).toString('hex'),
    withhold(page) {
      pagesLeft = page - 1;
      return new Promise((resolve) => {
        reportReached = resolve;
      });
    },
    release() {
      pagesLeft = Number.POSITIVE_INFINITY;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

let ledger: Ledger;
beforeEach(async () => {
  ledger = await startLedger();
});
afterEach(async () => {
  for (const child of children) await end(child, 'SIGKILL');
  ledger.close();
});

const settings = (more: Record<string, string>) => ({
  ACCEPT_TERMS: 'true',
  CHAIN_ANCHOR_PACKAGE: ledger.package,
  CHAIN_NETWORK: 'devnet',
  CHAIN_GRAPHQL_URL: ledger.url,
  LISTEN_ADDR: '127.0.0.1:0',
  POLL_INTERVAL: '1s',
  ...more,
});

/** Asks until the answer is there. */
async function until<T>(question: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const answer = await question();
    if (answer !== undefined) return answer;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe.each(dialects)('a process that is killed again and again, on %s', (driver) => {
  it(`ends with the same digest as an undisturbed one (${kills} kills, ${events} proofs)`, async () => {
    const home = await createTestDatabase(driver);
    const random = createRandom(events + kills);
    try {
      for (let kill = 0; kill < kills; kill++) {
        // While the page before the withheld one is being stored; the one before that is committed.
        const withheldPage = ledger.withhold(random.between(3, 8));
        const indexer = start('src/main.js', settings({ DB_DRIVER: driver, DB_DSN: home.settings.dsn }));
        await Promise.race([withheldPage, once(indexer.child, 'exit')]);
        await end(indexer.child, 'SIGKILL');
        const db = await openDatabase(home.settings);
        // One statement, one snapshot: a commit that was on its way may still arrive at the server.
        const { watermark, storedCount, total, behind } = (await db.get<{
          watermark: number;
          storedCount: number;
          total: number;
          behind: number;
        }>(`SELECT s.watermark, t.proofs AS total, (SELECT count(*) FROM proofs) AS "storedCount",
          (SELECT count(*) FROM proofs WHERE checkpoint <= s.watermark) AS behind FROM streams s, totals t`))!;
        await db.close();
        // Every checkpoint of this ledger after the publication in checkpoint 1 holds one proof.
        expect(behind).toBe(Math.max(0, watermark - 1));
        expect(total).toBe(storedCount);
        expect(storedCount).toBeGreaterThan(0);
        expect(storedCount).toBeLessThan(events);
      }
      ledger.release();
      const indexer = start('src/main.js', settings({ DB_DRIVER: driver, DB_DSN: home.settings.dsn }));
      await indexer.line('listening');
      const db = await openDatabase(home.settings);
      const digest = await until(async () => {
        const state = await readDigest(db);
        return state.frontier.size < events ? undefined : publishedDigest(state);
      });
      await db.close();
      expect(digest.root).toBe(ledger.root);
      expect(await end(indexer.child, 'SIGTERM')).toBe(0);
    } finally {
      await home.drop();
    }
  });
});

describe('the process', () => {
  it('stops at once in the middle of a long reading and while an answer is outstanding', async () => {
    const home = await createTestDatabase('sqlite');
    try {
      for (const page of [4, 1]) {
        const withheldPage = ledger.withhold(page);
        const indexer = start('src/main.js', settings({ DB_DRIVER: 'sqlite', DB_DSN: home.settings.dsn }));
        await Promise.race([withheldPage, once(indexer.child, 'exit')]);
        expect(await end(indexer.child, 'SIGTERM')).toBe(0);
        expect(indexer.lines.filter((line) => line.includes('"level":50') || line.includes('"level":40'))).toEqual([]);
      }
      const db = await openDatabase(home.settings);
      const { n } = (await db.get<{ n: number }>('SELECT count(*) AS n FROM proofs'))!;
      await db.close();
      expect(n).toBeGreaterThan(0);
      expect(n).toBeLessThan(events);
    } finally {
      await home.drop();
    }
  });
  it('ends with 78 and shows the address of the terms unless they are accepted', async () => {
    const indexer = start('src/main.js', settings({ ACCEPT_TERMS: 'yes' }));
    await once(indexer.child, 'exit');
    expect(indexer.child.exitCode).toBe(78);
    expect(indexer.lines.join('\n')).toMatch(/ACCEPT_TERMS .*file:\/\/\S+\/docs\/terms\.md$/m);
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
    const { Database } = await import('@appthreat/sqlite3');
    await new Promise<void>((resolve, reject) => {
      const database = new Database(home.settings.dsn);
      database.exec('CREATE TABLE theirs (x); ', (error) => (error ? reject(error) : database.close(() => resolve())));
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
