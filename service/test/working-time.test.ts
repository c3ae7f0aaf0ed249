import { dialects } from '@clockproof/platform/testing/databases';
import { hour, parseInstant } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { changeCompany } from '../src/people/people.js';
import { createStore } from '../src/write/write.js';
import { createWorld, minute, type World } from './world.js';

const system = { kind: 'system' } as const;

describe.each(dialects)('working-time rules on %s', (dialect) => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld(dialect);
  });
  afterEach(() => world.close());
  const clock = async (verb: string, person: number) => {
    const answer = await world.call('POST', `/api/v1/clock/${verb}`, {
      key: world.planner.key,
      body: { user_id: person },
    });
    expect(answer.status).toBe(200);
    return answer.body as {
      warnings: { code: string; limit_minutes: number; actual_minutes: number; message: string }[];
      time_entry: Record<string, unknown>;
    };
  };
  const at = (text: string) => world.set(parseInstant(text)!);
  const codes = (answer: { warnings: { code: string }[] }) => answer.warnings.map((warning) => warning.code);

  it('warn about missing breaks and too long days with the stamp that shows it, and record it all the same', async () => {
    const { ada } = world.people;
    at('2026-11-24T06:00:00Z');
    expect(codes(await clock('in', ada))).toEqual([]);
    at('2026-11-24T12:01:00Z');
    const paused = await clock('break/start', ada);
    expect(paused.warnings).toEqual([
      {
        code: 'break_missing',
        rule: 'ArbZG §4',
        limit_minutes: 30,
        actual_minutes: 0,
        message: '0 minutes of rest breaks so far; 30 minutes are required.',
      },
    ]);
    at('2026-11-24T12:46:00Z');
    expect(codes(await clock('break/end', ada))).toEqual(['break_missing']);
    at('2026-11-24T16:46:00Z');
    const ended = await clock('out', ada);
    expect(codes(ended)).toEqual(['daily_limit_exceeded', 'break_missing']);
    expect(ended.time_entry).toMatchObject({
      status: 'recorded',
      worked_minutes: 601,
      break_minutes: 45,
      start: '2026-11-24T06:00:00Z',
      end: '2026-11-24T16:46:00Z',
    });
  });

  it('warn about a short rest when work begins, once', async () => {
    const { ada } = world.people;
    at('2026-11-24T08:46:00Z');
    await clock('in', ada);
    at('2026-11-24T16:46:00Z');
    await clock('out', ada);
    at('2026-11-25T03:16:00Z');
    expect((await clock('in', ada)).warnings).toMatchObject([
      { code: 'rest_period_short', limit_minutes: 660, actual_minutes: 630 },
    ]);
    world.advance(hour);
    expect(codes(await clock('out', ada))).toEqual([]);
    world.advance(hour);
    expect(codes(await clock('in', ada))).toEqual([]);
    world.advance(hour);
    await clock('out', ada);
  });

  it('warn about Sundays and holidays of the region only, in the language of the person', async () => {
    const { ben, zoe } = world.people;
    await world.db.write((tx) => tx.run("UPDATE people SET language = 'de' WHERE id = :ben", { ben }));
    at('2026-10-31T09:00:00Z');
    expect((await clock('in', ben)).warnings).toMatchObject([
      { code: 'holiday_work', message: 'Arbeit an einem Feiertag: Reformationstag.' },
    ]);
    await clock('out', ben);
    const munich = await world.call('POST', '/api/v1/clock/in', { key: world.souther.key, body: { user_id: zoe } });
    expect(munich.body['warnings']).toEqual([]);
    at('2026-10-31T23:30:00Z');
    // Half past midnight on Sunday, All Saints: Munich has been at work into it.
    expect(
      (await world.call('POST', '/api/v1/clock/out', { key: world.souther.key, body: { user_id: zoe } })).body[
        'warnings'
      ],
    ).toMatchObject([
      { code: 'daily_limit_exceeded' },
      { code: 'break_missing' },
      { code: 'holiday_work', actual_minutes: 30, message: "Work on a public holiday: All Saints' Day." },
    ]);
    expect((await clock('in', ben)).warnings).toMatchObject([
      { code: 'sunday_work', message: 'Arbeit an einem Sonntag.' },
    ]);
    await clock('out', ben);
  });

  it('give the same warnings again to a repeated request', async () => {
    const { ben } = world.people;
    at('2026-12-06T09:00:00Z');
    const send = () =>
      world.call('POST', '/api/v1/clock/in', {
        key: world.planner.key,
        body: { user_id: ben },
        headers: { 'idempotency-key': 'advent' },
      });
    const first = await send();
    expect(first.body).toMatchObject({ warnings: [{ code: 'sunday_work' }] });
    expect((await send()).body).toEqual(first.body);
    await clock('out', ben);
  });

  it('deduct a missing break only where the company has switched it on, from that day on, visibly, and never from what was stamped', async () => {
    const { ben } = world.people;
    const shift = async (day: string) => {
      at(`${day}T07:00:00Z`);
      await clock('in', ben);
      world.advance(8 * hour + 20 * minute);
      return (await clock('out', ben)).time_entry;
    };
    expect(await shift('2026-12-08')).toMatchObject({ worked_minutes: 500, break_minutes: 0 });
    at('2026-12-09T05:00:00Z');
    await createStore(world.db).write({ actor: system, at: world.now() }, (write) =>
      changeCompany(write, world.nord, { deductBreaks: true }),
    );
    const deducted = await shift('2026-12-09');
    expect(deducted).toMatchObject({
      worked_minutes: 470,
      break_minutes: 30,
      deducted_break_minutes: 30,
      breaks: [],
      start: '2026-12-09T07:00:00Z',
      end: '2026-12-09T15:20:00Z',
    });
    const listed = await world.call('GET', `/api/v1/time/entries?from=2026-12-08&to=2026-12-09&user_id=${ben}`, {
      key: world.reader.key,
    });
    expect(listed.body['data']).toMatchObject([
      { worked_minutes: 500, break_minutes: 0 },
      { worked_minutes: 470, deducted_break_minutes: 30 },
    ]);
    expect((listed.body['data'] as object[])[0]).not.toHaveProperty('deducted_break_minutes');
    expect(
      await world.db.get('SELECT breaks, end_at - start_at AS elapsed FROM time_entries WHERE id = :id', {
        id: deducted['id'] as number,
      }),
    ).toEqual({ breaks: '[]', elapsed: 500 * minute });
    at('2026-12-10T05:00:00Z');
    await createStore(world.db).write({ actor: system, at: world.now() }, (write) =>
      changeCompany(write, world.nord, { deductBreaks: false }),
    );
    expect(await shift('2026-12-10')).toMatchObject({ worked_minutes: 500, break_minutes: 0 });
  });
});
