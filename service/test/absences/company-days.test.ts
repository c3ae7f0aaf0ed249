/** Rules that ask which day it is ask the wall clock of the company, here a day and a year ahead of UTC. */
import { oneDialect } from '@clockproof/platform/testing/databases';
import { type Instant, parseInstant } from '@clockproof/platform/time/instant';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { absencesToday } from '../../src/absences/absences-today.js';
import { seesAll } from '../../src/absences/deciders/approver-scope.js';
import { isInForce } from '../../src/absences/deciders/authority.js';
import { addSubstitute } from '../../src/absences/deciders/substitutes.js';
import { carryOverDays } from '../../src/absences/vacation/policy.js';
import { recordOfflineStamp } from '../../src/clock/offline-stamps.js';
import { changeCompany } from '../../src/hr/companies.js';
import { erasableFrom, readKeptRecords } from '../../src/hr/kept-records.js';
import { changePerson, deactivateAccount, issueInvitation } from '../../src/hr/people.js';
import { addTimeBooking } from '../../src/months/accounts/time-bookings.js';
import { calculateCompanyMonth } from '../../src/months/company-month.js';
import { readMonthsOfYear } from '../../src/months/months-of-year.js';
import { readDaysForViewer, readPersonMonths } from '../../src/months/person-balance.js';
import { readMonthSheet } from '../../src/months/sheets/month-sheet.js';
import type { PersonCaller } from '../../src/people/caller.js';
import { type NewPerson, recordCompany, recordPerson } from '../../src/people/people.js';
import { findCompany, findPerson, type PersonRow } from '../../src/people/rows.js';
import { closeCompanyMonth } from '../../src/proofs/close-month.js';
import { allCompanies } from '../../src/store/every-company.js';
import { createSealingKeys } from '../../src/store/sealing/sealing-keys.js';
import type { Write } from '../../src/store/write.js';
import { startIssuing } from '../../src/terminals/issuing.js';
import { changePersonRecord } from '../../src/working-time/change-person.js';
import type { Browser } from '../browser.js';
import { hire, sendAbsence, sendStamp } from '../builders.js';
import { issueBadge, openDoor } from '../door.js';
import { createWorld, dataKey, type World } from '../world.js';
import { zone } from '../zones.js';

const at = (text: string) => parseInstant(text)!;
/** In Kiritimati two o'clock in the morning of 1 January 2027. */
const newYear = at('2026-12-31T12:00:00Z');

