import { crc32 } from 'node:zlib';
import { toBase62 } from '@clockproof/platform/bytes/random-text';
import { parserProblems } from '@clockproof/platform/http/server';
import { dialects } from '@clockproof/platform/testing/databases';
import { day, formatInstant, hour } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { issueKey } from '../src/extensions/keys.js';
import { errors, operations } from '../src/generated/contract.js';
import { document } from '../src/generated/service-document.js';
import { changeDepartmentName, saveCompanyChange } from '../src/people/people.js';
import { sealAll } from '../src/store/seal.js';
import type { Write } from '../src/store/write.js';
import { sendAbsence, sendStamp } from './builders.js';
import { type Answer, allScopes, createWorld, minute, monday, type World } from './world.js';
import { berlin, zone } from './zones.js';

async function workAWeek(world: World): Promise<void> {
  for (let index = 0; index < 7; index++) {
    world.set(monday + index * day);
    for (const person of [world.people.ada, world.people.ben]) {
      await sendStamp(world, 'in', person);
      world.advance(hour);
      await sendStamp(world, 'out', person);
    }
    for (const verb of ['in', 'out']) await sendStamp(world, verb, world.people.zoe);
  }
}

describe.each(dialects)('reading on %s', (dialect) => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld(dialect, { prepared: { name: 'reading', run: workAWeek } });
  });
  afterEach(() => world.close());
  const get = (path: string, key?: string) => world.call('GET', `/api/v1/${path}`, key === undefined ? {} : { key });
  const data = (answer: Answer) => answer.body['data'] as Record<string, unknown>[];
  const ids = (answer: Answer) => data(answer).map((row) => row['id']);
  async function walk(path: string, key: string): Promise<{ ids: unknown[]; pages: number; last: Answer }> {
    const collectedIds: unknown[] = [];
    let last = await get(path, key);
    let pages = 1;
    for (; ; pages++) {
      collectedIds.push(...ids(last));
      if (last.body['has_more'] === false) return { ids: collectedIds, pages, last };
      last = await get(`${path}&cursor=${last.body['next_cursor'] as string}`, key);
    }
  }

  it('the status is readable without a key', async () => {
    expect((await get('status')).body).toEqual({
      version: '1.2.0',
      api_versions: ['v1'],
      server_time: formatInstant(world.now()),
      features: {
        extensions: true,
        people_writes: true,
        personal_links: true,
        terminals: true,
        webhooks: true,
        websocket: true,
      },
    });
  });

  it('a bound key reads its own company and a free key all of them', async () => {
    expect(ids(await get('companies', world.reader.key))).toEqual([world.nord]);
    expect(data(await get('companies', world.auditor.key))).toMatchObject([
      { id: world.nord, departments: [{ name: 'Office' }, { name: 'Yard' }] },
      { id: world.sued, departments: [] },
    ]);
    expect(ids(await get('users', world.reader.key))).toEqual([world.people.ada, world.people.ben, world.people.cem]);
    expect(ids(await get('users', world.auditor.key))).toContain(world.people.zoe);
    expect(data(await get(`users?company_id=${world.sued}`, world.auditor.key))).toMatchObject([
      {
        first_name: 'Zoe',
        display_name: 'Zoe Weit',
        email: 'zoe@clockproof.example',
        time_zone: 'Europe/Berlin',
        active: true,
      },
    ]);
    expect(data(await get('clock/states', world.reader.key))).toHaveLength(3);
    expect(data(await get('clock/states?state=in', world.auditor.key))).toEqual([]);
  });

  it('records of another company are answered like missing ones', async () => {
    const { zoe } = world.people;
    for (const path of [
      'users?company_id=ID',
      'clock/states?company_id=ID',
      'time/entries?from=2026-11-01&to=2026-11-30&company_id=ID',
      'events?company_id=ID',
    ]) {
      const [foreignAnswer, unknownAnswer] = [
        await get(path.replace('ID', String(world.sued)), world.planner.key),
        await get(path.replace('ID', '424242'), world.planner.key),
      ];
      expect([foreignAnswer.status, { ...foreignAnswer.body, request_id: '' }]).toEqual([
        404,
        { ...unknownAnswer.body, request_id: '' },
      ]);
    }
    for (const path of ['clock/states?user_id=ID', 'time/entries?from=2026-11-01&to=2026-11-30&user_id=ID']) {
      for (const id of [zoe, 424242])
        expect((await get(path.replace('ID', String(id)), world.planner.key)).body['code']).toBe('not_found');
    }
  });

  it('pages cover a period without gap or repetition, in the order of days', async () => {
    const all = await get('time/entries?from=2026-11-23&to=2026-11-29&limit=500', world.auditor.key);
    expect(ids(all)).toHaveLength(21);
    expect(data(all).map((row) => row['date'])).toEqual([...data(all).map((row) => row['date'] as string)].sort());
    const result = await walk('time/entries?from=2026-11-23&to=2026-11-29&limit=4', world.auditor.key);
    expect([result.ids, result.pages]).toEqual([ids(all), 6]);
    expect(ids(await get('time/entries?from=2026-11-24&to=2026-11-24', world.planner.key))).toHaveLength(2);
  });

  it.each([
    'from=2026-11-23',
    'to=2026-11-23',
    '',
    'from=2026-11-23&to=2026-11-22',
    'from=2025-11-23&to=2026-11-24',
    'from=2026-02-30&to=2026-03-01',
    'from=2026-11-01&to=2026-11-02&updated_since=2026-11-01',
    'updated_since=yesterday%20noon',
    'updated_since=2026-11-01T00:00',
    'updated_since=0000-01-01T00:00:00Z',
    'updated_since=s1_00000000ffffffff',
    'from=2026-11-01&to=2026-11-02&limit=0',
    'from=2026-11-01&to=2026-11-02&limit=501',
  ])('reading refuses %s', async (query) => {
    expect(await get(`time/entries?${query}`, world.reader.key)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', details: [{}] },
    });
  });

  it('reading answers at both ends of the calendar, and refuses periods beyond', async () => {
    const period = (from: string, to: string) => get(`time/entries?from=${from}&to=${to}`, world.reader.key);
    expect((await period('1970-01-01', '1970-01-02')).status).toBe(200);
    expect((await period('2199-12-30', '2199-12-31')).status).toBe(200);
    for (const [from, to] of [
      ['9999-12-30', '9999-12-31'],
      ['2200-01-01', '2200-01-02'],
      ['0000-01-01', '0000-01-02'],
      ['0099-01-01', '0999-12-31'],
      ['1969-12-31', '1970-01-01'],
    ] as const)
      expect((await period(from, to)).status).toBe(400);
    const absence = (date: string) =>
      world.call('POST', '/api/v1/absences', {
        key: world.planner.key,
        body: { user_id: world.people.ada, type: 'home_office', start_date: date, end_date: date },
      });
    expect((await absence('9999-12-31')).status).toBe(400);
  });

  it('a period may have 366 days, counted inclusively', async () => {
    expect((await get('time/entries?from=2025-11-23&to=2026-11-23', world.reader.key)).status).toBe(200);
  });

  it('a cursor that was altered, or belongs to another caller or other filters, is refused', async () => {
    const path = 'time/entries?from=2026-11-23&to=2026-11-29&limit=2';
    const cursor = (await get(path, world.planner.key)).body['next_cursor'] as string;
    expect((await get(`${path}&cursor=${cursor}`, world.planner.key)).status).toBe(200);
    const alteredCursor = cursor.slice(0, 10) + (cursor[10] === 'A' ? 'B' : 'A') + cursor.slice(11);
    for (const [at, key, value] of [
      [path, world.planner.key, alteredCursor],
      [path, world.souther.key, cursor],
      [path, world.reader.key, cursor],
      [path.replace('11-29', '11-28'), world.planner.key, cursor],
      [path, world.planner.key, 'c1_AAAA'],
      ['users?limit=1', world.planner.key, cursor],
    ] as const) {
      expect((await get(`${at}&cursor=${value}`, key)).body).toMatchObject({ code: 'invalid_cursor' });
    }
  });

  it('the change feed is in the order of commit: every change once, nothing missed', async () => {
    const first = await walk('time/entries?updated_since=1970-01-01&limit=5', world.auditor.key);
    expect([new Set(first.ids).size, first.pages]).toEqual([21, 5]);
    const next = first.last.body['next_updated_since'] as string;
    expect(data(await get(`time/entries?updated_since=${next}`, world.auditor.key))).toEqual([]);
    await sendStamp(world, 'in');
    const changes = await get(`time/entries?updated_since=${next}`, world.auditor.key);
    expect(data(changes)).toMatchObject([{ user_id: world.people.ada, status: 'open' }]);
    world.advance(minute);
    await sendStamp(world, 'out');
    expect(
      data(await get(`time/entries?updated_since=${changes.body['next_updated_since'] as string}`, world.auditor.key)),
    ).toMatchObject([{ id: data(changes)[0]!['id'], status: 'recorded' }]);
    expect(data(await get(`time/entries?updated_since=${formatInstant(world.now())}`, world.auditor.key))).toHaveLength(
      1,
    );
  });

  it('a walk ends where the order stood when it began: a later change belongs to the next one', async () => {
    const path = 'time/entries?updated_since=1970-01-01&limit=20';
    const first = await get(path, world.auditor.key);
    const { id } = (await sendStamp(world, 'in')).time_entry;
    const second = await get(`${path}&cursor=${first.body['next_cursor'] as string}`, world.auditor.key);
    expect([ids(first).length, ids(second).length, second.body['has_more']]).toEqual([20, 1, false]);
    const next = `time/entries?updated_since=${second.body['next_updated_since'] as string}`;
    expect(ids(await get(next, world.auditor.key))).toEqual([id]);
  });

  it('a walk through events ends where it began, too', async () => {
    const firstPage = await get('events?limit=40', world.auditor.key);
    await sendStamp(world, 'in');
    const secondPage = await get(
      `events?limit=40&cursor=${firstPage.body['next_cursor'] as string}`,
      world.auditor.key,
    );
    expect([ids(firstPage).length, ids(secondPage).length, secondPage.body['has_more']]).toEqual([40, 2, false]);
    expect(data(await get(`events?after=${secondPage.body['next_after'] as number}`, world.auditor.key))).toMatchObject(
      [{ type: 'clock.in' }],
    );
  });

  it('people have the time zone of their company and the name of their department in changes', async () => {
    const { ada, ben, cem } = world.people;
    const changedSince = async (token: unknown) => {
      const answer = await get(`users?updated_since=${token as string}`, world.auditor.key);
      return { people: ids(answer), token: answer.body['next_updated_since'] };
    };
    const write = <T>(effect: (write: Write) => Promise<T>) =>
      world.service.store.write({ actor: { kind: 'system' }, at: world.now() }, effect);
    const { token } = await changedSince('1970-01-01');
    const companiesSince = async (since: unknown) => {
      const answer = await get(`companies?updated_since=${since as string}`, world.auditor.key);
      return { companies: ids(answer), token: answer.body['next_updated_since'] };
    };
    const companies = await companiesSince('1970-01-01');
    expect(companies.companies.sort()).toEqual([world.nord, world.sued].sort());
    await write((tx) => saveCompanyChange(tx, world.nord, { name: 'Nordlicht SE' }));
    const nameChange = await changedSince(token);
    expect(nameChange.people).toEqual([]);
    await write((tx) => saveCompanyChange(tx, world.nord, { time_zone: zone('Europe/Vienna') }));
    const zoneChange = await changedSince(nameChange.token);
    expect(zoneChange.people).toEqual([ada, ben, cem]);
    const companyChange = await companiesSince(companies.token);
    expect(companyChange.companies).toEqual([world.nord]);
    await write((tx) => changeDepartmentName(tx, world.nord, world.office, 'Front office'));
    expect((await changedSince(zoneChange.token)).people).toEqual([ada]);
    expect((await companiesSince(companyChange.token)).companies).toEqual([world.nord]);
    await write((tx) => saveCompanyChange(tx, world.nord, { time_zone: berlin }));
  });

  it.each([
    ['read:leave_entries', ['read:leave_entries'], ['leave']],
    ['both scopes of the clock', ['read:clock_states', 'read:time_entries'], ['clock']],
    ['every scope', allScopes, ['clock', 'leave']],
    ['one scope of the clock', ['read:clock_states'], []],
    ['the other scope of the clock', ['read:time_entries'], []],
  ] as const)('events are limited to those the key may read: %s', async (_, scopes, families) => {
    await sendAbsence(world, { type: 'sickness' });
    await world.db.write((tx) =>
      tx.run('UPDATE extensions SET scopes = :scopes WHERE id = :id', {
        id: world.auditor.id,
        scopes: JSON.stringify(scopes),
      }),
    );
    const events = await get('events?limit=500', world.auditor.key);
    expect([...new Set(data(events).map((event) => (event['type'] as string).split('.')[0]))].sort()).toEqual(families);
  });

  it('events are narrowed to the requested types, and never widened', async () => {
    const typesOf = async (query: string, key: string) =>
      data(await get(`events?limit=500&${query}`, key)).map((event) => event['type'] as string);
    const all = await typesOf('', world.auditor.key);
    for (const types of ['clock.in', 'clock.in,leave.approved', 'leave.requested'])
      expect(await typesOf(`types=${types}`, world.auditor.key)).toEqual(
        all.filter((type) => types.split(',').includes(type)),
      );
    expect(new Set(await typesOf('types=clock.in,leave.approved', world.reader.key))).toEqual(new Set(['clock.in']));
    expect((await walk('events?limit=3&types=leave.approved', world.auditor.key)).ids).toEqual(
      ids(await get('events?limit=500&types=leave.approved', world.auditor.key)),
    );
    const clockInPage = await get('events?limit=1&types=clock.in', world.auditor.key);
    // What it leaves out is behind the reader, too.
    expect((await get('events?types=ping', world.auditor.key)).body).toMatchObject({
      data: [],
      next_after: (await get('events?limit=500', world.auditor.key)).body['next_after'],
    });
    for (const query of [
      'types=',
      'types=clock.in,clock.in',
      'types=clock',
      'types=shift.published',
      `limit=1&types=clock.out&cursor=${clockInPage.body['next_cursor'] as string}`,
    ])
      expect((await get(`events?${query}`, world.auditor.key)).status).toBe(400);
  });

  it('a key pulls events only with permission for their content', async () => {
    const all = await get('events?limit=500', world.auditor.key);
    expect(data(all)).toHaveLength(42);
    expect(
      data(await get('events?limit=500', world.planner.key)).every((event) => event['company_id'] === world.nord),
    ).toBe(true);
    const middleId = data(all)[20]!['id'] as string;
    expect(data(await get(`events?after=${middleId}&limit=500`, world.auditor.key))).toEqual(data(all).slice(21));
    expect((await get('events?after=9007199254740991', world.auditor.key)).body).toMatchObject({
      code: 'invalid_request',
    });
    for (const foreignId of [`${middleId.slice(0, 'evt_'.length + 8)}1fffffffffffff`, `evt_ffffffff${'0'.repeat(14)}`])
      expect((await get(`events?after=${foreignId}`, world.auditor.key)).body).toMatchObject({
        code: 'history_changed',
      });
    expect((await walk('events?limit=10', world.auditor.key)).ids).toEqual(ids(all));
    await sealAll(world.service.store, world.now);
    world.advance(31 * day);
    expect((await get(`events?after=${middleId}`, world.auditor.key)).body).toMatchObject({
      code: 'sync_window_exceeded',
    });
    world.advance(-31 * day);
  });

  it('an incomplete or unknown key is refused with 401 and a challenge', async () => {
    const goodKey = world.reader.key;
    const alteredKey = goodKey.slice(0, 30) + (goodKey[30] === 'a' ? 'b' : 'a') + goodKey.slice(31);
    // The beginning that finds the row, another secret, and the checksum that goes with it.
    const body = goodKey.slice(0, 16) + '0'.repeat(32);
    const forgedKey = body + toBase62(crc32(body), 6);
    for (const key of [undefined, 'nonsense', goodKey.slice(0, -1), alteredKey, forgedKey, ''])
      expect(await get('users', key)).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
    expect((await get('users')).headers.get('www-authenticate')).toBe('Bearer realm="clockproof"');
    expect((await get('users', alteredKey)).headers.get('www-authenticate')).toBe(
      'Bearer realm="clockproof", error="invalid_token"',
    );
  });

  it('a key is accepted in a header, and in both headers only if it is the same', async () => {
    const goodKey = world.reader.key;
    const ask = (key: string | undefined, headers: Readonly<Record<string, string>>) =>
      world.call('GET', '/api/v1/users', { ...(key === undefined ? {} : { key }), headers });
    expect((await ask(undefined, { 'x-api-key': goodKey })).status).toBe(200);
    // The same key twice is one credential; two keys could be two callers.
    expect((await ask(goodKey, { 'x-api-key': goodKey })).status).toBe(200);
    for (const otherKey of [world.planner.key, 'nonsense'])
      expect((await ask(goodKey, { 'x-api-key': otherKey })).status).toBe(401);
    expect((await ask(undefined, { authorization: `Basic ${goodKey}`, 'x-api-key': goodKey })).status).toBe(401);
    expect((await get(`users?api_key=${goodKey}`)).status).toBe(401);
  });

  it('an expired or revoked key is refused', async () => {
    const expiringKey = await world.db.write((tx) =>
      issueKey(tx, world.reader.id, world.now(), world.randomBytes, world.now() + hour),
    );
    expect((await get('users', expiringKey)).status).toBe(200);
    world.advance(hour);
    expect((await get('users', expiringKey)).body).toMatchObject({ code: 'token_expired' });
    await world.db.write((tx) =>
      tx.run('UPDATE api_keys SET revoked_at = :at WHERE expires_at IS NOT NULL', { at: world.now() - 1 }),
    );
    expect((await get('users', expiringKey)).body).toMatchObject({ code: 'token_revoked' });
  });

  it('a key without the scope is refused', async () => {
    await world.db.write((tx) =>
      tx.run('UPDATE extensions SET scopes = :scopes WHERE id = :id', {
        id: world.reader.id,
        scopes: '["read:users"]',
      }),
    );
    expect((await get('users', world.reader.key)).status).toBe(200);
    for (const path of ['clock/states', 'time/entries?from=2026-11-23&to=2026-11-23'])
      expect((await get(path, world.reader.key)).body).toMatchObject({ code: 'insufficient_scope' });
  });

  it('a valid key is refused where a personal link is required, each time, without a failure count', async () => {
    for (let turn = 0; turn < 40; turn++)
      expect(await get('me', world.planner.key)).toMatchObject({
        status: 403,
        body: { code: 'wrong_credential_kind' },
      });
    expect((await get('users')).status).toBe(401);
  });

  it('a metadata request accepts any query', async () => {
    expect((await world.call('GET', '/.well-known/oauth-authorization-server?x=1&x=2')).status).toBe(200);
  });

  it('a malformed request is refused with the sentences of the contract', () => {
    for (const [status, { code, error }] of Object.entries(parserProblems))
      expect(errors[code as keyof typeof errors]).toEqual({ status: Number(status), error });
  });

  it('the database stores no readable key', async () => {
    const rows = JSON.stringify([
      await world.db.all('SELECT * FROM api_keys'),
      await world.db.all('SELECT * FROM audit_entries'),
      await world.db.all('SELECT * FROM events'),
    ]);
    for (const { key } of [world.planner, world.reader, world.auditor, world.souther])
      expect(rows).not.toContain(key.slice(16, 48));
  });

  it('no operation answers 501', async () => {
    const answers = new Map<string, number>();
    for (const [id, { method, path }] of Object.entries(operations))
      answers.set(
        id,
        (await world.call(method.toUpperCase(), path.replace('{id}', '1'), { key: world.auditor.key })).status,
      );
    expect(
      [...answers]
        .filter(([, status]) => status === 501)
        .map(([id]) => id)
        .sort(),
    ).toEqual([]);
    const paths = (
      document as { paths: Record<string, Record<string, { operationId: string; responses: Record<string, unknown> }>> }
    ).paths;
    const operationIds = Object.values(paths)
      .flatMap((methods) => Object.values(methods))
      .filter((operation) => operation.responses?.['501'] !== undefined)
      .map((operation) => operation.operationId);
    expect(operationIds).toEqual([]);
  });
});

