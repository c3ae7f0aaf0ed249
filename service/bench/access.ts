/**
 * A read with authentication beside a stock Express application without it, and a refresh of tokens beside its
 * statements behind a bare handler.
 */
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { Api, IncomingRequest } from '@clockproof/platform/http/api';
import { createApp } from '@clockproof/platform/http/app';
import type { OperationInfo } from '@clockproof/platform/http/operations';
import { createMemoryRateLimiter } from '@clockproof/platform/http/rate-limit';
import { silentLog } from '@clockproof/platform/log';
import { compare, type Figure, fire, type Load, median, type Shot, show } from '@clockproof/platform/testing/bench';
import type { DialectName } from '@clockproof/platform/testing/databases';
import {
  exchangeRefreshToken,
  findLinkByRefreshToken,
  findLinkState,
  insertAccessToken,
  rememberRefreshToken,
} from '../src/access/oauth/rows.js';
import { createAuthentication } from '../src/authentication.js';
import { listTimeEntries } from '../src/clock/entries-api.js';
import { findExtensionByClientId, findKey, readPeopleAccess } from '../src/extensions/rows.js';
import { errors } from '../src/generated/contract.js';
import { document } from '../src/generated/service-document.js';
import { createCursors } from '../src/http/cursor.js';
import type { ApiRequest } from '../src/http/handler.js';
import type { ApiCaller } from '../src/people/caller.js';
import { factorKeysOf, giveCredentials } from '../test/browser.js';
import { addApp, link, renew } from '../test/linking.js';
import { createWorld } from '../test/world.js';
import { createStock } from './stock.js';

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

/** The service's application, with one operation behind it. */
async function serveReads(
  authenticate: Api['authenticate'],
  list: (request: never) => unknown,
  at: number,
): Promise<{ readonly port: number; close(): void }> {
  const { paths, ...rest } = document as { readonly paths: Readonly<Record<string, unknown>> };
  const readPath = { '/api/v1/time/entries': paths['/api/v1/time/entries'] };
  const app = await createApp({
    apis: [
      {
        document: { ...rest, paths: readPath },
        handlers: { listTimeEntries: list },
        authenticate,
        challenge: () => '',
        crossOriginGet: () => true,
      },
    ],
    errors,
    log: silentLog,
    clock: () => at,
    newRequestId: () => randomUUID(),
    clientAddress: () => '127.0.0.1',
    limiter: createMemoryRateLimiter(),
    limits: { perAddress: 1_000_000, failedAuthentications: 30 },
  });
  return serve(app.express);
}

async function serve(listener: RequestListener): Promise<{ readonly port: number; close(): void }> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as { port: number }).port,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

