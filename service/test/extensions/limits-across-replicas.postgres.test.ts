import type { Database } from '@clockproof/platform/database/database';
import type { IncomingRequest } from '@clockproof/platform/http/api';
import { createSharedRateLimiter } from '@clockproof/platform/http/shared-rate-limit';
import { dialects } from '@clockproof/platform/testing/databases';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createAuthentication } from '../../src/authentication.js';
import type { Service } from '../../src/service.js';
import { createBrowser, factorKeysOf, giveCredentials } from '../browser.js';
import { installExtension } from '../builders.js';
import { openDoor } from '../door.js';
import { addApp, link } from '../linking.js';
import { createWorld, dataKey, type World } from '../world.js';

/** Every limit is one for all replicas on one PostgreSQL. The requests go to two of them in turn. */
const onPostgres = dialects.includes('postgres') ? describe : describe.skip;
onPostgres('limits across replicas on postgres', () => {
  const dialect = 'postgres';
  let world: World;
  let replica: Service;
  beforeEach(async () => {
    world = await createWorld(dialect, {
      env: { RATE_API_PER_MINUTE: '20', RATE_IP_PER_MINUTE: '50', RATE_TERMINAL_PER_MINUTE: '25' },
    });
    replica = await world.replica();
  });
  afterEach(() => world.close());

  const urlOf = (turn: number) => (turn % 2 === 0 ? world.url : replica.url);
  const ask = async (turn: number, path: string, credential?: string) =>
    (
      await fetch(urlOf(turn) + path, {
        headers: credential === undefined ? {} : { authorization: `Bearer ${credential}` },
      })
    ).status;
  const runInParallel = async (count: number, request: (turn: number) => Promise<number>) =>
    tally(await Promise.all(Array.from({ length: count }, (_, turn) => request(turn))));
  const tally = (statuses: readonly number[]) =>
    Object.fromEntries(
      [...new Set(statuses)].sort().map((status) => [status, statuses.filter((value) => value === status).length]),
    );

  it('the limit of a key holds across replicas', async () => {
    expect(await runInParallel(50, (turn) => ask(turn, '/api/v1/users', world.reader.key))).toEqual({
      200: 20,
      429: 30,
    });
    expect(await ask(0, '/api/v1/users', world.planner.key)).toBe(200);
  });

  it('the limit of a personal link holds across replicas', async () => {
    await giveCredentials(world, [world.people.ada], await factorKeysOf(world, dataKey));
    const { access_token: token } = await link(world, await addApp(world, 'Calendar'), world.people.ada, [
      'read:time_entries',
    ]);
    world.advance(60_000);
    expect(await runInParallel(50, (turn) => ask(turn, '/api/v1/me', token))).toEqual({ 200: 20, 429: 30 });
  });

  it('limits across replicas are counted in the statement that finds the credential', async () => {
    await giveCredentials(world, [world.people.ada], await factorKeysOf(world, dataKey));
    const { access_token: token } = await link(world, await addApp(world, 'Calendar'), world.people.ada, [
      'read:time_entries',
    ]);
    world.advance(60_000);
    const statements: string[] = [];
    const db: Database = {
      ...world.db,
      get: (sql, parameters) => {
        statements.push(sql);
        return world.db.get(sql, parameters);
      },
    };
    const authenticate = createAuthentication({
      db,
      clock: () => world.now(),
      limiter: createSharedRateLimiter(db),
      extensionsEnabled: true,
      ratePerCaller: 20,
      ratePerTerminal: 25,
      noteUse: () => undefined,
      noteLinkUse: () => undefined,
    });
    for (const credential of [world.reader.key, token]) {
      const operation = {
        id: 'listTimeEntries',
        scope: 'read:time_entries',
        security: [['apiKey'], ['apiKeyHeader'], ['personalLink']],
      };
      const request = { operation, headers: { authorization: `Bearer ${credential}` }, at: world.now() };
      statements.length = 0;
      expect(await authenticate(request as unknown as IncomingRequest)).toMatchObject({
        bucket: { limit: 20 },
        counted: { allowed: true, remaining: 19 },
      });
      expect(statements).toHaveLength(1);
    }
  });

  it('the limit holds across replicas for a caller without the needed scope', async () => {
    const narrowApp = await installExtension(world, { name: 'Narrow', scopes: ['read:users'] });
    expect(await runInParallel(30, (turn) => ask(turn, '/api/v1/clock/states', narrowApp.key))).toEqual({
      403: 20,
      429: 10,
    });
  });

  it('the limit of a terminal holds across replicas', async () => {
    const door = await openDoor(world, 'gate');
    world.advance(60_000);
    expect(
      await runInParallel(
        60,
        async (turn) => (await door.send('GET', '/api/v1/terminal/status', undefined, { url: urlOf(turn) })).status,
      ),
    ).toEqual({ 200: 25, 429: 35 });
  });

  it('the limit of an address without a credential holds across replicas', async () => {
    expect(await runInParallel(80, (turn) => ask(turn, '/api/v1/status'))).toEqual({ 200: 50, 429: 30 });
  });

  it('the limit of key guesses holds across replicas, and spares a right credential', async () => {
    const guesses: number[] = [];
    for (let turn = 0; turn < 34; turn++) guesses.push(await ask(turn, '/api/v1/users', 'cpk_nobody'));
    expect(guesses).toEqual([...Array<number>(30).fill(401), ...Array<number>(4).fill(429)]);
    expect(await ask(0, '/api/v1/users', world.planner.key)).toBe(200);
    expect(await ask(1, '/api/v1/users', world.reader.key)).toBe(200);
  });

  it('the limit of password guesses holds across replicas, and delays the right one as well', async () => {
    await giveCredentials(world, [world.people.ada], await factorKeysOf(world, dataKey));
    const { email } = (await world.db.get<{ email: string }>('SELECT email FROM people WHERE id = :id', {
      id: world.people.ada,
    }))!;
    const tries: number[] = [];
    for (let turn = 0; turn < 34; turn++) {
      const answer = await createBrowser(urlOf(turn)).call('POST', '/app/sign-in', {
        body: { email: `nobody-${turn}@nord.example`, password: 'seven sleepy seals sing' },
      });
      tries.push(answer.status);
    }
    expect(tries).toEqual([...Array<number>(30).fill(401), ...Array<number>(4).fill(429)]);
    for (const url of [world.url, replica.url]) {
      expect(
        (await createBrowser(url).call('POST', '/app/sign-in', { body: { email, password: 'nine tame otters swim' } }))
          .status,
      ).toBe(429);
    }
    world.advance(61_000);
    expect(
      (
        await createBrowser(replica.url).call('POST', '/app/sign-in', {
          body: { email, password: 'nine tame otters swim' },
        })
      ).status,
    ).toBe(200);
  });
});
