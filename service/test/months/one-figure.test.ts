/**
 * Minutes, days and balances of a random year, wherever they are shown: open, closed, and closed before its settings
 * changed. Work over midnight, breaks that are missing, two halves of half a holiday, bookings in both directions.
 */
import { minute, parseInstant } from '@clockproof/platform/time/instant';
import { addDays, localDateAt } from '@clockproof/platform/time/local-date';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { vacationDays } from '../../src/absences/vacation/vacation-account.js';
import { calculatePayrollDays } from '../../src/months/payroll/payroll-month.js';
import type { WageType } from '../../src/months/payroll/surcharges.js';
import { findCompany, findPersonAnywhere } from '../../src/people/rows.js';
import { addSuperAdmin, type Browser } from '../browser.js';
import { closeMonth, recordEntry } from '../builders.js';
import { randomOf } from '../random.js';
import { createWorld, type World } from '../world.js';
import { berlin } from '../zones.js';

const now = parseInstant('2026-12-10T08:00:00Z')!;
const months = Array.from({ length: 11 }, (_, index) => `2026-${String(index + 1).padStart(2, '0')}`);
const halfHolidays = ['2026-02-16', '2026-05-13', '2026-09-07', '2026-11-20'];
const kinds = ['vacation', 'sickness', 'special_leave', 'home_office'] as const;
const wageTypes: WageType[] = [
  { code: 'work', name: 'Work', counts: 'work' },
  ...kinds.map((key): WageType => ({ code: key, name: key, counts: 'absence', absence_type: key })),
];

const lastOf = (month: string) => addDays(`${addDays(`${month}-28`, 4).slice(0, 7)}-01`, -1);
const sum = <Row>(rows: readonly Row[], figure: (row: Row) => number) =>
  rows.reduce((total, row) => total + figure(row), 0);

