import { crc32 } from 'node:zlib';
import { toBase62 } from '@clockproof/platform/bytes/random-text';
import type { Row } from '@clockproof/platform/database/database';
import { PreparedQuery } from '@clockproof/platform/database/postgres-query';
import { dialects } from '@clockproof/platform/testing/databases';
import { day, formatInstant, hour, parseInstant } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { verifyAll, verifyAudit } from '../src/audit/verify.js';
import { readAhead, stamp } from '../src/clocking/stamp.js';
import { FactsAhead } from '../src/clocking/stamp-rows.js';
import { createKeyText, holderByKey } from '../src/extensions/keys.js';
import { changePerson } from '../src/months/change-person.js';
import { holderByToken } from '../src/oauth/links.js';
import { addPerson } from '../src/people/people.js';
import type { Store } from '../src/write/write.js';
import { factorKeysOf, giveCredentials } from './browser.js';
import { addApp, link } from './linking.js';
import { createWorld, minute, monday, type World } from './world.js';

describe.each(dialects)('clocking on %s', (dialect) => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld(dialect);
  });
  afterEach(() => world.close());
  const clock = (verb: string, person: number, more: object = {}) =>
    world.call('POST', `/api/v1/clock/${verb}`, { key: world.planner.key, body: { user_id: person }, ...more });
  const count = async (table: string) => (await world.db.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`))!.n;

  it('records a day: in, break, back, out – at the time of the service, to the minute', async () => {
    const { ada } = world.people;
    world.set(monday);
    const began = await clock('in', ada);
    expect(began).toMatchObject({
      status: 200,
      body: {
        clock_state: {
          user_id: ada,
          company_id: world.nord,
          state: 'in',
          since: '2026-11-23T07:00:00Z',
          source: { kind: 'extension', id: world.planner.id, name: 'Planner' },
        },
        time_entry: {
          user_id: ada,
          date: '2026-11-23',
          start: '2026-11-23T07:00:00Z',
          breaks: [],
          break_minutes: 0,
          status: 'open',
        },
        server_time: '2026-11-23T07:00:00Z',
      },
    });
    world.advance(4 * hour);
    expect((await clock('break/start', ada)).body).toMatchObject({
      clock_state: { state: 'on_break', since: '2026-11-23T07:00:00Z', break_since: '2026-11-23T11:00:00Z' },
    });
    world.advance(30 * minute + 59_000);
    expect((await clock('break/end', ada)).body).toMatchObject({
      clock_state: { state: 'in' },
      time_entry: { break_minutes: 30, status: 'open' },
    });
    world.advance(4 * hour);
    const ended = await clock('out', ada);
    expect(ended.body).toMatchObject({
      clock_state: { state: 'out' },
      time_entry: { end: '2026-11-23T15:30:59Z', worked_minutes: 480, break_minutes: 30, status: 'recorded' },
    });
    expect(ended.body['clock_state']).not.toHaveProperty('since');
    expect(
      (
        await world.call('GET', `/api/v1/time/entries?from=2026-11-23&to=2026-11-23&user_id=${ada}`, {
          key: world.reader.key,
        })
      ).body,
    ).toMatchObject({ data: [ended.body['time_entry']], has_more: false, next_cursor: null });
  });

  it('begins no entry before the last one has ended, after the clock was set back', async () => {
    const { ada } = world.people;
    const entries = async () =>
      (await world.call('GET', '/api/v1/time/entries?from=2026-11-01&to=2026-11-30', { key: world.reader.key })).body[
        'data'
      ] as { start: string; end: string; worked_minutes: number }[];
    const day = async (from: string, to: string) => {
      world.set(parseInstant(`2026-11-${from}:00Z`)!);
      expect((await clock('in', ada)).status).toBe(200);
      world.set(parseInstant(`2026-11-${to}:00Z`)!);
      expect((await clock('out', ada)).status).toBe(200);
    };
    await day('23T08:00', '23T12:00');
    await day('23T11:50', '23T12:30');
    // Even where all of it lies before.
    await day('22T14:00', '22T15:00');
    expect(await entries()).toMatchObject([
      { start: '2026-11-23T08:00:00Z', end: '2026-11-23T12:00:00Z' },
      { start: '2026-11-23T12:00:00Z', end: '2026-11-23T12:30:00Z' },
      { start: '2026-11-23T12:30:00Z', end: '2026-11-23T12:30:00Z', worked_minutes: 0 },
    ]);
    // A clock that was ahead by more than a day was wrong itself.
    await day('22T12:00', '22T12:25');
    expect((await entries())[0]).toMatchObject({ start: '2026-11-22T12:00:00Z', worked_minutes: 25 });
  });

  it('ends the break too when clocking out during it', async () => {
    const { ada } = world.people;
    await clock('in', ada);
    world.advance(hour);
    await clock('break/start', ada);
    world.advance(20 * minute);
    expect((await clock('out', ada)).body).toMatchObject({
      time_entry: {
        worked_minutes: 60,
        break_minutes: 20,
        breaks: [{ start: expect.any(String), end: expect.any(String) }],
      },
    });
  });

  it('refuses what the state does not allow, with the word for it, and changes nothing', async () => {
    const { ben } = world.people;
    const refusals: [string, string][] = [
      ['out', 'not_clocked_in'],
      ['break/start', 'not_clocked_in'],
      ['break/end', 'not_on_break'],
    ];
    for (const [verb, code] of refusals) expect(await clock(verb, ben)).toMatchObject({ status: 409, body: { code } });
    expect((await clock('in', ben)).status).toBe(200);
    const before = [await count('time_entries'), await count('events'), await count('audit_entries')];
    expect(await clock('in', ben)).toMatchObject({ status: 409, body: { code: 'already_clocked_in' } });
    expect(await clock('break/end', ben)).toMatchObject({ status: 409, body: { code: 'not_on_break' } });
    expect((await clock('break/start', ben)).status).toBe(200);
    expect(await clock('break/start', ben)).toMatchObject({ status: 409, body: { code: 'already_on_break' } });
    expect(await clock('in', ben)).toMatchObject({ status: 409, body: { code: 'already_clocked_in' } });
    expect((await clock('break/end', ben)).status).toBe(200);
    expect((await clock('out', ben)).status).toBe(200);
    expect([await count('time_entries'), await count('events'), await count('audit_entries')]).toEqual([
      before[0],
      before[1]! + 3,
      before[2]! + 3,
    ]);
  });

  it('lets nobody clock after the last day of employment', async () => {
    expect(await clock('in', world.people.cem)).toMatchObject({ status: 409, body: { code: 'employment_ended' } });
    world.set(parseInstant('2026-10-31T22:59:59Z')!);
    expect((await clock('in', world.people.cem)).status).toBe(200);
    expect((await clock('out', world.people.cem)).status).toBe(200);
    // 23:00 UTC is midnight in Berlin: the first of November.
    world.set(parseInstant('2026-10-31T23:00:00Z')!);
    expect(await clock('in', world.people.cem)).toMatchObject({ status: 409, body: { code: 'employment_ended' } });
    world.set(monday + 12 * hour);
  });

  const request = (kind: 'in' | 'out' | 'break_start') =>
    ({
      personId: world.people.ada,
      companyId: world.nord,
      kind,
      at: world.now(),
      source: { kind: 'web' },
      actor: { kind: 'system' },
    }) as const;
  /** The store, with something that happens between the first reading and the first writing of a stamp. */
  const interrupted = (effect: (store: Store) => Promise<unknown>) => {
    const store = world.service.store;
    let batches = 0;
    return {
      ...store,
      batch: async (batch: Parameters<typeof store.batch>[0]) => {
        if (batches++ === 0) await effect(store);
        return store.batch(batch);
      },
    };
  };

  it('decides again where employment ends between the reading and the writing of a stamp', async () => {
    const leaving = interrupted((store) =>
      store.write({ actor: { kind: 'system' }, at: world.now() }, (write) =>
        changePerson(write, world.people.ada, world.nord, { active: false, employmentEnd: '2026-11-23' }),
      ),
    );
    await expect(stamp(leaving, request('in'))).rejects.toMatchObject({ code: 'employment_ended' });
    expect(await count('time_entries')).toBe(0);
  });

  it('decides again where the same person stamped between the reading and the writing of a stamp', async () => {
    await clock('in', world.people.ada);
    const twice = interrupted((store) => stamp(store, request('break_start')));
    await expect(stamp(twice, request('break_start'))).rejects.toMatchObject({ code: 'already_on_break' });
    expect(await world.db.get("SELECT count(*) AS stamps FROM events WHERE type = 'clock.break_start'")).toEqual({
      stamps: 1,
    });
  });

  describe('stamps that arrive together', () => {
    const of = (personId: number, kind: 'in' | 'out' | 'break_start') => ({
      ...request(kind),
      personId,
      companyId: personId === world.people.zoe ? world.sued : world.nord,
    });
    /** The store, counting groups, with something that happens before the first one is written. */
    const counting = (before: (store: Store) => Promise<unknown> = async () => undefined) => {
      const store = world.service.store;
      const groups: { readonly size: number; readonly written: boolean }[] = [];
      let calls = 0;
      const together: Store['together'] = async (batches) => {
        if (calls++ === 0) await before(store);
        const written = await store.together(batches);
        groups.push({ size: batches.length, written });
        return written;
      };
      return { groups, on: { ...store, together } };
    };
    const outcomes = async (stamps: readonly Promise<{ readonly clock_state: { readonly state: string } }>[]) =>
      (await Promise.allSettled(stamps)).map((outcome) =>
        outcome.status === 'fulfilled'
          ? outcome.value.clock_state.state
          : (outcome.reason as { readonly code: string }).code,
      );
    it('are written together, each refused or recorded for itself', async () => {
      const { ada, ben, cem, zoe } = world.people;
      const { groups, on } = counting();
      await stamp(on, of(ben, 'in'));
      const first = stamp(on, of(ada, 'out'));
      const asked = [
        of(ada, 'break_start'),
        of(ben, 'break_start'),
        of(cem, 'in'),
        of(zoe, 'in'),
        of(ada, 'in'),
        of(zoe, 'out'),
      ];
      expect(await outcomes(asked.map((one) => stamp(on, one)))).toEqual([
        'not_clocked_in',
        'on_break',
        'employment_ended',
        'in',
        'in',
        'out',
      ]);
      await expect(first).rejects.toMatchObject({ code: 'not_clocked_in' });
      expect(groups).toEqual([{ size: 3, written: true }]);
      const entries = await world.db.all('SELECT person_id, status FROM time_entries ORDER BY person_id');
      expect(entries).toEqual([
        { person_id: ada, status: 'open' },
        { person_id: ben, status: 'open' },
        { person_id: zoe, status: 'recorded' },
      ]);
      const events = await world.db.all<{ sequence: number; payload: string }>(
        'SELECT * FROM events ORDER BY sequence',
      );
      for (const { sequence, payload } of events) expect(JSON.parse(payload)).toMatchObject({ sequence });
      expect(await verifyAll(world.db)).toMatchObject({ logFaults: [], recordFaults: [], records: { checked: 3 } });
    });

    it('are decided again, each alone, where something changed before they were written', async () => {
      const { ada, ben, zoe } = world.people;
      // Numbers of entries start somewhere.
      await stamp(world.service.store, of(zoe, 'in'));
      const { groups, on } = counting((store) =>
        store.write({ actor: { kind: 'system' }, at: world.now() }, (write) =>
          changePerson(write, ada, world.nord, { active: false, employmentEnd: '2026-11-23' }),
        ),
      );
      const first = stamp(on, of(ben, 'in'));
      const late = [of(ada, 'in'), of(zoe, 'out')].map((one) => stamp(on, one));
      expect(await outcomes([first, ...late])).toEqual(['in', 'employment_ended', 'out']);
      expect(groups).toEqual([{ size: 2, written: false }]);
    });
  });

  describe('facts read before it is known who calls', () => {
    const question = (more: object = {}) => ({ ...request('in'), ...more });
    const read = (key: string, person = world.people.ada, at = world.now()) =>
      new FactsAhead(world.service.store, holderByKey(key, person, at), { kind: 'in', at });
    const revoke = (at: number) =>
      world.db.write((tx) =>
        tx.run('UPDATE api_keys SET revoked_at = :at WHERE extension_id = :id', { at, id: world.planner.id }),
      );

    it('open for the caller, the company and the person of the request alone', async () => {
      const { planner, souther, people } = world;
      const { ada, zoe } = people;
      const open = async (facts: FactsAhead, caller: string, more: object = {}) =>
        (await facts.open(caller, question(more)))?.person.id;
      expect(await open(read(planner.key), planner.id)).toBe(ada);
      expect(await open(read(planner.key), souther.id)).toBeUndefined();
      expect(await open(read(planner.key), planner.id, { personId: people.ben })).toBeUndefined();
      expect(await open(read(planner.key), planner.id, { companyId: world.sued })).toBeUndefined();
      for (const more of [{ kind: 'out' }, { at: world.now() + 1 }, { repeat: { caller: planner.id, key: 'k' } }])
        expect(await open(read(planner.key), planner.id, more)).toBeUndefined();
      // Somebody of another company: authentication finds the caller's own.
      expect(await open(read(planner.key, zoe), planner.id, { personId: zoe })).toBeUndefined();
    });

    it('are none for a key that does not hold', async () => {
      const { planner } = world;
      const opened = (key: string) => read(key).open(planner.id, question());
      // The part that finds the row is right.
      const forged = createKeyText(world.randomBytes);
      const found = `cpk_${planner.key.slice(4, 16)}${forged.slice(16, 48)}`;
      expect(await opened(found + toBase62(crc32(found), 6))).toBeUndefined();
      await revoke(world.now() + 1);
      expect(await opened(planner.key)).toMatchObject({ person: { id: world.people.ada } });
      await revoke(world.now());
      expect(await opened(planner.key)).toBeUndefined();
    });

    it('are none for an access token that has ended, or whose link has', async () => {
      const { ada, ben } = world.people;
      await giveCredentials(world, [ada], await factorKeysOf(world));
      const app = await addApp(world, 'Ahead');
      const { access_token } = await link(world, app, ada, ['write:clock']);
      const set = (sql: string, value: number | string | null) => world.db.write((tx) => tx.run(sql, { value }));
      const find = async (sql: string) => Object.values((await world.db.get<Row>(sql))!)[0] as number | string | null;
      const caller = String(await find('SELECT id FROM links'));
      const opens = async () => {
        const at = world.now();
        const facts = new FactsAhead(world.service.store, holderByToken(access_token, at), { kind: 'in', at });
        return (await facts.open(caller, question()))?.person.id === ada;
      };
      const now = world.now();
      for (const [table, column, ended, holding] of [
        ['access_tokens', 'expires_at', now, now + 1],
        ['links', 'expires_at', now, now + 1],
        ['links', 'ended_at', now, null],
        ['links', 'person_id', ben, ada],
        ['people', 'active', 0, 1],
        ['companies', 'active', 0, 1],
        ['extensions', 'company_id', world.sued, world.nord],
        ['people_access', 'personal_links', 0, 1],
      ] as const) {
        const change = `UPDATE ${table} SET ${column} = :value`;
        const before = await find(`SELECT ${column} FROM ${table}`);
        await set(change, ended);
        expect([table, column, await opens()]).toEqual([table, column, false]);
        await set(change, holding);
        expect([table, column, await opens()]).toEqual([table, column, true]);
        await set(change, before);
      }
    });

    it('spare a stamp its reading, and are read again where they are of no use', async () => {
      const { store } = world.service;
      let reads = 0;
      const on: Store = {
        ...store,
        all: (sql, parameters) => {
          reads++;
          return store.all(sql, parameters);
        },
      };
      const ahead = (caller: string) => ({ facts: read(world.planner.key), caller });
      await stamp(on, { ...request('in'), ahead: ahead(world.planner.id) });
      expect(reads).toBe(0);
      await expect(stamp(on, { ...request('in'), ahead: ahead(world.planner.id) })).rejects.toMatchObject({
        code: 'already_clocked_in',
      });
      await stamp(on, { ...request('out'), ahead: ahead(world.souther.id) });
      expect(reads).toBe(1);
    });

    it('are decided from again where something changed before the writing', async () => {
      const facts = read(world.planner.key);
      await facts.read();
      await clock('in', world.people.ada);
      await expect(
        stamp({ ...world.service.store }, { ...request('in'), ahead: { facts, caller: world.planner.id } }),
      ).rejects.toMatchObject({ code: 'already_clocked_in' });
      expect(await count('time_entries')).toBe(1);
    });

    it('are read for a stamp that comes alone only', async () => {
      const { store } = world.service;
      const holder = holderByKey(world.planner.key, world.people.ada, world.now());
      const ahead = () => readAhead(store, holder, { kind: 'in', at: world.now() });
      const first = ahead();
      expect([first, ahead()]).toEqual([expect.any(FactsAhead), undefined]);
      await first!.read();
      const stamping = stamp(store, request('in'));
      expect(ahead()).toBeUndefined();
      await stamping;
      expect(ahead()).toBeInstanceOf(FactsAhead);
    });

    if (dialect === 'postgres')
      it('go out with the look-up of the caller, by key and by link', async () => {
        await giveCredentials(world, [world.people.ben], await factorKeysOf(world));
        const app = await addApp(world, 'Alone');
        const { access_token } = await link(world, app, world.people.ben, ['write:clock']);
        const byLink = (verb: string) => world.call('POST', `/api/v1/clock/${verb}`, { key: access_token });
        /** Statements of each message that finds a caller or a clock. */
        const messages: number[] = [];
        const { submit } = PreparedQuery.prototype;
        PreparedQuery.prototype.submit = function (connection) {
          const texts = this.statements.map(({ statement }) => statement.text);
          if (texts.some((text) => /clock_states|access_tokens|api_keys [^S]/.test(text))) messages.push(texts.length);
          submit.call(this, connection);
        };
        try {
          // Every connection learns the statements, also those of a first stamp.
          for (const verb of ['in', 'out', 'in', 'out']) {
            expect((await clock(verb, world.people.ada)).status).toBe(200);
            expect((await byLink(verb)).status).toBe(200);
            messages.push(0);
          }
        } finally {
          PreparedQuery.prototype.submit = submit;
        }
        expect(messages.slice(-5)).toEqual([2, 1, 2, 1, 0]);
      });
  });

  it.each([
    ['a day behind begin where the last entry ended', day, 0],
    ['further behind count as they are', day + 1_000, -(day + 1_000)],
  ])('stamps of a clock that is %s', async (_, behind, offset) => {
    await clock('in', world.people.ada);
    world.advance(hour);
    await clock('out', world.people.ada);
    const ended = world.now();
    world.advance(-behind);
    const { body } = await clock('in', world.people.ada);
    expect((body['time_entry'] as { start: string }).start).toBe(formatInstant(ended + offset));
  });

  it('lets no time run backwards inside an entry, whatever the clock says', async () => {
    await clock('in', world.people.ada);
    const start = formatInstant(world.now());
    for (const verb of ['break/start', 'break/end', 'out']) {
      world.advance(-minute);
      expect((await clock(verb, world.people.ada)).status).toBe(200);
    }
    const row = await world.db.get<{ start_at: number; end_at: number; breaks: string }>(
      'SELECT start_at, end_at, breaks FROM time_entries',
    );
    const at = parseInstant(start)!;
    expect(row).toMatchObject({ start_at: at, end_at: at });
    expect(JSON.parse(row!.breaks)).toMatchObject([{}]);
  });

  it('counts elapsed time over the end of summer time', async () => {
    const { ada } = world.people;
    world.set(parseInstant('2026-10-25T00:30:00Z')!);
    await clock('in', ada);
    world.set(parseInstant('2026-10-25T01:30:00Z')!);
    expect((await clock('out', ada)).body).toMatchObject({ time_entry: { date: '2026-10-25', worked_minutes: 60 } });
    world.set(monday + 12 * hour);
  });

  it('lets one of many parallel clock-ins through, also across two processes', async () => {
    const { ben } = world.people;
    const replica = await world.replica();
    const urls = [world.url, replica.url];
    const answers = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        const response = await fetch(`${urls[index % 2]}/api/v1/clock/in`, {
          method: 'POST',
          headers: { authorization: `Bearer ${world.planner.key}`, 'content-type': 'application/json' },
          body: JSON.stringify({ user_id: ben }),
        });
        return `${response.status} ${((await response.json()) as { code?: string }).code ?? ''}`;
      }),
    );
    expect(answers.filter((answer) => answer === '200 ')).toHaveLength(1);
    expect(answers.filter((answer) => answer === '409 already_clocked_in')).toHaveLength(199);
    await clock('out', ben);
  });

  it('lets one of many stamp with an Idempotency-Key that has expired, in any process', async () => {
    const { ada, ben } = world.people;
    const headers = { 'idempotency-key': 'expired' };
    const dora = await world.service.store.write({ actor: { kind: 'system' }, at: world.now() }, (write) =>
      addPerson(write, {
        companyId: world.nord,
        firstName: 'Dora',
        lastName: 'Neu',
        email: 'dora@clockproof.example',
        role: 'employee',
        language: 'en',
        employmentStart: '2020-01-01',
      }),
    );
    expect((await clock('in', ada, { headers })).status).toBe(200);
    world.advance(25 * hour);
    // The first is written alone, the others together.
    const answers = await Promise.all([
      clock('out', ada),
      clock('in', ben, { headers }),
      clock('in', dora, { headers }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 409]);
    expect(answers.find(({ status }) => status === 409)!.body).toMatchObject({ code: 'idempotency_conflict' });
    expect(await world.db.all("SELECT id FROM time_entries WHERE status = 'open'")).toHaveLength(1);
  });

  it('refuses the hundred and first break of an entry, which can still be ended', async () => {
    const { ada } = world.people;
    world.set(monday);
    await clock('in', ada);
    const breaks = Array.from({ length: 99 }, (_, n) => [monday + 2 * n * minute, monday + (2 * n + 1) * minute]);
    await world.db.write((tx) =>
      tx.run('UPDATE time_entries SET breaks = :breaks', { breaks: JSON.stringify(breaks) }),
    );
    world.advance(4 * hour);
    expect((await clock('break/start', ada)).status).toBe(200);
    world.advance(minute);
    expect((await clock('break/end', ada)).status).toBe(200);
    expect(await clock('break/start', ada)).toMatchObject({ status: 409, body: { code: 'too_many_breaks' } });
    const ended = await clock('out', ada);
    expect(ended.status).toBe(200);
    expect((ended.body['time_entry'] as { breaks: object[] }).breaks).toHaveLength(100);
  });

  it('gives a repeated Idempotency-Key the first answer and does nothing again', async () => {
    const { ada, ben } = world.people;
    const headers = { 'idempotency-key': 'attempt-1' };
    const first = await clock('in', ada, { headers });
    world.advance(24 * hour);
    const again = await clock('in', ada, { headers });
    expect([first.status, again.status, again.body]).toEqual([200, 200, first.body]);
    expect(await clock('in', ben, { headers })).toMatchObject({ status: 409, body: { code: 'idempotency_conflict' } });
    expect(await clock('out', ada, { headers })).toMatchObject({ status: 409, body: { code: 'idempotency_conflict' } });
    world.advance(1);
    expect(await clock('in', ada, { headers })).toMatchObject({ status: 409, body: { code: 'already_clocked_in' } });
    await clock('out', ada);
    const parallel = await Promise.all(
      Array.from({ length: 10 }, () => clock('in', ada, { headers: { 'idempotency-key': 'attempt-2' } })),
    );
    expect(new Set(parallel.map((answer) => `${answer.status} ${JSON.stringify(answer.body)}`)).size).toBe(1);
    await clock('out', ada);
  });

  it('takes no time from the caller, no person from elsewhere and no unknown field', async () => {
    const { ada, zoe } = world.people;
    const send = (body: unknown, key = world.planner.key) => world.call('POST', '/api/v1/clock/in', { key, body });
    expect(await send({ user_id: ada, time: '2020-01-01T00:00:00Z' })).toMatchObject({
      status: 400,
      body: { details: [{ field: 'time', code: 'unknown_field' }] },
    });
    expect((await send({})).status).toBe(400);
    for (const id of [zoe, 999_999])
      expect(await send({ user_id: id })).toMatchObject({ status: 404, body: { code: 'not_found' } });
    for (const id of [2 ** 53, 0, -1, 1.5, '1', [1], true]) expect((await send({ user_id: id })).status).toBe(400);
    expect(await send({ user_id: ada }, world.auditor.key)).toMatchObject({
      status: 403,
      body: { code: 'company_mismatch' },
    });
    expect(await send({ user_id: ada }, world.reader.key)).toMatchObject({
      status: 403,
      body: { code: 'insufficient_scope' },
    });
    expect((await world.call('POST', '/api/v1/clock/in', { body: { user_id: ada } })).status).toBe(401);
  });

  it('leaves exactly one audit entry and one event for every stamp, and the chain whole', async () => {
    for (const person of [world.people.ada, world.people.ben]) {
      for (const verb of ['in', 'break/start', 'break/end', 'break/start', 'break/end', 'out']) {
        await clock(verb, person);
        world.advance(minute);
      }
    }
    const kinds = ['in', 'break_start', 'break_end', 'break_start', 'break_end', 'out'].map((kind) => `clock.${kind}`);
    const audited = await world.db.all<{ action: string }>(
      "SELECT action FROM audit_entries WHERE action LIKE 'clock.%' ORDER BY sequence",
    );
    expect(audited.map(({ action }) => action)).toEqual([...kinds, ...kinds]);
    const told = await world.db.all<{ type: string }>('SELECT type FROM events ORDER BY sequence');
    expect(told.map(({ type }) => type)).toEqual([...kinds, ...kinds]);
    const events = await world.db.all<{ sequence: number; payload: string }>(
      'SELECT sequence, payload FROM events ORDER BY sequence',
    );
    for (const { sequence, payload } of events)
      expect(JSON.parse(payload)).toMatchObject({
        sequence,
        type: expect.stringMatching(/^clock\./),
        company_id: world.nord,
        data: { clock_state: {}, time_entry: {} },
      });
    expect(await verifyAudit(world.db)).toMatchObject({ intact: true });
    await expect(
      world.db.write((tx) => tx.run("UPDATE audit_entries SET action = 'nothing' WHERE sequence = 3")),
    ).rejects.toThrow('append-only');
    await expect(world.db.write((tx) => tx.run('DELETE FROM audit_entries WHERE sequence = 3'))).rejects.toThrow(
      'append-only',
    );
  });
});
