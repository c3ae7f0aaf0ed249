/**
 * The answers that a shared cache between client and index keeps. The proxy caches by RFC 9111 with undici's
 * implementation, which decides by the headers alone.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { silentLog } from '@clockproof/platform/log';
import { createTestDatabase, oneDialect, type TestDatabase } from '@clockproof/platform/testing/databases';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Agent, type Dispatcher, interceptors, request } from 'undici';
import { createSimulatedNode } from '../simulator/node.js';
import { readConfig } from '../src/config.js';
import type { Step } from '../src/follow/catch-up.js';
import { type Indexer, startIndexer } from '../src/indexer.js';
import { anchors, asFetch, Crash, createGround, expectedProofs, type Ground, growProofs, proofEvent } from './world.js';

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly etag: string | undefined;
}
interface Proxy {
  readonly url: string /** Requests that the cache let through. */;
  readonly forwarded: string[];
  close(): Promise<void>;
}

async function startCachingProxy(origin: () => string): Promise<Proxy> {
  const forwardedPaths: string[] = [];
  const recordRequests =
    (dispatch: Dispatcher['dispatch']): Dispatcher['dispatch'] =>
    (options, handler) => {
      forwardedPaths.push(options.path);
      return dispatch(options, handler);
    };
  const base = new Agent();
  const agent = base.compose([recordRequests, interceptors.cache({ type: 'shared' })]);
  const server: Server = createServer((message, response) => {
    void request(`${origin()}${message.url!}`, { dispatcher: agent, headers: { 'x-forwarded-for': '192.0.2.9' } })
      .then(async ({ statusCode, headers, body }) => {
        const bytes = Buffer.from(await body.arrayBuffer());
        for (const name of ['etag', 'cache-control', 'content-type'])
          if (headers[name] !== undefined) response.setHeader(name, headers[name]);
        response.writeHead(statusCode).end(bytes);
      })
      .catch((error: unknown) => response.writeHead(502).end(String(error)));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    forwarded: forwardedPaths,
    async close() {
      server.close();
      server.closeAllConnections();
      await base.destroy();
    },
  };
}

describe.each(oneDialect)('through a caching proxy, on %s', (driver) => {
  let home: TestDatabase;
  let ground: Ground;
  let indexer: Indexer;
  let proxy: Proxy;
  let time = 1_795_233_600_000;
  let dieAfterPages = Infinity;
  /** The node answers lists, and no question by digest. */
  let listsOnly = false;

  const ask = async (path: string): Promise<Answer> => {
    const response = await fetch(`${proxy.url}${path}`);
    return {
      status: response.status,
      body: (await response.json()) as Record<string, unknown>,
      etag: response.headers.get('etag') ?? undefined,
    };
  };
  /** The index remembers its knowledge for a second. */
  const pass = async () => {
    await indexer.follower.pass();
    time += 1_000;
  };

  beforeEach(async () => {
    home = await createTestDatabase(driver);
    ground = createGround();
    growProofs(ground, 20);
    dieAfterPages = Infinity;
    listsOnly = false;
    const node = createSimulatedNode(ground.chain, { dialect: 'ga', maxPageSize: 1 });
    indexer = await startIndexer({
      config: {
        ...readConfig({
          ACCEPT_TERMS: 'true',
          CHAIN_ANCHOR_PACKAGE: ground.package,
          CHAIN_NETWORK: 'devnet',
          LISTEN_ADDR: '127.0.0.1:0',
        }),
        DB_DRIVER: home.settings.driver,
        DB_DSN: home.settings.dsn,
      },
      log: silentLog,
      clock: () => time,
      sleep: async () => undefined,
      fetch: asFetch({
        requests: node.requests,
        fetch: async (url, init) =>
          listsOnly && String(init.body).includes('query Transaction')
            ? new Response('', { status: 503 })
            : node.fetch(url, init),
      }),
      follow: false,
      onStep: (step: Step) => {
        if (step === 'page committed' && --dieAfterPages === 0) throw new Crash(step);
      },
    });
    proxy = await startCachingProxy(() => indexer.url);
  });
  afterEach(async () => {
    await proxy.close();
    await indexer.close();
    await home.drop();
  });

  it('a proof that was missing is found the moment it is indexed', async () => {
    await pass();
    const [transaction] = ground.chain.append([
      { sender: anchors[0]!, called: ground.package, events: [proofEvent(ground.random)] },
    ]);
    const { digest } = transaction!;
    listsOnly = true;
    expect([
      (await ask(`/api/v1/proofs/${digest}`)).status,
      (await ask(`/api/v1/verify/${digest}`)).body['verdict'],
      (await ask('/api/v1/status')).body['indexed_count'],
    ]).toEqual([404, 'unknown', 20]);
    await pass();
    expect([
      (await ask(`/api/v1/proofs/${digest}`)).status,
      (await ask(`/api/v1/verify/${digest}`)).body['verdict'],
      (await ask('/api/v1/status')).body['indexed_count'],
    ]).toEqual([200, 'indexed', 21]);
    expect((await ask('/api/v1/proofs?limit=1')).body['data']).toMatchObject([{ tx: digest }]);
  });

  it('a proof that was confirmed and read again is asked for once, every root of its own', async () => {
    // Pages hold one proof: the second reading comes to the last one with the twentieth poll.
    for (let poll = 0; poll < 20; poll++) await pass();
    const [proof, otherProof] = expectedProofs(ground);
    for (let turn = 0; turn < 5; turn++) {
      expect((await ask(`/api/v1/verify/${proof!.tx}?root=${proof!.merkle_root}`)).body['verdict']).toBe('match');
      expect((await ask(`/api/v1/verify/${proof!.tx}?root=${otherProof!.merkle_root}`)).body['verdict']).toBe(
        'mismatch',
      );
      expect((await ask(`/api/v1/proofs/${proof!.tx}`)).body).toMatchObject({
        merkle_root: proof!.merkle_root,
        events: 1,
      });
    }
    expect(proxy.forwarded).toEqual([
      `/api/v1/verify/${proof!.tx}?root=${proof!.merkle_root}`,
      `/api/v1/verify/${proof!.tx}?root=${otherProof!.merkle_root}`,
      `/api/v1/proofs/${proof!.tx}`,
      // The first match rested on lists; since the mismatch the node has confirmed the transaction.
      `/api/v1/verify/${proof!.tx}?root=${proof!.merkle_root}`,
    ]);
  });

  it('lists, the state and what was refused are asked for again each time', async () => {
    await pass();
    const paths = [
      '/api/v1/status',
      '/api/v1/proofs',
      '/api/v1/companies/ct_1/proofs',
      '/api/v1/verify/x',
      `/api/v1/proofs/${'1'.repeat(32)}`,
    ];
    for (const path of [...paths, ...paths]) await ask(path);
    expect(proxy.forwarded).toEqual([...paths, ...paths]);
  });

  it('a transaction of which only the first proof is in is not kept', async () => {
    await pass();
    const [transaction] = ground.chain.append([
      { sender: anchors[0]!, called: ground.package, events: [proofEvent(ground.random), proofEvent(ground.random)] },
    ]);
    dieAfterPages = 1;
    listsOnly = true;
    await expect(indexer.follower.pass()).rejects.toThrow(Crash);
    time += 1_000;
    const path = `/api/v1/proofs/${transaction!.digest}`;
    expect(await ask(path)).toMatchObject({ status: 200, body: { events: 1 }, etag: undefined });
    listsOnly = false;
    time += 5_000;
    // Until the second reading, page by page, has come to it.
    for (let poll = 0; poll < 22; poll++) await pass();
    expect((await ask(path)).body['events']).toBe(2);
    await ask(path);
    expect(proxy.forwarded.filter((forwardedPath) => forwardedPath === path)).toHaveLength(2);
  });
});
