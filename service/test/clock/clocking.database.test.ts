import { dialects } from '@clockproof/platform/testing/databases';
import { day, formatInstant, hour, parseInstant } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { stamp } from '../../src/clock/stamp.js';
import { verifyAudit } from '../../src/store/audit/verify.js';
import { changePersonRecord } from '../../src/working-time/change-person.js';
import { createWorld, minute, monday, type World } from '../world.js';

describe.each(dialects)('clocking on %s', (dialect) => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld(dialect);
  });
  afterEach(() => world.close());
  const clock = (verb: string, person: number, options: object = {}) =>
    world.call('POST', `/api/v1/clock/${verb}`, { key: world.planner.key, body: { user_id: person }, ...options });
  const count = async (table: string) => (await world.db.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`))!.n;

  it('clocking records a day: in, break, back, out – at the time of the service, to the minute', async () => {
    const { ada } = world.people;
    world.set(monday);
    const clockIn = await clock('in', ada);
    expect(clockIn).toMatchObject({
      status: 200,
      body: {
        clock_state: {
          user_id: ada,
          company_id: world.nord,
          state: 'in',
          since: '2026-11-23T07:00:00.684Z',
          source: { kind: 'extension', id: world.planner.id, name: 'Planner' },
        },
        time_entry: {
          user_id: ada,
          date: '2026-11-23',
          start: '2026-11-23T07:00:00.684Z',
          breaks: [],
          break_minutes: 0,
          status: 'open',
        },
        server_time: '2026-11-23T07:00:00.684Z',
      },
    });
    world.advance(4 * hour);
    expect((await clock('break/start', ada)).body).toMatchObject({
      clock_state: { state: 'on_break', since: '2026-11-23T07:00:00.684Z', break_since: '2026-11-23T11:00:00.684Z' },
    });
    world.advance(30 * minute + 59_000);
    expect((await clock('break/end', ada)).body).toMatchObject({
      clock_state: { state: 'in' },
      time_entry: { break_minutes: 30, status: 'open' },
    });
    world.advance(4 * hour);
    const clockOut = await clock('out', ada);
    expect(clockOut.body).toMatchObject({
      clock_state: { state: 'out' },
      time_entry: { end: '2026-11-23T15:30:59.684Z', worked_minutes: 480, break_minutes: 30, status: 'recorded' },
    });
    expect(clockOut.body['clock_state']).not.toHaveProperty('since');
    expect(
      (
        await world.call('GET', `/api/v1/time/entries?from=2026-11-23&to=2026-11-23&user_id=${ada}`, {
          key: world.reader.key,
        })
      ).body,
    ).toMatchObject({ data: [clockOut.body['time_entry']], has_more: false, next_cursor: null });
  });

  it('a clock-in begins no entry before the last one has ended, after the clock was set back', async () => {
    const { ada } = world.people;
    const entries = async () =>
      (await world.call('GET', '/api/v1/time/entries?from=2026-11-01&to=2026-11-30', { key: world.reader.key })).body[
        'data'
      ] as { start: string; end: string; worked_minutes: number }[];
    const work = async (from: string, to: string) => {
      world.set(parseInstant(`2026-11-${from}:00Z`)!);
      expect((await clock('in', ada)).status).toBe(200);
      world.set(parseInstant(`2026-11-${to}:00Z`)!);
      expect((await clock('out', ada)).status).toBe(200);
    };
    await work('23T08:00', '23T12:00');
    await work('23T11:50', '23T12:30');
    // Even where all of it lies before.
    await work('22T14:00', '22T15:00');
    expect(await entries()).toMatchObject([
      { start: '2026-11-23T08:00:00Z', end: '2026-11-23T12:00:00Z' },
      { start: '2026-11-23T12:00:00Z', end: '2026-11-23T12:30:00Z' },
      { start: '2026-11-23T12:30:00Z', end: '2026-11-23T12:30:00Z', worked_minutes: 0 },
    ]);
    // A clock that was ahead by more than a day was wrong itself.
    await work('22T12:00', '22T12:25');
    expect((await entries())[0]).toMatchObject({ start: '2026-11-22T12:00:00Z', worked_minutes: 25 });
  });

  it('clocking out during a break ends the break too', async () => {
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

  it('a stamp that the state does not allow is refused with its own code, and changes nothing', async () => {
    const { ben } = world.people;
    const refusals: [string, string][] = [
      ['out', 'not_clocked_in'],
      ['break/start', 'not_clocked_in'],
      ['break/end', 'not_on_break'],
    ];
    for (const [verb, code] of refusals) expect(await clock(verb, ben)).toMatchObject({ status: 409, body: { code } });
    expect((await clock('in', ben)).status).toBe(200);
    const countsBefore = [await count('time_entries'), await count('events'), await count('audit_entries')];
    expect(await clock('in', ben)).toMatchObject({ status: 409, body: { code: 'already_clocked_in' } });
    expect(await clock('break/end', ben)).toMatchObject({ status: 409, body: { code: 'not_on_break' } });
    expect((await clock('break/start', ben)).status).toBe(200);
    expect(await clock('break/start', ben)).toMatchObject({ status: 409, body: { code: 'already_on_break' } });
    expect(await clock('in', ben)).toMatchObject({ status: 409, body: { code: 'already_clocked_in' } });
    expect((await clock('break/end', ben)).status).toBe(200);
    expect((await clock('out', ben)).status).toBe(200);
    expect([await count('time_entries'), await count('events'), await count('audit_entries')]).toEqual([
      countsBefore[0],
      countsBefore[1]! + 3,
      countsBefore[2]! + 3,
    ]);
  });

  it('a clock-in after the last day of employment is refused', async () => {
    expect(await clock('in', world.people.cem)).toMatchObject({ status: 409, body: { code: 'employment_ended' } });
    world.set(parseInstant('2026-10-31T22:59:59Z')!);
    expect((await clock('in', world.people.cem)).status).toBe(200);
    expect((await clock('out', world.people.cem)).status).toBe(200);
    // 23:00 UTC is midnight in Berlin: the first of November.
    world.set(parseInstant('2026-10-31T23:00:00Z')!);
    expect(await clock('in', world.people.cem)).toMatchObject({ status: 409, body: { code: 'employment_ended' } });
    world.set(monday + 12 * hour);
  });

  const stampAda = (kind: 'in' | 'out') =>
    world.service.store.write({ actor: { kind: 'system' }, at: world.now() }, (write) =>
      stamp(write, { personId: world.people.ada, companyId: world.nord, kind, source: { kind: 'web' } }),
    );

  it('a stamp waits for a running end of employment, and is refused once that is committed', async () => {
    let signalStart = () => {};
    const startSignal = new Promise<void>((resolve) => (signalStart = resolve));
    let signalFinish = () => {};
    const finishSignal = new Promise<void>((resolve) => (signalFinish = resolve));
    const deactivation = world.service.store.write({ actor: { kind: 'system' }, at: world.now() }, async (write) => {
      await changePersonRecord(write, world.people.ada, world.nord, { active: 0, employment_end: '2026-11-23' });
      signalStart();
      await finishSignal;
    });
    await startSignal;
    const stampOutcome = stampAda('in').catch((error: { code: string }) => error.code);
    signalFinish();
    await deactivation;
    expect(await stampOutcome).toBe('employment_ended');
    expect(await count('time_entries')).toBe(0);
  });

  it('a stamp is written before an end of employment that waits for it', async () => {
    const [clockIn, openEntries] = await Promise.all([
      stampAda('in'),
      world.service.store.write({ actor: { kind: 'system' }, at: world.now() }, async (write) => {
        await write.lock({ people: [world.people.ada] });
        return write.all("SELECT id FROM time_entries WHERE status = 'open'");
      }),
    ]);
    // Whichever came first: either it sees the entry, or it came before.
    expect(openEntries.length === 0 || (openEntries[0] as { id: number }).id === clockIn.time_entry.id).toBe(true);
  });

  it.each([
    ['a day behind begin where the last entry ended', day, 0],
    ['further behind count as they are', day + 1_000, -(day + 1_000)],
  ])('stamps of a clock that is %s', async (_, lag, offset) => {
    await clock('in', world.people.ada);
    world.advance(hour);
    await clock('out', world.people.ada);
    const lastEnd = world.now();
    world.advance(-lag);
    const { body } = await clock('in', world.people.ada);
    expect((body['time_entry'] as { start: string }).start).toBe(formatInstant(lastEnd + offset));
  });

  it('time never runs backwards inside an entry, for any clock', async () => {
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

  it('clocking counts elapsed time over the end of summer time', async () => {
    const { ada } = world.people;
    world.set(parseInstant('2026-10-25T00:30:00Z')!);
    await clock('in', ada);
    world.set(parseInstant('2026-10-25T01:30:00Z')!);
    expect((await clock('out', ada)).body).toMatchObject({ time_entry: { date: '2026-10-25', worked_minutes: 60 } });
    world.set(monday + 12 * hour);
  });

  it('one of many parallel clock-ins succeeds, also across two processes', async () => {
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

  it('one of many stamps with an expired Idempotency-Key succeeds, in any process', async () => {
    const { ada, ben } = world.people;
    const headers = { 'idempotency-key': 'expired' };
    const dora = await world.hire({
      firstName: 'Dora',
      lastName: 'Neu',
      email: 'dora@clockproof.example',
      employmentStart: '2020-01-01',
    });
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

  it('the hundred and first break of an entry is refused, and the entry can still be ended', async () => {
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
    const clockOut = await clock('out', ada);
    expect(clockOut.status).toBe(200);
    expect((clockOut.body['time_entry'] as { breaks: object[] }).breaks).toHaveLength(100);
  });

  it('a repeated Idempotency-Key gets the first answer and does nothing again', async () => {
    const { ada, ben } = world.people;
    const headers = { 'idempotency-key': 'attempt-1' };
    const firstAnswer = await clock('in', ada, { headers });
    world.advance(24 * hour);
    const secondAnswer = await clock('in', ada, { headers });
    expect([firstAnswer.status, secondAnswer.status, secondAnswer.body]).toEqual([200, 200, firstAnswer.body]);
    expect([firstAnswer, secondAnswer].map((answer) => answer.headers.get('idempotent-replayed'))).toEqual([
      null,
      'true',
    ]);
    expect(await clock('in', ben, { headers })).toMatchObject({ status: 409, body: { code: 'idempotency_conflict' } });
    expect(await clock('out', ada, { headers })).toMatchObject({ status: 409, body: { code: 'idempotency_conflict' } });
    world.advance(1);
    expect(await clock('in', ada, { headers })).toMatchObject({ status: 409, body: { code: 'already_clocked_in' } });
    await clock('out', ada);
    const parallelAnswers = await Promise.all(
      Array.from({ length: 10 }, () => clock('in', ada, { headers: { 'idempotency-key': 'attempt-2' } })),
    );
    expect(new Set(parallelAnswers.map((answer) => `${answer.status} ${JSON.stringify(answer.body)}`)).size).toBe(1);
    await clock('out', ada);
  });

  it('a stamp takes no time from the caller, no person of another company and no unknown field', async () => {
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
    const refusal = await send({ user_id: ada }, world.reader.key);
    expect(refusal).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } });
    expect(refusal.headers.get('www-authenticate')).toContain('error="insufficient_scope", scope="write:clock"');
    expect((await world.call('POST', '/api/v1/clock/in', { body: { user_id: ada } })).status).toBe(401);
  });

  it('every stamp leaves exactly one audit entry and one event, and an intact log', async () => {
    for (const person of [world.people.ada, world.people.ben]) {
      for (const verb of ['in', 'break/start', 'break/end', 'break/start', 'break/end', 'out']) {
        await clock(verb, person);
        world.advance(minute);
      }
    }
    const kinds = ['in', 'break_start', 'break_end', 'break_start', 'break_end', 'out'].map((kind) => `clock.${kind}`);
    const auditEntries = await world.db.all<{ action: string }>(
      "SELECT action FROM audit_entries WHERE action LIKE 'clock.%' ORDER BY sequence",
    );
    expect(auditEntries.map(({ action }) => action)).toEqual([...kinds, ...kinds]);
    const events = await world.db.all<{ type: string }>(
      "SELECT type FROM events WHERE type LIKE 'clock.%' ORDER BY sequence",
    );
    expect(events.map(({ type }) => type)).toEqual([...kinds, ...kinds]);
    for (const { payload } of await world.db.all<{ payload: string }>(
      "SELECT payload FROM events WHERE type LIKE 'clock.%'",
    ))
      expect(JSON.parse(payload)).toMatchObject({
        company_id: world.nord,
        data: { clock_state: {}, time_entry: {} },
      });
    expect(await verifyAudit(world.db)).toMatchObject({ intact: true });
    await expect(
      world.db.write((tx) => tx.run("UPDATE audit_entries SET action = 'nothing' WHERE action = 'clock.in'")),
    ).rejects.toThrow('append-only');
    await expect(world.db.write((tx) => tx.run("DELETE FROM audit_entries WHERE action = 'clock.in'"))).rejects.toThrow(
      'append-only',
    );
  });
});