describe('a figure in several places', () => {
  let world: World;
  let root: Browser;
  let people: readonly number[];
  const system = { actor: { kind: 'system' }, at: now } as const;
  const read = async <Answer>(path: string): Promise<Answer> => {
    const { status, body } = await root.call('GET', `/app/${path}`);
    expect([path, status]).toEqual([path, 200]);
    return body as Answer;
  };
  const send = (method: string, path: string, body: object) => root.call(method, `/app/${path}`, { body });

  beforeAll(async () => {
    world = await createWorld('sqlite');
    people = [world.people.ada, world.people.ben];
    world.set(now);
    root = await world.as(await addSuperAdmin(world));
    await world.db.write((tx) => tx.run("UPDATE people SET tracking_start = '2026-01-01', employment_start = NULL"));
    const company = `admin/companies/${world.nord}`;
    for (const date of halfHolidays)
      expect(
        (await send('POST', `${company}/holidays`, { date, kind: 'half_day', yearly: false, name_de: 'halb' })).status,
      ).toBe(201);
    const minutes = { monday: 481, tuesday: 455, wednesday: 480, thursday: 463, friday: 301, saturday: 0, sunday: 0 };
    expect((await send('POST', `${company}/schedules`, { valid_from: '2026-01-01', minutes })).status).toBe(201);
    const random = randomOf(2026);
    for (const id of people) {
      await recordYear(id, random);
      await requestYear(id, random);
    }
  });
  afterAll(() => world.close());

  /** Up to three entries a day, some into the next date, with breaks of any length. */
  async function recordYear(id: number, random: (below: number) => number): Promise<void> {
    await world.service.store.write(system, async (write) => {
      let nextStart = parseInstant('2026-01-02T05:00:00Z')!;
      for (let date = '2026-01-02'; date < '2026-12-09'; date = addDays(date, 1)) {
        if (random(4) === 0) continue;
        let start = Math.max(nextStart, Date.parse(`${date}T05:00:00Z`) + random(900) * minute);
        for (let entries = 1 + random(3); entries > 0; entries--) {
          const length = random(2) === 0 ? random(60) : 120 + random(300);
          const pause = random(50);
          const from = start + Math.floor(length / 2) * minute + random(60_000);
          const end = start + (length + pause) * minute + 60_000 + random(60_000);
          await recordEntry(write, {
            company_id: world.nord,
            person_id: id,
            date: localDateAt(start, berlin),
            start_at: start,
            end_at: end,
            breaks: random(2) === 0 ? '[]' : JSON.stringify([[from, from + pause * minute]]),
            break_rules: 'DE',
          });
          nextStart = end + random(90) * minute;
          start = nextStart;
        }
      }
      await write.audit({ companyId: world.nord, action: 'clock.in', details: { entry: 1 } });
    });
  }

  async function requestYear(id: number, random: (below: number) => number): Promise<void> {
    const request = (type: string, start_date: string, end_date: string, fields: object = {}) =>
      send('POST', `people/${id}/absences`, { type, start_date, end_date, ...fields });
    for (const date of halfHolidays) {
      for (const half_day of ['morning', 'afternoon'])
        expect((await request(kinds[random(2)]!, date, date, { half_day })).status).toBe(201);
    }
    let absenceCount = 0;
    for (let tries = 0; tries < 40; tries++) {
      const start = addDays('2026-01-01', random(330));
      const half = random(3) === 0 ? { half_day: random(2) === 0 ? 'morning' : 'afternoon' } : {};
      const end = 'half_day' in half ? start : addDays(start, random(9));
      if ((await request(kinds[random(kinds.length)]!, start, end, half)).status === 201) absenceCount += 1;
    }
    expect(absenceCount).toBeGreaterThan(15);
    await send('PUT', `admin/people/${id}/entitlements/2026`, {
      days: 30,
      carried_over_days: 6,
      carry_over_until: '2026-03-31',
    });
    for (const [path, body] of [
      ['vacation-bookings', { kind: 'correction', date: '2026-01-10', days: -5, reason: 'Wrong' }],
      ['vacation-bookings', { kind: 'correction', date: '2026-01-11', days: 5, reason: 'Taken back' }],
      ['vacation-bookings', { kind: 'payout', date: '2026-06-01', days: -1.5, reason: 'Paid' }],
      ['time-bookings', { kind: 'correction', date: '2026-04-02', minutes: 61, reason: 'Journey' }],
      ['time-bookings', { kind: 'payout', date: '2026-07-02', minutes: -301, reason: 'Paid' }],
    ] as const)
      expect([path, (await send('POST', `admin/people/${id}/${path}`, body)).status]).toEqual([path, 201]);
  }

  type Line = Readonly<Record<string, number>> & { readonly month: string };
  const figuresOf = ({ target_minutes, worked_minutes, difference_minutes }: Line) => [
    target_minutes,
    worked_minutes,
    difference_minutes,
  ];

  /** What each place says of a month, after it was made sure that all say the same. */
  async function figuresIn(id: number, month: string) {
    const [from, to] = [`${month}-01`, lastOf(month)];
    const monthsOfYear = (await read<{ data: Line[] }>(`people/${id}/months?year=2026`)).data;
    const line = monthsOfYear.find((row) => row.month === month)!;
    const { data: days } = await read<{ data: Line[] }>(`people/${id}/days?from=${from}&to=${to}`);
    const sheet = await read<{ days: Line[]; balance: Line }>(`people/${id}/sheets/${month}`);
    const report = await read<{ data: { person: { id: number }; balance: Line; absence_days: number }[] }>(
      `reports/months?company_id=${world.nord}&month=${month}`,
    );
    const reportLine = report.data.find(({ person }) => person.id === id)!;
    const balances = await world.call('GET', `/api/v1/time/balances?date=${to}&limit=100`, { key: world.planner.key });
    const balance = (balances.body['data'] as Line[]).find((row) => row['user_id'] === id)!;
    const places = { line, sheet: sheet.balance, report: reportLine.balance, balance };
    for (const [place, values] of Object.entries(places))
      expect([place, figuresOf(values)]).toEqual([place, figuresOf(line)]);
    for (const list of [days, sheet.days])
      expect([
        sum(list, (day) => day['target_minutes']!),
        sum(list, (day) => day['worked_minutes']!),
        sum(list, (day) => day['difference_minutes']!),
      ]).toEqual(figuresOf(line));
    expect([balance['balance_minutes'], reportLine.balance['balance_minutes']]).toEqual([
      line['balance_minutes'],
      line['balance_minutes'],
    ]);
    const { closed: _, ...figures } = line;
    return { id, month, figures, absenceDays: reportLine.absence_days, days };
  }

  async function vacationOf(id: number) {
    const person = (await findPersonAnywhere(world.db, id))!;
    const account = await read<Record<string, number>>(`people/${id}/vacation?year=2026`);
    const statement = await read<{ left_days: number; lines: { kind: string; days: number }[] }>(
      `admin/people/${id}/vacation-bookings?year=2026`,
    );
    const days = await vacationDays(world.db, person, 2026);
    const team = await read<{ data: { user_id: number; vacation_left_days: number }[] }>('team/people?limit=100');
    const leftDays = team.data.find((row) => row.user_id === id)?.vacation_left_days;
    expect([statement.left_days, sum(statement.lines, (line) => line.days), leftDays ?? account['left_days']]).toEqual(
      Array(3).fill(account['left_days']),
    );
    expect(sum(days, (day) => day.portion)).toBe(account['taken_days']! + account['planned_days']!);
    return { account, days: days.map(({ date, portion, absence }) => [date, portion, absence.id]) };
  }

  const leaves = async (id: number) =>
    (
      await read<{ data: { id: number; type: string; days: number }[] }>(
        `people/${id}/absences?from=2026-01-01&to=2026-12-31&limit=500`,
      )
    ).data;

  it('a figure is the same in every place, also after months close and settings change', async () => {
    const company = (await findCompany(world.db, world.nord))!;
    const figuresBefore: Awaited<ReturnType<typeof figuresIn>>[] = [];
    for (const id of people) {
      const records = await leaves(id);
      const paidDays = new Map<string, number>();
      for (const month of [...months, '2026-12']) {
        if (month !== '2026-12') figuresBefore.push(await figuresIn(id, month));
        const lines = (await calculatePayrollDays(world.db, company, month, wageTypes)).filter(
          ({ person }) => person.id === id,
        );
        for (const { type, halfDays } of lines) paidDays.set(type.code, (paidDays.get(type.code) ?? 0) + halfDays / 2);
        const { figures, absenceDays } = figuresBefore.at(-1)!;
        if (month === '2026-12') continue;
        const workedMinutes = sum(lines, ({ type, minutes }) => (type.counts === 'work' ? minutes : 0));
        expect(workedMinutes).toBe(figures['worked_minutes']);
        expect(sum(lines, ({ halfDays }) => halfDays) / 2).toBe(absenceDays);
      }
      for (const kind of kinds)
        expect([kind, sum(records, ({ type, days }) => (type === kind ? days : 0))]).toEqual([
          kind,
          paidDays.get(kind) ?? 0,
        ]);
      expect(paidDays.get('vacation')).toBe(sum((await vacationOf(id)).days, ([, portion]) => portion as number));
    }
    expect(sum(figuresBefore, ({ days }) => sum(days, (day) => day['deducted_break_minutes'] ?? 0))).toBeGreaterThan(
      300,
    );

    const [vacation, records] = [await Promise.all(people.map(vacationOf)), await Promise.all(people.map(leaves))];
    const expectSameFigures = async () => {
      for (const { id, month, ...rest } of figuresBefore)
        expect(await figuresIn(id, month)).toEqual({ id, month, ...rest });
    };
    for (const month of months) await closeMonth(world, { month });
    await expectSameFigures();
    expect([await Promise.all(people.map(vacationOf)), await Promise.all(people.map(leaves))]).toEqual([
      vacation,
      records,
    ]);

    const ofCompany = `admin/companies/${world.nord}`;
    for (const body of [{ region: 'DE-SN' }, { time_zone: 'America/New_York' }, { deduct_breaks: false }])
      expect([body, (await send('PATCH', ofCompany, body)).status]).toEqual([body, 200]);
    for (const kind of ['vacation', 'sickness'])
      await send('PATCH', `${ofCompany}/absence-types/${kind}`, { counts_as_vacation: kind === 'sickness' });
    await expectSameFigures();
    const closedDays = ({ days }: Awaited<ReturnType<typeof vacationOf>>) =>
      days.filter(([date]) => (date as string) < '2026-12');
    expect((await Promise.all(people.map(vacationOf))).map(closedDays)).toEqual(vacation.map(closedDays));
    expect(await Promise.all(people.map(leaves))).toMatchObject(
      records.map((list) => list.map(({ id, days }) => ({ id, days }))),
    );
  });
});
