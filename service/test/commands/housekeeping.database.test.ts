import { silentLog } from '@clockproof/platform/log';
import { dialects } from '@clockproof/platform/testing/databases';
import { day, minute, second } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { AddedExtension } from '../../src/extensions/extensions.js';
import { purgeExpired } from '../../src/housekeeping.js';
import { verifyAudit } from '../../src/store/audit/verify.js';
import { settledPosition } from '../../src/store/position.js';
import { sealAll } from '../../src/store/seal.js';
import type { Store } from '../../src/store/write.js';
import type { Browser } from '../browser.js';
import { sendStamp } from '../builders.js';
import { feedPositionOf } from '../feed.js';
import { addApp, ask, consent, exchange, link, post, renew } from '../linking.js';
import { createWorld, type World } from '../world.js';

const scopes = ['read:clock_states'];

describe.each(dialects)('housekeeping on %s', (dialect) => {
  let world: World;
  let app: AddedExtension;
  beforeEach(async () => {
    world = await createWorld(dialect);
    app = await addApp(world, 'Roster', { linkDays: 60 });
  });
  afterEach(() => world.close());
  const ada = (): Promise<Browser> => world.as(world.people.ada);
  const errorCodeOf = async (token: string) => (await world.call('GET', '/api/v1/me', { key: token })).body['code'];
  const count = async (table: string) =>
    Number((await world.db.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`))!.n);
  const purgeAll = (db = world.service.store, log = silentLog) => purgeExpired(db, world.now(), log);
  const purge = async () => {
    const { codes, consents, accessTokens, refreshTokens } = await purgeAll();
    return codes + consents + accessTokens + refreshTokens;
  };
  const seal = () => sealAll(world.service.store, world.now);
  /** Answers that were remembered a day and a millisecond ago. */
  const insertOldAnswers = (count: number) =>
    world.db.write((tx) =>
      tx.run(
        `INSERT INTO idempotency_keys (caller, key, fingerprint, answer, at)
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
         SELECT 'ext_x', 'key ' || i, 'f', '{}', CAST(:at AS BIGINT) FROM n`,
        { at: world.now() - day - 1 },
      ),
    );
  const clock = (verb: string) => sendStamp(world, verb);
  const eventsAfter = (after: string) => world.call('GET', `/api/v1/events${after}`, { key: world.auditor.key });

  it('housekeeping deletes many rows in transactions of 500', async () => {
    await insertOldAnswers(1_200);
    const { store } = world.service;
    const counts: unknown[] = [];
    const countingStore: Store = {
      ...store,
      async runMaintenance(upkeep, effect) {
        const result = await store.runMaintenance(upkeep, effect);
        if (result !== 0) counts.push(result);
        return result;
      },
    };
    expect(await purgeAll(countingStore)).toMatchObject({ answers: 1_200, notices: 0 });
    expect([counts, await count('idempotency_keys')]).toEqual([[500, 500, 200], 0]);
  });

  it('housekeeping logs a kind that fails and continues with the others', async () => {
    await insertOldAnswers(3);
    const { store } = world.service;
    const warnings: object[] = [];
    const log = { ...silentLog, warn: (facts: object) => void warnings.push(facts) } as typeof silentLog;
    const failingStore: Store = { ...store, write: () => Promise.reject(new Error('disk full')) };
    expect(await purgeAll(failingStore, log)).toMatchObject({ events: 0, removals: 0, answers: 3 });
    expect(warnings).toMatchObject([{ kind: 'events' }, { kind: 'removals' }]);
  });

  it('housekeeping keeps answers to repeated requests for 24 hours', async () => {
    const key = { 'idempotency-key': 'once' };
    const body = { user_id: world.people.ada };
    const stamp = () => world.call('POST', '/api/v1/clock/in', { key: world.planner.key, body, headers: key });
    expect((await stamp()).status).toBe(200);
    world.advance(day);
    expect((await purgeAll()).answers).toBe(0);
    world.advance(1);
    expect((await purgeAll()).answers).toBe(1);
  });

  it('housekeeping deletes events after 30 days and refuses the positions before them', async () => {
    const start = feedPositionOf(await settledPosition(world.db));
    await clock('in');
    await seal();
    world.advance(day);
    const middle = (await eventsAfter(`?after=${start}`)).body['next_after'] as string;
    await clock('out');
    await seal();
    const eventCount = await count('events');
    world.advance(29 * day);
    expect((await purgeAll()).events).toBe(0);
    expect((await eventsAfter(`?after=${start}`)).status).toBe(200);
    world.advance(1);
    expect((await eventsAfter(`?after=${start}`)).body['code']).toBe('sync_window_exceeded');
    const rest = await eventsAfter(`?after=${middle}`);
    expect(rest.body['data']).toMatchObject([{ type: 'clock.out' }]);
    expect((await eventsAfter('')).body['data']).toEqual(rest.body['data']);
    expect((await purgeAll()).events).toBe(eventCount - 1);
    expect((await eventsAfter(`?after=${start}`)).body['code']).toBe('sync_window_exceeded');
    expect((await eventsAfter(`?after=${middle}`)).body['data']).toEqual(rest.body['data']);
    world.advance(day);
    expect((await purgeAll()).events).toBe(1);
    expect((await eventsAfter('')).body['data']).toEqual([]);
    expect(await verifyAudit(world.db)).toMatchObject({ intact: true });
  });

  it('housekeeping deletes expired consent requests, and codes a day later', async () => {
    const browser = await ada();
    await ask(browser, app);
    const usedCode = await consent(browser, app, scopes);
    const unusedCode = await consent(browser, app, scopes);
    expect((await exchange(world, app, usedCode)).status).toBe(200);
    expect([await purge(), await count('consent_requests'), await count('authorization_codes')]).toEqual([0, 3, 2]);
    world.advance(10 * minute + 1);
    expect([await purge(), await count('consent_requests'), await count('authorization_codes')]).toEqual([3, 0, 2]);
    world.advance(day - 9 * minute - 1);
    expect([await purge(), await count('authorization_codes')]).toEqual([0, 2]);
    world.advance(second);
    expect([await purge(), await count('authorization_codes')]).toEqual([2, 0]);
    for (const code of [usedCode, unusedCode])
      expect((await exchange(world, app, code)).body).toMatchObject({ error: 'invalid_grant' });
  });

  it('housekeeping keeps used refresh tokens of an active link at any age: reuse ends the link', async () => {
    const tokens = await link(world, app, world.people.ada, scopes, await ada());
    world.advance(day);
    let newTokens = (await renew(world, app, tokens.refresh_token)).body as {
      access_token: string;
      refresh_token: string;
    };
    world.advance(45 * day);
    newTokens = (await renew(world, app, newTokens.refresh_token)).body as typeof newTokens;
    await purge();
    expect((await renew(world, app, tokens.refresh_token)).body).toMatchObject({ error: 'invalid_grant' });
    expect(await errorCodeOf(newTokens.access_token)).toBe('token_revoked');
  });

  it('housekeeping deletes tokens thirty days after their link has ended or expired, and keeps the link', async () => {
    world.advance(100 * day);
    await purge();
    expect([await count('access_tokens'), await count('used_refresh_tokens')]).toEqual([0, 0]);
    const links = await count('links');

    const endedLink = await link(world, app, world.people.ada, scopes, await ada());
    const renewedTokens = (await renew(world, app, endedLink.refresh_token)).body as {
      access_token: string;
      refresh_token: string;
    };
    expect((await post(world, '/oauth/revoke', app, { token: renewedTokens.refresh_token })).status).toBe(200);
    world.advance(30 * day); // Its code and its request for consent go long before its tokens.
    expect([await purge(), await errorCodeOf(renewedTokens.access_token), await count('used_refresh_tokens')]).toEqual([
      2,
      'token_revoked',
      1,
    ]);
    world.advance(1);
    expect([await purge(), await errorCodeOf(renewedTokens.access_token), await count('used_refresh_tokens')]).toEqual([
      3,
      'unauthorized',
      0,
    ]);

    const expiredLink = await link(world, app, world.people.ada, scopes, await ada());
    world.advance(90 * day - second);
    await purge();
    expect(await errorCodeOf(expiredLink.access_token)).toBe('token_revoked');
    world.advance(second + 1);
    expect(await purge()).toBe(1);
    expect([await errorCodeOf(expiredLink.access_token), await count('links')]).toEqual(['unauthorized', links + 2]);
  });
});