describe.each(oneDialect)('the days of a company ahead of UTC on %s', (dialect) => {
  let world: World;
  let admin: { readonly person: PersonRow };
  let count = 0;
  const find = async (id: number) => (await findPerson(world.db, id, allCompanies))!;
  const write = <Result>(effect: (write: Write) => Promise<Result>, instant: Instant = newYear) =>
    world.service.store.write({ actor: { kind: 'system' }, at: instant }, effect);
  const employee = async (fields: Partial<NewPerson> = {}) => {
    const person = {
      companyId: world.nord,
      firstName: 'Noa',
      lastName: `Day ${++count}`,
      email: `noa${count}@clockproof.example`,
      role: 'employee',
      language: 'en',
      employmentStart: '2020-01-01',
      ...fields,
    } as const;
    return find(await write((tx) => recordPerson(tx, person), at('2026-11-02T00:00:00Z')));
  };
  const stamp = async (person: PersonRow, verb: 'in' | 'out', time: string) => {
    world.set(at(time));
    await sendStamp(world, verb, person.id);
  };
  const absence = async (person: PersonRow, date: string) => {
    const sickness = { user_id: person.id, type: 'sickness', start_date: date };
    expect(await sendAbsence(world, sickness)).toMatchObject({ status: 'approved' });
  };

  beforeAll(async () => {
    world = await createWorld(dialect);
    await world.db.write((tx) => tx.run("UPDATE companies SET time_zone = 'Pacific/Kiritimati'"));
    admin = { person: await employee({ role: 'super_admin' }) };
  });
  afterAll(() => world.close());

  it('a sheet is signed off when its month is over in a company ahead of UTC', async () => {
    expect((await readMonthSheet(world.db, await employee(), '2026-12', newYear, seesAll)).over).toBe(true);
  });

  it('a month closes when it is over in the company', async () => {
    for (const month of ['2026-11', '2026-12'])
      await write((tx) => closeCompanyMonth(tx, { companyId: world.sued, month }));
    const closing = write((tx) => closeCompanyMonth(tx, { companyId: world.sued, month: '2027-01' }));
    await expect(closing).rejects.toMatchObject({ code: 'month_not_closable' });
  });

  it('a month counts up to yesterday in the company', async () => {
    const { id } = await employee();
    const company = (await findCompany(world.db, world.nord))!;
    const minutes = async (instant: Instant) =>
      (await calculateCompanyMonth(world.db, company, '2026-12', instant)).find(({ person }) => person.id === id)!.sum
        .targetMinutes;
    expect(await minutes(newYear)).toBe(await minutes(at('2027-01-20T00:00:00Z')));
  });

  it("bookings of today are accepted in the company's time zone", async () => {
    const booking = { kind: 'correction', minutes: 5, reason: 'Late', by: admin.person.id } as const;
    const person = await employee();
    expect(await write((tx) => addTimeBooking(tx, person, { ...booking, date: '2027-01-01' }))).toMatchObject({
      minutes: 5,
    });
    const futureBooking = write((tx) => addTimeBooking(tx, person, { ...booking, date: '2027-01-02' }));
    await expect(futureBooking).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('vacation carries over from the year that has begun in the company', async () => {
    expect(await write((tx) => carryOverDays(tx, admin, world.sued, 2027))).toEqual([]);
  });

  it('tracking of a person begins on the day they are added', async () => {
    const id = await write((tx) => hire(tx, { companyId: world.nord, employmentStart: '2020-01-01' }));
    expect(await find(id)).toMatchObject({ tracking_start: '2027-01-01' });
  });

  it('tracking may begin as late as the end of next year', async () => {
    const { id, company_id: company } = await employee();
    const begin = (tracking_start: string) => write((tx) => changePersonRecord(tx, id, company, { tracking_start }));
    expect(await begin('2028-12-31')).toMatchObject({ tracking_start: '2028-12-31' });
    await expect(begin('2029-01-01')).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('an employment, and the work that goes on, ends at midnight of the company', async () => {
    const person = await employee();
    await stamp(person, 'in', '2026-12-31T09:00:00Z');
    const { ended: ending } = await write((tx) => changePerson(tx, admin, person.id, { employment_end: '2026-12-31' }));
    expect(ending?.openEntry).toBeDefined();
    expect(
      await world.db.all('SELECT date, end_at FROM time_entries WHERE person_id = :id', { id: person.id }),
    ).toEqual([{ date: '2026-12-31', end_at: at('2026-12-31T10:00:00Z') }]);
  });

  it('a person may leave today, and not tomorrow', async () => {
    const { id } = await employee();
    const leave = (lastDay: string) => write((tx) => deactivateAccount(tx, admin, id, lastDay));
    await expect(leave('2027-01-02')).rejects.toMatchObject({ code: 'invalid_request' });
    expect(await leave('2027-01-01')).toMatchObject({ person: { active: 0 } });
  });

  it('a person after their last day gets no invitation and no badge', async () => {
    const { id } = await employee({ employmentEnd: '2026-12-31' });
    const needs = { randomBytes: world.randomBytes, keys: createSealingKeys(undefined, dataKey, world.randomBytes) };
    const invitation = write((tx) => issueInvitation(tx, admin, id, needs));
    await expect(invitation).rejects.toMatchObject({ code: 'employment_ended' });
    const { terminalId } = await openDoor(world, 'gate');
    const issuing = write((tx) => startIssuing(tx, terminalId, { id, company_id: world.nord }));
    await expect(issuing).rejects.toMatchObject({ code: 'employment_ended' });
  });

  it('a record is kept until its last day, and no longer', async () => {
    const person = await employee();
    await stamp(person, 'in', '2026-12-31T09:00:00Z');
    await stamp(person, 'out', '2026-12-31T11:00:00Z');
    const [record] = await readKeptRecords(world.db, person);
    expect(record).toMatchObject({ kind: 'time_entries', first: '2026-12-31', last: '2027-01-01' });
    expect(erasableFrom([{ ...record!, until: '2026-12-31' }], person, newYear)).toBeUndefined();
    expect(erasableFrom([{ ...record!, until: '2027-01-01' }], person, newYear)).toBe('2027-01-02');
  });

  it('an offline stamp is placed on its day in the company', async () => {
    const person = await employee();
    const offlineStamp = {
      kind: 'in',
      stampedAt: at('2026-12-31T10:00:00Z'),
      terminal: { id: 'ter_1', name: 'Gate' },
    } as const;
    const entry = await write(async (tx) => {
      await tx.audit({ companyId: world.nord, action: 'offline_stamp.missing', details: { from: 1, to: 1 } });
      return recordOfflineStamp(tx, person, offlineStamp);
    });
    expect(entry.date).toBe('2027-01-01');
  });

  it('the presence list shows who is away today in the company', async () => {
    const person = await employee();
    await absence(person, '2027-01-01');
    const absences = await absencesToday(world.db, { company: world.nord }, [person], admin as PersonCaller, newYear);
    expect([...absences.keys()]).toEqual([person.id]);
  });

  it("a substitute gets their days in the company's time zone", async () => {
    const [approver, substitute] = [await employee({ role: 'approver' }), await employee({ role: 'approver' })];
    const addSubstituteOn = (day: string) =>
      write((tx) => addSubstitute(tx, approver, { substituteId: substitute.id, from: day, to: day }));
    await expect(addSubstituteOn('2026-12-31')).rejects.toMatchObject({ code: 'invalid_request' });
    const row = await addSubstituteOn('2027-01-01');
    expect(await isInForce(world.db, row, approver, newYear)).toBe(true);
    const yesterday = { from_date: '2026-12-31', to_date: '2026-12-31' };
    expect(await isInForce(world.db, yesterday, approver, newYear)).toBe(false);
  });

  it('a change of the region counts absences of open months again, past ones too', async () => {
    const person = await employee();
    // Epiphany is a holiday in Bavaria.
    world.set(at('2027-01-04T12:00:00Z'));
    await absence(person, '2027-01-06');
    for (const [region, days] of [
      ['DE-BY', 0],
      ['DE-HH', 2],
    ] as const) {
      await write((tx) => changeCompany(tx, admin, world.nord, { region }), at('2027-01-20T12:00:00Z'));
      expect(await world.db.get('SELECT half_days FROM absences WHERE person_id = :id', { id: person.id })).toEqual({
        half_days: days,
      });
    }
  });

  it('carried-over vacation expires after its last day in the company', async () => {
    const person = await employee();
    await world.db.write((tx) =>
      tx.run(
        `INSERT INTO vacation_entitlements (person_id, year, half_days, carried_half_days, carried_until)
         VALUES (:id, 2027, 40, 10, '2026-12-31')`,
        { id: person.id },
      ),
    );
    world.set(newYear);
    const [noa, root] = [await world.as(person.id), await world.as(admin.person.id)];
    const vacation = { type: 'vacation', start_date: '2027-02-01', end_date: '2027-02-01' };
    const leftDays = async (browser: Browser, path: string, body?: object) => {
      const answer = await browser.call(body === undefined ? 'GET' : 'POST', `/app/${path}`, body && { body });
      const { account, ...rest } = ((answer.body['data'] as [object] | undefined)?.[0] ?? answer.body) as {
        account?: { left_days: number };
        left_days: number;
      };
      return (account ?? rest).left_days;
    };
    expect(await leftDays(noa, 'me/vacation?year=2027')).toBe(20);
    expect(await leftDays(noa, 'me/vacation-statement?year=2027')).toBe(20);
    expect(await leftDays(noa, 'me/absence-preview', vacation)).toBe(19);
    expect(await leftDays(root, `people/${person.id}/vacation?year=2027`)).toBe(20);
    expect(await leftDays(root, `admin/people/${person.id}/entitlements`)).toBe(20);
    const people = (await root.call('GET', '/app/team/people?limit=500')).body['data'] as readonly {
      user_id: number;
      vacation_left_days: number;
    }[];
    expect(people.find(({ user_id }) => user_id === person.id)?.vacation_left_days).toBe(20);
  });

  it('the pages show the day, the month and the year that have begun in the company', async () => {
    const person = await employee();
    world.set(newYear);
    const browser = await world.as(person.id);
    expect((await browser.call('GET', '/app/me/overview')).body).toMatchObject({
      today: { date: '2027-01-01' },
      month: { month: '2027-01' },
    });
    expect(await readMonthsOfYear(world.db, person, 2027, newYear)).toHaveLength(1);
  });

  it('an account adds up to yesterday in the company', async () => {
    const person = await employee();
    const balance = async (instant: Instant) =>
      (await readPersonMonths(world.db, person, '2026-12', instant)).at(-1)!.balanceMinutes;
    expect(await balance(newYear)).toBe(await balance(at('2027-01-20T00:00:00Z')));
  });

  it('a booking is answered with the balance of today', async () => {
    const { id } = await employee();
    world.set(newYear);
    const root = await world.as(admin.person.id);
    const body = { kind: 'correction', minutes: 5, date: '2027-01-01', reason: 'Late' };
    const book = async () =>
      (await root.call('POST', `/app/admin/people/${id}/time-bookings`, { body })).body['balance_minutes'];
    expect(await book()).toBe(Number(await book()) - 5);
  });

  it('a missing record is reported after seven days', async () => {
    await world.db.write((tx) => tx.run('UPDATE companies SET record_duty = 1'));
    const person = await employee();
    const findingsOn = async (date: string) =>
      (await readDaysForViewer(world.db, person, { from: date, to: date }, newYear, seesAll)).flatMap((day) =>
        day.found.map(({ code }) => code),
      );
    expect([await findingsOn('2026-12-24'), await findingsOn('2026-12-28')]).toEqual([['record_missing'], []]);
    await world.db.write((tx) => tx.run('UPDATE companies SET record_duty = 0'));
  });

  it('the door shows the day of the company, and refuses a card after the last one', async () => {
    const [person, leaver] = [await employee(), await employee()];
    world.set(at('2026-12-30T08:00:00Z'));
    const door = await openDoor(world, 'hall', { showInfo: true, infoWithoutPin: true });
    const [card, leaverCard] = [
      await issueBadge(world, door, person.id, '04000000000001'),
      await issueBadge(world, door, leaver.id, '04000000000002'),
    ];
    await world.db.write((tx) =>
      tx.run("UPDATE people SET employment_end = '2026-12-31' WHERE id = :id", { id: leaver.id }),
    );
    await stamp(person, 'in', '2026-12-31T10:00:00Z');
    await stamp(person, 'out', '2026-12-31T11:00:00Z');
    world.set(newYear);
    const { session } = (await door.hold(card)).body;
    expect((await door.send('POST', '/api/v1/terminal/info', { session })).body).toMatchObject({
      worked_today_minutes: 60,
    });
    expect((await door.hold(leaverCard)).body).toMatchObject({ code: 'card_refused' });
  });

  it('the deduction of breaks starts today in the company', async () => {
    const place = { timeZone: zone('Pacific/Kiritimati'), country: 'DE' };
    const atoll = await write((tx) => recordCompany(tx, { name: 'Atoll', ...place, deductBreaks: true }));
    const lagoon = await write((tx) => recordCompany(tx, { name: 'Lagoon', ...place }));
    await write((tx) => changeCompany(tx, admin, lagoon, { deductBreaks: true }));
    for (const id of [atoll, lagoon])
      expect(await findCompany(world.db, id)).toMatchObject({ deducts_breaks_from: '2027-01-01' });
  });

  it('days of the audit log begin and end on the admin’s clock', async () => {
    const root = await employee({ role: 'super_admin' });
    const details = { from: '2026-01-01', to: '2026-01-31', entries: 0 } as const;
    const innerTimes = ['2026-12-31T10:00:00Z', '2027-01-01T09:59:59Z'];
    for (const time of ['2026-12-31T09:59:59Z', ...innerTimes, '2027-01-01T10:00:00Z'])
      await write((tx) => tx.audit({ companyId: world.nord, action: 'audit.exported', details }), at(time));
    world.set(newYear);
    const browser = await world.as(root.id);
    const { body } = await browser.call('GET', '/app/admin/audit?from=2027-01-01&to=2027-01-01&action=audit.exported');
    expect((body['data'] as { at: string }[]).map((entry) => entry.at).sort()).toEqual(innerTimes);
  });
});