describe('limits', () => {
  it('a key may ask as often as set within any 60 seconds, and learns when to retry', async () => {
    const world = await createWorld('sqlite', { env: { RATE_API_PER_MINUTE: '5', RATE_IP_PER_MINUTE: '7' } });
    const ask = (key?: string) => world.call('GET', '/api/v1/status', key === undefined ? {} : { key });
    const list = () => world.call('GET', '/api/v1/users', { key: world.reader.key });
    for (let index = 0; index < 5; index++)
      expect((await list()).headers.get('ratelimit')).toBe(`"key";r=${4 - index};t=60`);
    world.advance(10_000);
    const refusal = await list();
    expect([
      refusal.status,
      refusal.body['code'],
      refusal.headers.get('retry-after'),
      refusal.headers.get('ratelimit-policy'),
    ]).toEqual([429, 'rate_limited', '50', '"key";q=5;w=60']);
    for (let index = 0; index < 7; index++) expect((await ask()).status).toBe(200);
    expect((await ask()).status).toBe(429);
    world.advance(49_999);
    expect((await list()).status).toBe(429);
    world.advance(1);
    expect((await list()).status).toBe(200);
    await world.close();
  });

  it('guessing ends after 30 failures within 60 seconds, while the right key still works', async () => {
    const world = await createWorld('sqlite');
    const guess = (key: string) => world.call('GET', '/api/v1/users', { key });
    const wrongKey = `${world.reader.key.slice(0, -1)}_`;
    for (let index = 0; index < 30; index++) {
      expect((await guess(wrongKey)).status).toBe(401);
      world.advance(1_900);
    }
    expect((await guess(wrongKey)).status).toBe(429);
    expect((await guess(world.reader.key)).status).toBe(200);
    await world.close();
  });
});
