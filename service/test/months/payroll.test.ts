import { oneDialect } from '@clockproof/platform/testing/databases';
import { parseInstant } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser } from '../browser.js';
import { closeMonth, recordWork } from '../builders.js';
import { createWorld, type World } from '../world.js';

const at = (text: string) => parseInstant(text)!;

const settings = {
  wage_types: [
    { code: '1000', name: 'Stunden', counts: 'work' },
    { code: '1400', name: '=Nacht', counts: 'surcharge', days: 'all', from: '23:00', to: '06:00' },
    { code: '1500', name: 'Sonntag', counts: 'surcharge', days: 'sundays' },
    { code: '2000', name: 'Krank', counts: 'absence', absence_type: 'sickness' },
  ],
  columns: ['user_id', 'wage_type', 'wage_type_name', 'quantity'],
};

describe.each(oneDialect)('the payroll export on %s', (dialect) => {
  let world: World;
  let tom: Browser;
  let adaAlone: Browser;
  beforeEach(async () => {
    world = await createWorld(dialect);
    const tomId = await world.hire({
      firstName: 'Tom',
      lastName: 'Krüger',
      email: 'tom@clockproof.example',
      role: 'company_admin',
      language: 'de',
    });
    world.set(at('2026-12-01T08:00:00Z'));
    [tom, adaAlone] = [await world.as(tomId), await world.as(world.people.ada)];
  });
  afterEach(() => world.close());

  const admin = () => `/app/admin/companies/${world.nord}/payroll`;
  const file = (query = '', browser = tom) =>
    browser.call('GET', `/app/reports/payroll/export?company_id=${world.nord}&month=2026-11${query}`);
  const linesOf = (text: unknown) => String(text).trimEnd().split('\r\n');
  /** A night from Saturday to Sunday with half an hour of break, and half a day of sickness after it. */
  async function record(): Promise<void> {
    await recordWork(world, {
      person_id: world.people.ada,
      start_at: at('2026-11-28T21:00:00Z'),
      end_at: at('2026-11-29T05:00:00Z') + 59_999,
      breaks: JSON.stringify([[at('2026-11-29T00:00:00Z'), at('2026-11-29T00:30:00Z')]]),
    });
    // The first tracked day is that of the night.
    await world.db.write((tx) =>
      tx.run("UPDATE people SET tracking_start = '2026-11-28' WHERE company_id = :nord", { nord: world.nord }),
    );
    const sickness = { type: 'sickness', start_date: '2026-11-30', end_date: '2026-11-30', half_day: 'afternoon' };
    expect((await adaAlone.call('POST', '/app/me/absences', { body: sickness })).status).toBe(201);
  }

  it('payroll refuses an impossible day, and the deletion of a kind that a wage type counts', async () => {
    const types = `/app/admin/companies/${world.nord}/absence-types`;
    const kind = {
      key: 'move',
      label: 'Umzug',
      half_day: true,
      requires_approval: true,
      counts_as_vacation: false,
      away: true,
    };
    expect((await tom.call('POST', types, { body: kind })).status).toBe(201);
    const moveWageType = { code: '3000', name: 'Umzug', counts: 'absence', absence_type: 'move' };
    const feast = (date: string) => ({ code: '4000', name: 'Fest', counts: 'surcharge', days: 'dates', dates: [date] });
    const save = (...wageTypes: object[]) =>
      tom.call('PUT', admin(), { body: { ...settings, wage_types: [...settings.wage_types, ...wageTypes] } });
    for (const [date, status] of [
      ['02-29', 200],
      ['02-30', 400],
      ['04-31', 400],
      ['12-25', 200],
    ] as const)
      expect([date, (await save(moveWageType, feast(date))).status]).toEqual([date, status]);
    expect((await tom.call('DELETE', `${types}/move`)).body['code']).toBe('still_in_use');
    expect((await save()).status).toBe(200);
    expect((await tom.call('DELETE', `${types}/move`)).status).toBe(204);
  });

  it('the payroll export has the hours of each wage type and the days of absence, by month and by day', async () => {
    await record();
    expect((await tom.call('PUT', admin(), { body: settings })).status).toBe(200);
    expect((await file()).body['code']).toBe('month_open');
    await closeMonth(world);
    const { ada } = world.people;
    const month = await file();
    expect(linesOf(month.body['text'])).toEqual([
      'user_id;wage_type;wage_type_name;quantity',
      `${ada};1000;Stunden;7,50`,
      `${ada};1400;'=Nacht;6,50`,
      `${ada};1500;Sonntag;5,50`,
      `${ada};2000;Krank;0,50`,
    ]);
    expect(linesOf((await file('&by=day')).body['text'])).toEqual([
      'user_id;wage_type;wage_type_name;quantity;date',
      `${ada};1000;Stunden;7,50;2026-11-28`,
      `${ada};1400;'=Nacht;6,50;2026-11-28`,
      `${ada};1500;Sonntag;5,50;2026-11-28`,
      `${ada};2000;Krank;0,50;2026-11-30`,
    ]);
  });

  it('the payroll export and the report leave out days before the tracking start date', async () => {
    await record();
    await recordWork(world, {
      person_id: world.people.ada,
      start_at: at('2026-11-27T07:00:00Z'),
      end_at: at('2026-11-27T15:00:00Z'),
    });
    const { ada } = world.people;
    const days = await tom.call('GET', `/app/people/${ada}/days?from=2026-11-27&to=2026-11-27`);
    expect(days.body['data']).toMatchObject([{ worked_minutes: 480, target_minutes: 0, difference_minutes: 0 }]);
    const report = await tom.call('GET', `/app/reports/months?company_id=${world.nord}&month=2026-11`);
    expect(report.body['data']).toContainEqual(
      expect.objectContaining({
        person: expect.objectContaining({ id: ada }),
        balance: expect.objectContaining({ worked_minutes: 450 }),
      }),
    );
    expect(linesOf((await file('&include_open=true')).body['text'])).toContainEqual(
      expect.stringContaining('WORK;Arbeitsstunden;7,50;'),
    );
  });

  it('the payroll export says of an open month that it is open', async () => {
    await record();
    const { body, headers } = await file('&include_open=true');
    expect(headers.get('content-disposition')).toContain('-open.csv');
    const lines = linesOf(body['text']);
    expect(lines[0]).toBe('personnel_number;name;month;wage_type;wage_type_name;quantity;unit;month_state');
    expect(lines[1]).toContain('WORK;Arbeitsstunden;7,50;hours;open');
    expect(lines.at(-1)).toContain('sickness;Krankheit;0,50;days;open');
  });

  it('only admins have the payroll export, and its wage types are consistent', async () => {
    expect((await file('&include_open=true', adaAlone)).body['code']).toBe('forbidden');
    expect((await adaAlone.call('GET', admin())).body['code']).toBe('forbidden');
    expect((await tom.call('GET', admin())).body).toMatchObject({ standard: true, decimal_mark: 'comma' });
    const duplicateSettings = { ...settings, wage_types: [settings.wage_types[0], settings.wage_types[0]] };
    expect((await tom.call('PUT', admin(), { body: duplicateSettings })).body['details']).toEqual([
      expect.objectContaining({ field: 'wage_types[1].code', code: 'repeated' }),
    ]);
    expect((await tom.call('PUT', admin(), { body: { ...settings, decimal_mark: 'point' } })).status).toBe(200);
    expect((await tom.call('GET', admin())).body).toMatchObject({
      standard: false,
      decimal_mark: 'point',
      ...settings,
    });
  });
});
