import { dialects } from '@clockproof/platform/testing/databases';
import { hour, parseInstant } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { calculateCompanyMonth } from '../src/balances/company-month.js';
import { readPersonDays, readPersonMonths } from '../src/balances/person-balance.js';
import { changeCompany } from '../src/people/people.js';
import { findCompany, findPerson } from '../src/people/rows.js';
import { allCompanies } from '../src/tenant/scope.js';
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

  it('take a night shift in two entries for one working day', async () => {
    const { ada } = world.people;
    // Tuesday 20:00 to 23:50, 00:10 to 08:40 in Berlin: twelve hours and twenty minutes with a break of 20 minutes.
    at('2026-11-24T19:00:00Z');
    await clock('in', ada);
    at('2026-11-24T22:50:00Z');
    await clock('out', ada);
    at('2026-11-24T23:10:00Z');
    expect(codes(await clock('in', ada))).toEqual([]);
    at('2026-11-25T07:40:00Z');
    const out = await clock('out', ada);
    expect(out.time_entry).toMatchObject({ date: '2026-11-25', worked_minutes: 510 });
    expect(out.warnings).toMatchObject([
      { code: 'daily_limit_exceeded', actual_minutes: 740 },
      { code: 'break_missing', limit_minutes: 45, actual_minutes: 20 },
    ]);
    // Wednesday evening begins the next working day, too early.
    at('2026-11-25T17:40:00Z');
    expect((await clock('in', ada)).warnings).toMatchObject([{ code: 'rest_period_short', actual_minutes: 600 }]);
    at('2026-11-25T18:40:00Z');
    await clock('out', ada);
    const days = await readPersonDays(
      world.db,
      (await findPerson(world.db, ada, allCompanies))!,
      '2026-11-24',
      '2026-11-25',
    );
    expect(days.map((day) => [day.workedMinutes, day.found.map((finding) => finding.code)])).toEqual([
      [230, ['daily_limit_exceeded', 'break_missing']],
      [570, ['rest_period_short']],
    ]);
    // The end of the period is not the end of the working day, and its beginning is not the beginning.
    const each = async (date: string) =>
      (await readPersonDays(world.db, (await findPerson(world.db, ada, allCompanies))!, date, date))[0]!.found;
    expect([await each('2026-11-24'), await each('2026-11-25')]).toEqual(days.map((day) => day.found));
    const found: [string, string][] = [];
    const nord = (await findCompany(world.db, world.nord))!;
    await calculateCompanyMonth(world.db, nord, '2026-11', world.now(), ({ date, finding }) =>
      found.push([date, finding.code]),
    );
    expect(found).toEqual([
      ['2026-11-24', 'daily_limit_exceeded'],
      ['2026-11-24', 'break_missing'],
      ['2026-11-25', 'rest_period_short'],
    ]);
  });

  it('mention a day of more than eight hours while it lasts and on the day, and do not count it as a violation', async () => {
    const { ada } = world.people;
    for (const [verb, time] of [
      ['in', '2026-11-24T06:00:00Z'],
      ['break/start', '2026-11-24T10:00:00Z'],
      ['break/end', '2026-11-24T10:30:00Z'],
    ] as const) {
      at(time);
      await clock(verb, ada);
    }
    at('2026-11-24T14:31:00Z');
    expect(codes(await clock('out', ada))).toEqual(['daily_limit_near']);
    const person = (await findPerson(world.db, ada, allCompanies))!;
    const [day] = await readPersonDays(world.db, person, '2026-11-24', '2026-11-24');
    expect(day!.found.map((finding) => finding.code)).toEqual(['daily_limit_near']);
    const found: string[] = [];
    const nord = (await findCompany(world.db, world.nord))!;
    const lines = await calculateCompanyMonth(world.db, nord, '2026-11', world.now(), ({ finding }) =>
      found.push(finding.code),
    );
    expect([found, lines.find((line) => line.person.id === ada)!.sum.findings]).toEqual([[], 0]);
    expect((await readPersonMonths(world.db, person, '2026-11', world.now())).at(-1)!.sum.findings).toBe(0);
  });

  it('see the whole night over the end of a month, in its report and in that of the person', async () => {
    const { ada } = world.people;
    for (const [verb, time] of [
      ['in', '2026-11-30T19:00:00Z'],
      ['out', '2026-11-30T22:50:00Z'],
      ['in', '2026-11-30T23:10:00Z'],
      ['out', '2026-12-01T05:40:00Z'],
    ] as const) {
      at(time);
      await clock(verb, ada);
    }
    const nord = (await findCompany(world.db, world.nord))!;
    const report = async (month: string) => {
      const found: string[] = [];
      await calculateCompanyMonth(world.db, nord, month, world.now(), ({ date, finding }) =>
        found.push(`${date} ${finding.code} ${finding.actualMinutes}`),
      );
      return found;
    };
    expect(await report('2026-11')).toEqual(['2026-11-30 daily_limit_exceeded 620', '2026-11-30 break_missing 20']);
    expect(await report('2026-12')).toEqual([]);
  });

  it('add the seconds of a day up before they cut them, as the findings do', async () => {
    const { ada } = world.people;
    at('2026-11-24T06:00:00Z');
    for (let entry = 0; entry < 40; entry += 1) {
      await clock('in', ada);
      world.advance(119_000);
      await clock('out', ada);
      world.advance(60_000);
    }
    const [day] = await readPersonDays(
      world.db,
      (await findPerson(world.db, ada, allCompanies))!,
      '2026-11-24',
      '2026-11-24',
    );
    expect(day).toMatchObject({ workedMinutes: 79 });
  });

  it('point out a forgotten clock-out, within the bounds of the contract', async () => {
    const { ada } = world.people;
    await world.db.write((tx) => tx.run("UPDATE people SET language = 'de' WHERE id = :ada", { ada }));
    const person = (await findPerson(world.db, ada, allCompanies))!;
    const nord = (await findCompany(world.db, world.nord))!;
    const hints = async () => {
      const found: string[] = [];
      await calculateCompanyMonth(world.db, nord, '2026-11', world.now(), ({ person: whose, date, finding }) =>
        found.push(`${whose.id} ${date} ${finding.code} ${finding.actualMinutes}`),
      );
      const days = await readPersonDays(world.db, person, '2026-11-24', '2026-11-24', world.now());
      return { found, codes: days[0]!.found.map((finding) => finding.code) };
    };
    at('2026-11-24T06:00:00Z');
    await clock('in', ada);
    at('2026-11-24T22:00:00Z');
    expect(await hints()).toEqual({ found: [], codes: ['daily_limit_exceeded', 'break_missing'] });
    at('2026-11-24T22:01:00Z');
    expect(await hints()).toEqual({
      found: [`${ada} 2026-11-24 clock_out_missing 961`],
      codes: ['daily_limit_exceeded', 'break_missing', 'clock_out_missing'],
    });
    at('2027-05-24T06:00:00Z');
    const out = await clock('out', ada);
    expect(out.warnings.length).toBeLessThanOrEqual(20);
    expect(out.warnings.at(-1)).toEqual({
      code: 'clock_out_missing',
      limit_minutes: 960,
      actual_minutes: 181 * 1_440,
      message:
        'Seit 4344 Stunden eingestempelt. Falls das Ausstempeln vergessen wurde, bitte eine Korrektur beantragen.',
    });
    expect(codes(await clock('in', ada))).not.toContain('clock_out_missing');
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
    await world.service.store.write({ actor: system, at: world.now() }, (write) =>
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
    await world.service.store.write({ actor: system, at: world.now() }, (write) =>
      changeCompany(write, world.nord, { deductBreaks: false }),
    );
    expect(await shift('2026-12-10')).toMatchObject({ worked_minutes: 500, break_minutes: 0 });
  });
});
