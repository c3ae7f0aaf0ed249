/** Holidays of a municipality and of the company itself, in everything that counts days. */
import { oneDialect } from '@clockproof/platform/testing/databases';
import { parseInstant } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser } from '../browser.js';
import { closeMonth, sendStamp } from '../builders.js';
import { createWorld, type World } from '../world.js';

const at = (text: string) => parseInstant(text)!;

describe.each(oneDialect)('holidays of a company on %s', (dialect) => {
  let world: World;
  let miaId: number;
  let admin: Browser;
  let zoe: Browser;
  beforeEach(async () => {
    world = await createWorld(dialect);
    world.set(at('2026-07-01T08:00:00Z'));
    miaId = await world.hire({
      companyId: world.sued,
      firstName: 'Mia',
      lastName: 'Admin',
      role: 'company_admin',
      email: 'mia@clockproof.example',
    });
    await world.db.write((tx) =>
      tx.run("UPDATE people SET tracking_start = '2026-07-01' WHERE company_id = :sued", { sued: world.sued }),
    );
    await signAllIn();
  });
  const signAllIn = async () => {
    admin = await world.as(miaId);
    zoe = await world.as(world.people.zoe);
  };
  afterEach(() => world.close());

  const company = () => `/app/admin/companies/${world.sued}`;
  const holidays = (suffix = '') => `${company()}/holidays${suffix}`;
  const add = async (body: object) => {
    const answer = await admin.call('POST', holidays(), { body });
    expect(answer).toMatchObject({ status: 201 });
    return answer.body as { readonly id: string };
  };
  const remove = async (id: string) =>
    expect(await admin.call('DELETE', holidays(`/${id}`))).toMatchObject({ status: 204 });
  const listOf = async (year: number) =>
    ((await admin.call('GET', holidays(`?year=${year}`))).body['data'] as Record<string, unknown>[]).map(
      ({ date, kind }) => `${date as string} ${kind as string}`,
    );
  const targetsOf = async (from: string, to: string) =>
    ((await zoe.call('GET', `/app/me/days?from=${from}&to=${to}`)).body['data'] as Record<string, unknown>[]).map(
      (day) => [day['target_minutes'], day['holiday']],
    );
  const place = async (change: object) => {
    const answer = await admin.call('PATCH', company(), { body: change });
    expect(answer).toMatchObject({ status: 200 });
    return answer.body;
  };
  const daysOff = async (start: string, end: string, fields = {}) => {
    const body = { type: 'vacation', start_date: start, end_date: end, ...fields };
    const answer = await zoe.call('POST', '/app/me/absences', { body });
    expect(answer).toMatchObject({ status: 201 });
    return answer.body as { readonly id: number; readonly days: number };
  };
  const withdraw = async ({ id }: { readonly id: number }) =>
    expect(await zoe.call('DELETE', `/app/me/absences/${id}`)).toMatchObject({ status: 200 });
  const readDays = async (start: string, end: string) =>
    ((await zoe.call('GET', `/app/me/absences?from=${start}&to=${end}`)).body['data'] as { days: number }[]).map(
      ({ days }) => days,
    );

  it('the holidays of a company are those of Munich with Assumption Day, in list, target and vacation', async () => {
    const vacation = await daysOff('2027-08-30', '2027-09-03');
    expect(vacation.days).toBe(5);
    await withdraw(vacation);
    // In 2028, 15 August is a Tuesday.
    const secondVacation = await daysOff('2028-08-14', '2028-08-18');
    expect(secondVacation.days).toBe(5);
    expect((await place({ local_holidays: 'assumption_day' }))['local_holidays']).toBe('assumption_day');
    expect(await readDays('2028-08-01', '2028-08-31')).toEqual([4]);
    expect(await listOf(2026)).toEqual(
      [
        '2026-01-01',
        '2026-01-06',
        '2026-04-03',
        '2026-04-06',
        '2026-05-01',
        '2026-05-14',
        '2026-05-25',
        '2026-06-04',
        '2026-08-15',
        '2026-10-03',
        '2026-11-01',
        '2026-12-25',
        '2026-12-26',
      ].map((date) => `${date} public_holiday`),
    );
    expect(await targetsOf('2028-08-14', '2028-08-16')).toEqual([
      [480, undefined],
      [0, 'Assumption'],
      [480, undefined],
    ]);
    await withdraw(secondVacation);
    // Another region has no such municipalities: the holidays end with the old one.
    expect(await place({ region: 'DE-HH' })).toMatchObject({ region: 'DE-HH', local_holidays: 'none' });
    for (const body of [{ local_holidays: 'assumption_day' }, { region: 'DE-SN', local_holidays: 'augsburg' }])
      expect(await admin.call('PATCH', company(), { body })).toMatchObject({
        status: 400,
        body: { details: [{ field: 'local_holidays' }] },
      });
    expect(await place({ region: 'DE-BY' })).toMatchObject({ local_holidays: 'none' });
  });

  it('half days of every year halve target and vacation, and are no public holidays', async () => {
    const vacation = await daysOff('2026-12-21', '2026-12-31');
    expect(vacation.days).toBe(8);
    const eve = await add({
      date: '2026-12-24',
      kind: 'half_day',
      yearly: true,
      name_de: 'Heiligabend',
      name_en: 'Eve',
    });
    const newYearsEve = await add({ date: '2026-12-31', kind: 'half_day', yearly: true, name_en: "New Year's Eve" });
    expect(eve).toEqual({
      id: eve.id,
      date: '2026-12-24',
      kind: 'half_day',
      yearly: true,
      name_de: 'Heiligabend',
      name_en: 'Eve',
    });
    expect(await readDays('2026-12-01', '2026-12-31')).toEqual([7]);
    await withdraw(vacation);
    expect(await targetsOf('2026-12-23', '2026-12-25')).toEqual([
      [480, undefined],
      [240, 'Eve'],
      [0, 'Christmas Day'],
    ]);
    expect((await targetsOf('2027-12-24', '2027-12-24'))[0]).toEqual([240, 'Eve']);
    expect(await listOf(2025)).not.toContain('2025-12-24 half_day');
    const myHolidays = (await zoe.call('GET', '/app/me/holidays?year=2027')).body['data'] as object[];
    expect(myHolidays).toContainEqual({ date: '2027-12-24', name: 'Eve', half_day: true, public_holiday: false });
    expect(myHolidays).toContainEqual({
      date: '2027-12-25',
      name: 'Christmas Day',
      half_day: false,
      public_holiday: true,
    });
    // A day of vacation that counts takes half a day of the account, and all that is due of the target.
    const answer = await admin.call('POST', `/app/people/${world.people.zoe}/absences`, {
      body: { type: 'vacation', start_date: '2026-12-24', end_date: '2026-12-24' },
    });
    expect(answer).toMatchObject({ status: 201, body: { days: 0.5, status: 'approved' } });
    expect((await targetsOf('2026-12-24', '2026-12-24'))[0]).toEqual([0, 'Eve']);
    expect((await zoe.call('GET', '/app/me/vacation?year=2026')).body).toMatchObject({ planned_days: 0.5 });
    // So does half a day of vacation.
    const half = await daysOff('2026-12-31', '2026-12-31', { half_day: 'morning' });
    expect(half.days).toBe(0.5);
    await withdraw(half);
    await remove(eve.id);
    await remove(newYearsEve.id);
    expect(await listOf(2027)).not.toContain('2027-12-24 half_day');
  });

  it('holidays of a company move, and a single-year one takes precedence', async () => {
    const carnival = await add({ date: '2027-02-08', kind: 'day_off', name_de: 'Rosenmontag', name_en: 'Carnival' });
    expect(await targetsOf('2027-02-08', '2027-02-09')).toEqual([
      [0, 'Carnival'],
      [480, undefined],
    ]);
    const answer = await admin.call('PATCH', holidays(`/${carnival.id}`), { body: { date: '2027-02-09' } });
    expect(answer).toMatchObject({ status: 200, body: { date: '2027-02-09', name_de: 'Rosenmontag' } });
    expect(await targetsOf('2027-02-08', '2027-02-09')).toEqual([
      [480, undefined],
      [0, 'Carnival'],
    ]);
    const christmasEve = await add({ date: '2026-12-24', kind: 'half_day', yearly: true, name_en: 'Eve' });
    const bridgeDay = await add({ date: '2027-12-24', kind: 'day_off', name_en: 'Bridge' });
    expect((await targetsOf('2027-12-24', '2027-12-24'))[0]).toEqual([0, 'Bridge']);
    for (const body of [
      { date: '2027-12-24', kind: 'half_day', name_en: 'Again' },
      { date: '2028-12-24', kind: 'half_day', name_en: 'Again', yearly: true },
    ])
      expect(await admin.call('POST', holidays(), { body })).toMatchObject({
        status: 409,
        body: { code: 'value_taken', details: [{ field: 'date' }] },
      });
    for (const { id } of [carnival, christmasEve, bridgeDay]) await remove(id);
  });

  it('a public holiday is left out where it does not apply, which needs a matching one', async () => {
    const workingDay = { date: '2027-01-07', kind: 'working_day' };
    expect(await admin.call('POST', holidays(), { body: workingDay })).toMatchObject({
      status: 400,
      body: { details: [{ field: 'kind' }] },
    });
    expect(await admin.call('POST', holidays(), { body: { date: '2027-01-07', kind: 'day_off' } })).toMatchObject({
      status: 400,
      body: { details: [{ field: 'name_de' }] },
    });
    const { id } = await add({ date: '2027-01-06', kind: 'working_day' });
    expect(await targetsOf('2027-01-06', '2027-01-06')).toEqual([[480, undefined]]);
    expect(await listOf(2027)).toContain('2027-01-06 working_day');
    const myHolidays = (await zoe.call('GET', '/app/me/holidays?year=2027')).body['data'] as { date: string }[];
    expect(myHolidays.map(({ date }) => date)).not.toContain('2027-01-06');
    await remove(id);
    expect(await targetsOf('2027-01-06', '2027-01-06')).toEqual([[0, 'Epiphany']]);
  });

  it('holidays of a company count for the law and surcharges only if they are public', async () => {
    await add({ date: '2026-07-14', kind: 'day_off', name_en: 'Anniversary' });
    await add({ date: '2026-07-15', kind: 'half_day', name_en: 'Half' });
    await add({ date: '2026-07-16', kind: 'public_holiday', name_de: 'Gedenktag', name_en: 'Memorial' });
    const warnings: string[][] = [];
    for (const date of ['2026-07-14', '2026-07-15', '2026-07-16']) {
      const stamp = (verb: string, time: string) => {
        world.set(at(`${date}T${time}:00Z`));
        return sendStamp(world, verb, world.people.zoe);
      };
      warnings.push((await stamp('in', '08:00')).warnings.map(({ code }) => code));
      await stamp('out', '10:00');
    }
    expect(warnings).toEqual([[], [], ['holiday_work']]);
    await signAllIn();
    const days = (await zoe.call('GET', '/app/me/days?from=2026-07-14&to=2026-07-16')).body['data'] as {
      warnings: { code: string }[];
      target_minutes: number;
    }[];
    expect(days.map((day) => [day.target_minutes, day.warnings.map(({ code }) => code)])).toEqual([
      [0, []],
      [240, []],
      [0, ['holiday_work']],
    ]);
    world.set(at('2026-08-03T08:00:00Z'));
    await signAllIn();
    await closeMonth(world, { companyId: world.sued, month: '2026-07' });
    const path = `/app/reports/payroll/export?company_id=${world.sued}&month=2026-07&by=day`;
    const text = (await admin.call('GET', path)).body['text'] as string;
    const surchargeLines = text.split('\r\n').filter((line) => line.includes('HOLIDAY'));
    expect(surchargeLines.map((line) => line.match(/2026-07-\d\d/)?.[0])).toEqual(['2026-07-16']);
  });

  it('holidays of a company stay in closed months as they were, and are refused there', async () => {
    const holiday = await add({ date: '2026-07-31', kind: 'half_day', yearly: true, name_en: 'Summer' });
    world.set(at('2026-08-03T09:00:00Z'));
    await signAllIn();
    const month = '2026-07';
    await closeMonth(world, { companyId: world.sued, month });
    const targets = await targetsOf('2026-07-31', '2026-07-31');
    expect(targets).toEqual([[240, 'Summer']]);
    for (const [method, path, body] of [
      ['POST', '', { date: '2026-07-30', kind: 'day_off', name_en: 'Late' }],
      ['PATCH', `/${holiday.id}`, { kind: 'day_off' }],
    ] as const)
      expect(await admin.call(method, holidays(path), { body })).toMatchObject({
        status: 409,
        body: { code: 'month_closed' },
      });
    // One of every year ends: its next day is a working day.
    await remove(holiday.id);
    expect(
      [await listOf(2026), await listOf(2027)].map((list) => list.filter((day) => day.includes('-07-31'))),
    ).toEqual([['2026-07-31 half_day'], []]);
    expect(await targetsOf('2026-07-31', '2026-07-31')).toEqual(targets);
    expect(await admin.call('DELETE', holidays(`/${holiday.id}`))).toMatchObject({ status: 409 });
  });

  it('holidays belong to one company', async () => {
    const { id } = await add({ date: '2027-03-01', kind: 'day_off', name_en: 'Own' });
    const path = `/app/admin/companies/${world.nord}/holidays`;
    for (const [method, suffix, body] of [
      ['GET', '?year=2027', undefined],
      ['POST', '', { date: '2027-03-02', kind: 'day_off', name_en: 'Other' }],
      ['DELETE', `/${id}`, undefined],
    ] as const)
      expect(await admin.call(method, `${path}${suffix}`, body === undefined ? {} : { body })).toMatchObject({
        status: 404,
      });
    expect(await admin.call('DELETE', holidays('/hol_999999'))).toMatchObject({ status: 404 });
    expect(await zoe.call('POST', holidays(), { body: { date: '2027-03-02', kind: 'day_off' } })).toMatchObject({
      status: 403,
    });
  });
});