export async function measureAccess(dialect: DialectName): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  const world = await createWorld(dialect, { unchecked: true });
  const { db } = world;
  await giveCredentials(
    world,
    [world.people.ada, world.people.ben],
    await factorKeysOf(world, createHash('sha256').update('the data key of the tests').digest()),
  );
  const app = await addApp(world, 'Bench');
  const ada = await link(world, app, world.people.ada, ['read:time_entries']);
  // The instant of the link: its access token lives an hour, the entries below take more.
  const at = world.now();
  for (let turn = 0; turn < 200; turn++) {
    await world.call('POST', `/api/v1/clock/${turn % 2 === 0 ? 'in' : 'out'}`, {
      key: world.planner.key,
      body: { user_id: world.people.ada },
    });
    world.advance(60_000);
  }

  // ---- a read with and without finding the caller: the whole request beside a stock Express application in this
  // process, and the handler alone
  const authenticate = createAuthentication({
    db,
    clock: () => world.now(),
    limiter: createMemoryRateLimiter(),
    ratePerCaller: 1_000_000,
    ratePerTerminal: 1_000_000,
    extensionsEnabled: true,
    noteUse: () => undefined,
    noteLinkUse: () => undefined,
  });
  const parts = { db: world.service.store, cursors: createCursors(world.service.installationSecret) };
  const list = (request: object) =>
    listTimeEntries({ ...request, ...parts } as unknown as ApiRequest<'listTimeEntries'>);
  const operation = {
    id: 'listTimeEntries',
    scope: 'read:time_entries',
    security: [['apiKey'], ['apiKeyHeader'], ['personalLink']],
    path: '/api/v1/time/entries',
    method: 'GET',
  } as unknown as OperationInfo;
  const path = '/api/v1/time/entries?from=2026-11-01&to=2026-11-30&limit=100';
  const query = { from: '2026-11-01', to: '2026-11-30', limit: 100 };
  const listOnce = async (caller: ApiCaller, parameters: object = query) =>
    list({
      caller,
      path: {},
      query: parameters,
      headers: {},
      body: undefined,
      at,
      address: '',
      requestId: '',
      rawQuery: '',
    });
  for (const [name, credential] of [
    ['key', world.planner.key],
    ['link', ada.access_token],
  ] as const) {
    const headers = { authorization: `Bearer ${credential}` };
    const request = { operation, method: 'GET', headers, rawHeaders: [], at } as unknown as IncomingRequest;
    const caller = await authenticate(request);
    const [checkedServer, plainServer] = await Promise.all([
      serveReads(authenticate, list, at),
      serve(
        await createStock('listTimeEntries', async (query) => (await listOnce(caller.caller as ApiCaller, query)).body),
      ),
    ]);
    const shot = (): Shot => ({ method: 'GET', path, headers });
    await fire(checkedServer.port, 1, 300, shot);
    await fire(plainServer.port, 1, 300, shot);
    const handlerTimes: [number[], number[]] = [[], []];
    const times: [number[], number[]] = [[], []];
    for (let turn = 0; turn < 5; turn++) {
      times[0].push((await fire(plainServer.port, 1, 400, shot)).p50);
      times[1].push((await fire(checkedServer.port, 1, 400, shot)).p50);
    }
    for (let turn = 0; turn < 600; turn++) {
      const startedAt = performance.now();
      await listOnce(caller.caller as ApiCaller);
      const secondStartedAt = performance.now();
      await listOnce((await authenticate(request)).caller as ApiCaller);
      handlerTimes[0].push(secondStartedAt - startedAt);
      handlerTimes[1].push(performance.now() - secondStartedAt);
    }
    for (const [title, [plainTime, checkedTime], goal] of [
      ['a read with a % beside a stock Express application', times.map(median), '≥ 0.80'],
      ['… its handler with a % beside it without', handlerTimes.map((times) => median(times.slice(100))), 'reported'],
    ] as const) {
      figures.push([
        `${title.replace('%', name)}, ${dialect}`,
        show(plainTime! / checkedTime!),
        goal,
        `${show(checkedTime!)} ms`,
        `${show(plainTime!)} ms`,
      ]);
    }
    checkedServer.close();
    plainServer.close();
  }

  // ---- refreshing tokens, one after the other as a client does
  let refreshToken = ada.refresh_token;
  let bareRefreshToken = (await link(world, app, world.people.ben, ['read:time_entries'])).refresh_token;
  const lookup = app.key.slice(4, 16);
  let tokenCount = 0;
  const bareServer = createServer((message, response) => {
    const chunks: Buffer[] = [];
    message.on('data', (chunk: Buffer) => chunks.push(chunk));
    message.on(
      'end',
      () =>
        void (async () => {
          const presentHash = hashOf(new URLSearchParams(Buffer.concat(chunks).toString()).get('refresh_token')!);
          const successor = `cpr_bench_${String(++tokenCount).padStart(20, '0')}`;
          await findExtensionByClientId(db, app.clientId);
          await findKey(db, lookup);
          await readPeopleAccess(db);
          await db.write(async (tx) => {
            const link = (await findLinkByRefreshToken(tx, presentHash, app.id))!;
            await findLinkState(tx, link.id);
            const renewal = (await exchangeRefreshToken(tx, {
              present: presentHash,
              next: hashOf(successor),
              extensionId: app.id,
              at,
            }))!;
            await rememberRefreshToken(tx, presentHash, renewal.id);
            await insertAccessToken(tx, {
              hash: hashOf(`cpa_${successor}`),
              linkId: renewal.id,
              scopes: '[]',
              expiresAt: at + 3_600_000,
              pruneBefore: at - 86_400_000,
            });
          });
          response
            .writeHead(200, { 'content-type': 'application/json' })
            .end(JSON.stringify({ refresh_token: successor }));
        })().catch((error: unknown) => {
          console.error(error);
          response.writeHead(500).end();
        }),
    );
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => bareServer.once('listening', resolve));
  const barePort = (bareServer.address() as { port: number }).port;
  const chain = async (renewOnce: () => Promise<void>): Promise<Load> => {
    const times: number[] = [];
    const startedAt = performance.now();
    for (let turn = 0; turn < 150; turn++) {
      const start = performance.now();
      await renewOnce();
      times.push(performance.now() - start);
    }
    return {
      requestsPerSecond: 150_000 / (performance.now() - startedAt),
      p50: median(times),
      p99: Math.max(...times),
      failed: 0,
    };
  };
  const result = await compare(
    5,
    () =>
      chain(async () => {
        refreshToken = (await renew(world, app, refreshToken)).body['refresh_token'] as string;
      }),
    () =>
      chain(async () => {
        const answer = await fetch(`http://127.0.0.1:${barePort}/`, {
          method: 'POST',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: bareRefreshToken }).toString(),
        });
        bareRefreshToken = ((await answer.json()) as { refresh_token: string }).refresh_token;
      }),
  );
  figures.push([
    `refresh of tokens, ${dialect}`,
    show(result.ratio),
    '≥ 0.50',
    `p50 ${show(result.ours.p50)} ms`,
    `p50 ${show(result.ceiling.p50)} ms`,
    '0',
  ]);
  bareServer.close();
  bareServer.closeAllConnections();
  await world.close();
  return figures;
}
