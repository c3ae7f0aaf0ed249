import { oneDialect } from '@clockproof/platform/testing/databases';
import { minute, parseInstant } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { draftOf } from '../../src/absences/draft.js';
import { requestAbsence } from '../../src/absences/request-absence.js';
import { stamp } from '../../src/clock/stamp.js';
import { calculateCompanyMonth, type FoundOnDay, readCompanyMonth } from '../../src/months/company-month.js';
import { readPersonDays, readPersonMonths } from '../../src/months/person-balance.js';
import { findCompany, findPerson } from '../../src/people/rows.js';
import { allCompanies } from '../../src/store/every-company.js';
import { changePersonRecord } from '../../src/working-time/change-person.js';
import { addSchedule } from '../../src/working-time/change-schedule.js';
import { closeMonth, hire, recordWork } from '../builders.js';
import { createWorld, type World } from '../world.js';

const system = { kind: 'system' } as const;
const at = (text: string) => parseInstant(text)!;

describe.each(oneDialect)('balances on %s', (dialect) => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld(dialect);
  });
  afterEach(() => world.close());

  const person = async (id: number) => (await findPerson(world.db, id, allCompanies))!;
  const newcomer = (fields: object = {}) =>
    world.service.store.write({ actor: system, at: at('2026-08-20T08:00:00Z') }, (write) =>
      hire(write, {
        companyId: world.nord,
        firstName: 'New',
        lastName: 'Comer',
        employmentStart: '2026-09-01',
        ...fields,
      }),
    );
  const company = async () => (await findCompany(world.db, world.nord))!;
  /** A worked stretch on a day: from 08:00 in Hamburg (winter). */
  const addWork = (
    personId: number,
    date: string,
    minutes: number,
    status: 'recorded' | 'pending' | 'rejected' = 'recorded',
    from = `${date}T07:00:00Z`,
  ) =>
    recordWork(world, {
      person_id: personId,
      date,
      start_at: at(from),
      end_at: at(from) + minutes * minute,
      status,
    });
  const addAbsence = (
    personId: number,
    type: string,
    start_date: string,
    end_date = start_date,
    half_day: 'morning' | null = null,
  ) =>
    world.write((write) =>
      requestAbsence(write, {
        personId,
        companyId: world.nord,
        draft: draftOf({ type, start_date, end_date, half_day }),
        author: { kind: 'admin', personId },
      }),
    );

  it('balances compare worked and due time by day: schedule, holiday, weekend, absence', async () => {
    const id = await newcomer();
    world.set(at('2026-11-05T12:00:00Z'));
    await addAbsence(id, 'sickness', '2026-10-28');
    await addAbsence(id, 'vacation', '2026-10-29', '2026-10-29', 'morning');
    await addAbsence(id, 'home_office', '2026-10-27');
    await addAbsence(id, 'overtime_reduction', '2026-10-30');
    await addWork(id, '2026-10-26', 495);
    await addWork(id, '2026-10-27', 480);
    await addWork(id, '2026-10-29', 250);
    await addWork(id, '2026-10-31', 60);
    const days = await readPersonDays(world.db, await person(id), '2026-10-26', '2026-11-01');
    expect(
      days.map((day) => [
        day.date,
        day.due.scheduledMinutes - day.due.creditedMinutes,
        day.workedMinutes,
        day.holiday?.en,
        day.absences.map((absence) => absence.type).join(),
      ]),
    ).toEqual([
      ['2026-10-26', 480, 495, undefined, ''],
      ['2026-10-27', 480, 480, undefined, 'home_office'],
      ['2026-10-28', 0, 0, undefined, 'sickness'],
      ['2026-10-29', 240, 250, undefined, 'vacation'],
      ['2026-10-30', 480, 0, undefined, 'overtime_reduction'],
      ['2026-10-31', 0, 60, 'Reformation Day', ''],
      ['2026-11-01', 0, 0, undefined, ''],
    ]);
    expect(days.map((day) => day.found.map((finding) => finding.code).join())).toEqual([
      'daily_limit_near,break_missing',
      'break_missing',
      '',
      '',
      '',
      'holiday_work',
      '',
    ]);
  });

  it.each([
    ['that lies ahead', '2026-09-01', '2026-09-01'],
    ['that lies earlier in the month in which they are added', '2026-08-03', '2026-08-03'],
    ['that lies earlier still: with the day on which they are added', '2020-01-01', '2026-08-20'],
    ['that is not known: with the day on which they are added', undefined, '2026-08-20'],
  ])('balances begin with the first day of an employment %s', async (_, employmentStart, start) => {
    const { tracking_start: from } = await person(await newcomer({ employmentStart }));
    expect(from).toBe(start);
  });

  it('balances carry from month to month, from the opening balance on, and leave today out', async () => {
    const id = await newcomer();
    world.set(at('2026-11-04T12:00:00Z'));
    await world.write((write) =>
      changePersonRecord(write, id, world.nord, { tracking_start: '2026-09-28', opening_minutes: 600 }),
    );
    for (const date of ['2026-09-28', '2026-09-29', '2026-09-30']) await addWork(id, date, 500);
    // Before time was kept here: it is there to read but not in the balance.
    await addWork(id, '2026-09-25', 900);
    for (let day = 1; day <= 31; day += 1)
      if (![0, 6].includes(new Date(`2026-10-${String(day).padStart(2, '0')}`).getUTCDay()))
        await addWork(id, `2026-10-${String(day).padStart(2, '0')}`, 470);
    await addWork(id, '2026-11-02', 480);
    await addWork(id, '2026-11-04', 100);
    const [dayBefore] = await readPersonDays(world.db, await person(id), '2026-09-25', '2026-09-25');
    expect(dayBefore).toMatchObject({ workedMinutes: 900, differenceMinutes: 0 });
    const months = await readPersonMonths(world.db, await person(id), '2026-11', world.now());
    expect(
      months.map((month) => [
        month.month,
        month.sum.targetMinutes,
        month.sum.workedMinutes,
        month.sum.differenceMinutes,
        month.carriedMinutes,
        month.balanceMinutes,
      ]),
    ).toEqual([
      ['2026-09', 3 * 480, 1_500, 60, 600, 660],
      // Twenty-two weekdays; the holiday of the month is a Saturday, and so is Reformation Day.
      ['2026-10', 22 * 480, 22 * 470, -220, 660, 440],
      // Monday worked, Tuesday missed; today and the days to come count once they are over.
      ['2026-11', 2 * 480, 480, -480, 440, -40],
    ]);
  });

  it('balances leave out pending and rejected time, and time outside of employment', async () => {
    const id = await newcomer({ employmentStart: '2026-10-05', employmentEnd: '2026-10-09' });
    world.set(at('2026-11-04T12:00:00Z'));
    await addWork(id, '2026-10-05', 480);
    await addWork(id, '2026-10-06', 480, 'pending');
    await addWork(id, '2026-10-07', 480, 'rejected');
    const [october] = (await readPersonMonths(world.db, await person(id), '2026-10', world.now())).slice(-1);
    expect(october?.sum).toMatchObject({ targetMinutes: 5 * 480, workedMinutes: 480, differenceMinutes: -4 * 480 });
  });

  it("balances follow the schedule of the day, and the company's where there is none", async () => {
    const id = await newcomer();
    world.set(at('2026-11-04T12:00:00Z'));
    await world.write(async (write) => {
      await addSchedule(write, {
        companyId: world.nord,
        personId: id,
        validFrom: '2026-10-15',
        week: [300, 300, 300, 0, 0, 0, 0],
      });
      await addSchedule(write, {
        companyId: world.nord,
        personId: null,
        validFrom: '2026-10-08',
        week: [420, 420, 420, 420, 420, 0, 0],
      });
    });
    const scheduledMinutes = (await readPersonDays(world.db, await person(id), '2026-10-07', '2026-10-20')).map(
      (day) => day.due.scheduledMinutes,
    );
    expect(scheduledMinutes).toEqual([480, 420, 420, 0, 0, 420, 420, 420, 0, 0, 0, 0, 300, 300]);
    await world.db.write((tx) => tx.run('DELETE FROM schedules'));
  });

  it('balances count the open entry on its day up to now, without the current break', async () => {
    const id = await newcomer();
    const employee = await person(id);
    const stampAt = (kind: 'in' | 'break_start', text: string) =>
      world.service.store.write({ actor: system, at: at(text) }, (write) =>
        stamp(write, { personId: id, companyId: employee.company_id, kind, source: { kind: 'web' } }),
      );
    await stampAt('in', '2026-11-05T07:00:00Z');
    await stampAt('break_start', '2026-11-05T09:00:00Z');
    const [today] = await readPersonDays(world.db, employee, '2026-11-05', '2026-11-05', at('2026-11-05T09:20:00Z'));
    expect(today).toMatchObject({ workedMinutes: 120, breakMinutes: 20 });
    expect((await readPersonDays(world.db, employee, '2026-11-05', '2026-11-05'))[0]).toMatchObject({
      workedMinutes: 0,
    });
  });

  it('balances count a day of 25 hours and a night over the change of clocks in elapsed time', async () => {
    const id = await newcomer();
    await addWork(id, '2026-10-25', 120, 'recorded', '2026-10-25T00:00:00Z');
    await addWork(id, '2026-10-24', 600, 'recorded', '2026-10-24T20:00:00Z');
    const days = await readPersonDays(world.db, await person(id), '2026-10-24', '2026-10-25');
    expect(days.map((day) => day.workedMinutes)).toEqual([600, 120]);
  });

  it('a company report equals its people one by one, open or closed, with broken rules', async () => {
    world.set(at('2026-12-02T08:00:00Z'));
    for (let index = 1; index <= 6; index++) {
      const id = await newcomer();
      await world.write((write) => changePersonRecord(write, id, world.nord, { opening_minutes: index * 10 }));
      await addWork(id, `2026-09-0${index}`, 400 + index);
      await addWork(id, `2026-10-0${index}`, 640 + index);
      await addWork(id, '2026-10-12', 300, 'rejected');
      await addAbsence(id, 'sickness', `2026-10-1${index}`);
    }
    const findings: FoundOnDay[] = [];
    const lines = await calculateCompanyMonth(world.db, await company(), '2026-10', world.now(), {
      onFinding: (finding) => findings.push(finding),
    });
    const report = await readCompanyMonth(world.db, await company(), '2026-10', world.now());
    expect(report.lines.length).toBeGreaterThan(5);
    for (const line of report.lines) {
      const personMonth = (await readPersonMonths(world.db, await person(line.person.id), '2026-10', world.now())).at(
        -1,
      )!;
      expect(line.sum).toMatchObject(personMonth.sum);
      expect([line.carriedMinutes, line.balanceMinutes]).toEqual([
        personMonth.carriedMinutes,
        personMonth.balanceMinutes,
      ]);
    }
    expect(findings.length).toBeGreaterThan(5);
    expect(findings.length).toBe(lines.reduce((sum, line) => sum + line.sum.findings, 0));
    expect(findings.map((finding) => finding.date)).toEqual([...findings.map((finding) => finding.date)].sort());
    for (const month of ['2026-09', '2026-10', '2026-11']) await closeMonth(world, { month });
    const closedReport = await readCompanyMonth(world.db, await company(), '2026-10', world.now());
    expect(closedReport).toEqual({ ...report, closed: true });
    for (const line of closedReport.lines) {
      const personMonth = (await readPersonMonths(world.db, await person(line.person.id), '2026-10', world.now())).at(
        -1,
      )!;
      expect([personMonth.sum, personMonth.balanceMinutes, personMonth.closed]).toEqual([
        line.sum,
        line.balanceMinutes,
        true,
      ]);
    }
  });
});
