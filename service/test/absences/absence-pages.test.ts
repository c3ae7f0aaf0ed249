import { oneDialect } from '@clockproof/platform/testing/databases';
import { minute, parseInstant } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { settledPosition } from '../../src/store/position.js';
import type { Browser } from '../browser.js';
import { type Newcomer, sendStamp } from '../builders.js';
import { type Answer, createWorld, type World } from '../world.js';

describe.each(oneDialect)('absences on the pages on %s', (dialect) => {
  let world: World;
  let lead: number;
  let admin: number;
  let southAdmin: number;
  const browsers = new Map<number, Browser>();
  beforeEach(async () => {
    world = await createWorld(dialect);
    const hireGerman = (firstName: string, newcomer: Newcomer) =>
      world.hire({ firstName, email: `${firstName.toLowerCase()}@clockproof.example`, language: 'de', ...newcomer });
    lead = await hireGerman('Lea', { lastName: 'Dorn', role: 'approver', departmentId: world.office });
    admin = await hireGerman('Tom', { lastName: 'Amt', role: 'company_admin' });
    southAdmin = await hireGerman('Sue', { lastName: 'Alpe', role: 'company_admin', companyId: world.sued });
    const people = [world.people.ada, world.people.ben, lead, admin, southAdmin];
    for (const id of people) browsers.set(id, await world.as(id));
  });
  afterEach(() => world.close());
  const call = (personId: number, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    browsers.get(personId)!.call(method, `/app/${path}`, { ...(body === undefined ? {} : { body }), headers });
  const idOf = (answer: Answer) => answer.body['id'] as number;
  const data = (answer: Answer) => answer.body['data'] as Record<string, unknown>[];
  const week = { type: 'vacation', start_date: '2026-12-14', end_date: '2026-12-18' };

  const entitle = (person: number) =>
    call(admin, 'PUT', `admin/people/${person}/entitlements/2026`, {
      days: 6,
      carried_over_days: 1.5,
      carry_over_until: '2027-03-31',
    });

  it('a page says where no entitlement is set, and where work is recorded on days of the absence', async () => {
    const { ada } = world.people;
    expect((await call(ada, 'POST', 'me/absence-preview', week)).body).toMatchObject({
      left_days: -5,
      warnings: [{ code: 'entitlement_missing', message: 'No vacation entitlement is set for 2026.' }],
    });
    await call(ada, 'POST', 'me/clock/in');
    world.advance(20 * minute);
    await call(ada, 'POST', 'me/clock/out');
    const period = { start_date: '2026-11-22', end_date: '2026-11-24' };
    const hints = async (draft: object) =>
      (await call(ada, 'POST', 'me/absence-preview', { ...period, ...draft })).body['warnings'];
    expect(await hints({ type: 'sickness' })).toEqual([
      { code: 'work_recorded', message: 'Work is recorded on 1 day of this period, first on 23 November 2026.' },
    ]);
    expect(await hints({ type: 'home_office' })).toEqual([]);
    const half = { type: 'sickness', start_date: '2026-11-23', end_date: '2026-11-23', half_day: 'morning' };
    expect(await hints(half)).toEqual([]);
    expect(await hints({ type: 'sickness', start_date: '2026-11-24' })).toEqual([]);
  });

  it('a page warns a person who clocks in during an absence', async () => {
    const { ada, ben } = world.people;
    const requestAbsence = (personId: number, draft: object) =>
      call(personId, 'POST', 'me/absences', {
        type: 'sickness',
        start_date: '2026-11-23',
        end_date: '2026-11-24',
        ...draft,
      });
    const codes = async (personId: number) => {
      const { body } = await call(personId, 'POST', 'me/clock/in');
      expect((await call(personId, 'POST', 'me/clock/out')).body).toMatchObject({ warnings: [] });
      return body['warnings'];
    };
    expect((await requestAbsence(ben, { type: 'home_office' })).status).toBe(201);
    expect(await codes(ben)).toEqual([]);
    expect(await codes(ada)).toEqual([]);
    expect(await requestAbsence(ada, {})).toMatchObject({ status: 201, body: { status: 'approved' } });
    expect(await codes(ada)).toEqual([{ code: 'absence_recorded', message: 'Recorded for today: Sickness.' }]);
    // It ends on the day in the company, not in UTC.
    world.set(parseInstant('2026-11-24T22:59:00Z')!);
    expect((await sendStamp(world, 'in')).warnings).toMatchObject([{ code: 'absence_recorded' }]);
    await sendStamp(world, 'out');
    world.set(parseInstant('2026-11-24T23:00:00Z')!);
    expect((await sendStamp(world, 'in')).warnings).toEqual([]);
  });

  it('a page names the kind of absence in the language of the reader', async () => {
    const { ada } = world.people;
    await call(ada, 'POST', 'me/absences', week);
    const labels = async (personId: number, path: string) =>
      data(await call(personId, 'GET', path)).map((row) => (row['absence'] ?? row) as Record<string, unknown>);
    expect(await labels(admin, 'approvals')).toMatchObject([{ type_label: 'Urlaub' }]);
    expect(data(await call(admin, 'GET', 'approvals'))).toMatchObject([
      { conflicts: [{ message: 'Für 2026 ist kein Urlaubsanspruch hinterlegt.' }] },
    ]);
    const december = 'from=2026-12-01&to=2026-12-31';
    expect(await labels(admin, `team/absences?${december}`)).toMatchObject([{ type_label: 'Urlaub' }]);
    expect(await labels(admin, `people/${ada}/absences?${december}`)).toMatchObject([{ type_label: 'Urlaub' }]);
    expect(await labels(ada, `me/absences?${december}`)).toMatchObject([{ type_label: 'Vacation' }]);
  });

  it('a preview shows what an absence would mean, and stores nothing', async () => {
    const { ada } = world.people;
    expect(await entitle(ada)).toMatchObject({
      status: 200,
      body: { days: 6, carried_over_days: 1.5, account: { left_days: 7.5 } },
    });
    const position = await settledPosition(world.db);
    expect(await call(ada, 'POST', 'me/absence-preview', week)).toMatchObject({
      status: 200,
      body: { days: 5, requires_approval: true, left_days: 2.5, warnings: [] },
    });
    expect(await call(ada, 'POST', 'me/absence-preview', { ...week, start_date: '2026-12-07' })).toMatchObject({
      body: { days: 10, left_days: -2.5, warnings: [{ code: 'entitlement_exceeded' }] },
    });
    expect(await call(ada, 'POST', 'me/absence-preview', { ...week, type: 'nonsense' })).toMatchObject({
      status: 422,
      body: { code: 'absence_type_unknown' },
    });
    expect(await settledPosition(world.db)).toEqual(position);
    expect(data(await call(ada, 'GET', 'me/absences?from=2026-12-01&to=2026-12-31'))).toEqual([]);
  });

  it('vacation on free days is refused, and the preview counts the days', async () => {
    const { ada } = world.people;
    const weekend = { start_date: '2026-12-05', end_date: '2026-12-06' };
    const vacation = { type: 'vacation', ...weekend };
    expect(await call(ada, 'POST', 'me/absence-preview', vacation)).toMatchObject({ status: 200, body: { days: 0 } });
    const refusal = { status: 400, body: { details: [{ field: 'end_date', code: 'out_of_range' }] } };
    expect(await call(ada, 'POST', 'me/absences', vacation)).toMatchObject(refusal);
    const absence = await call(ada, 'POST', 'me/absences', week);
    expect(await call(ada, 'PATCH', `me/absences/${idOf(absence)}`, weekend)).toMatchObject(refusal);
    expect((await call(ada, 'POST', 'me/absences', { type: 'sickness', ...weekend })).status).toBe(201);
  });

  it('a person requests, changes and withdraws an absence on the page', async () => {
    const { ada, ben } = world.people;
    await entitle(ada);
    const answer = await call(ada, 'POST', 'me/absences', { ...week, comment: 'Ski' });
    expect(answer).toMatchObject({
      status: 201,
      body: { status: 'waiting', days: 5, created_by: { kind: 'person', name: 'Ada Lang' } },
    });
    expect(
      await call(
        ada,
        'PATCH',
        `me/absences/${idOf(answer)}`,
        { end_date: '2026-12-16' },
        { 'if-match': answer.headers.get('etag')! },
      ),
    ).toMatchObject({ status: 200, body: { days: 3 } });
    expect(
      await call(
        ada,
        'PATCH',
        `me/absences/${idOf(answer)}`,
        { end_date: '2026-12-17' },
        { 'if-match': answer.headers.get('etag')! },
      ),
    ).toMatchObject({ status: 412 });
    for (const [method, body] of [
      ['PATCH', { comment: 'x' }],
      ['DELETE', undefined],
    ] as const)
      expect(await call(ben, method, `me/absences/${idOf(answer)}`, body)).toMatchObject({
        status: 404,
        body: { code: 'not_found' },
      });
    expect(data(await call(ada, 'GET', 'me/absences?from=2026-12-16&to=2026-12-31'))).toMatchObject([
      { id: idOf(answer), status: 'waiting' },
    ]);
    expect((await call(ada, 'GET', 'me/vacation?year=2026')).body).toEqual({
      year: 2026,
      entitled_days: 6,
      booked_days: 0,
      expired_days: 0,
      carried_over_days: 1.5,
      carry_over_until: '2027-03-31',
      taken_days: 0,
      planned_days: 0,
      waiting_days: 3,
      left_days: 7.5,
    });
    expect(await call(ada, 'DELETE', `me/absences/${idOf(answer)}`)).toMatchObject({
      status: 200,
      body: { status: 'withdrawn' },
    });
    expect(await call(ada, 'DELETE', `me/absences/${idOf(answer)}`)).toMatchObject({
      status: 409,
      body: { code: 'absence_not_changeable' },
    });
    expect(data(await call(ada, 'GET', 'me/absence-types')).map((type) => type['key'])).toContain('vacation');
  });

  it('a person sees who decided last about an absence or its cancellation, with the comment', async () => {
    const { ada } = world.people;
    const absences = async () => data(await call(ada, 'GET', 'me/absences?from=2026-12-01&to=2026-12-31'));
    const decide = async (verb: 'approve' | 'reject', comment?: string) => {
      const [{ id }] = data(await call(lead, 'GET', 'approvals?state=waiting')) as [{ id: string }];
      expect(await call(lead, 'POST', `approvals/${id}/${verb}`, comment && { comment })).toMatchObject({
        status: 200,
      });
    };
    const rejectedId = idOf(await call(ada, 'POST', 'me/absences', week));
    expect((await absences())[0]).not.toHaveProperty('decided_by');
    await decide('reject', 'Three are away already');
    const approvedId = idOf(await call(ada, 'POST', 'me/absences', week));
    await decide('approve');
    const lea = { id: lead, name: 'Lea Dorn' };
    const decidedAbsences = await absences();
    expect(decidedAbsences).toMatchObject([
      { id: rejectedId, status: 'rejected', decided_by: lea, decision_comment: 'Three are away already' },
      { id: approvedId, status: 'approved', decided_by: lea, decided_at: expect.stringMatching(/Z$/) },
    ]);
    expect(decidedAbsences[1]).not.toHaveProperty('decision_comment');
    await call(ada, 'DELETE', `me/absences/${approvedId}`);
    expect((await absences())[1]).toMatchObject({ status: 'cancellation_requested', decided_by: lea });
    await decide('reject', 'The hotel is paid');
    expect((await absences())[1]).toMatchObject({ status: 'approved', decision_comment: 'The hotel is paid' });
    expect((await absences())[0]).toMatchObject({ decision_comment: 'Three are away already' });
  });

  it('an approver records an approved absence for a person they decide about', async () => {
    const { ada, ben, zoe } = world.people;
    await entitle(ada);
    const specialLeave = { type: 'special_leave', start_date: '2026-11-24', end_date: '2026-11-25' };
    expect(await call(lead, 'POST', `people/${ada}/absences`, specialLeave)).toMatchObject({
      status: 201,
      body: { status: 'approved', days: 2, created_by: { kind: 'admin', name: 'Lea Dorn' } },
    });
    expect(await call(lead, 'POST', `people/${lead}/absences`, specialLeave)).toMatchObject({
      status: 403,
      body: { code: 'own_request' },
    });
    for (const stranger of [ben, zoe, 424_242])
      expect(await call(lead, 'POST', `people/${stranger}/absences`, specialLeave)).toMatchObject({
        status: 404,
        body: { code: 'not_found' },
      });
    expect(await call(ada, 'POST', `people/${ben}/absences`, specialLeave)).toMatchObject({
      status: 403,
      body: { code: 'forbidden' },
    });
    expect((await call(lead, 'GET', `people/${ada}/vacation?year=2026`)).body).toMatchObject({ entitled_days: 6 });
    expect((await call(lead, 'GET', `people/${ben}/vacation?year=2026`)).status).toBe(404);
  });

  it('an approver sees what a vacation over New Year takes from each of the years', async () => {
    const { ada } = world.people;
    await call(ada, 'POST', 'me/absences', { ...week, start_date: '2026-12-10', end_date: '2026-12-11' });
    const long = await call(ada, 'POST', 'me/absences', { ...week, end_date: '2027-01-08' });
    const accountOf = async (year: number) =>
      (await call(lead, 'GET', `people/${ada}/vacation?year=${year}&absence=${idOf(long)}`)).body;
    // From 14 to 31 December, without the holidays on 25 and 26 December, and in January without New Year's Day.
    expect(await accountOf(2026)).toMatchObject({ waiting_days: 15, absence_days: 13 });
    expect(await accountOf(2027)).toMatchObject({ waiting_days: 5, absence_days: 5 });
    expect((await call(lead, 'GET', `people/${ada}/vacation?year=2026`)).body).not.toHaveProperty('absence_days');
  });

  it('days are counted again when the schedule or the holidays of a person change', async () => {
    const { ben } = world.people;
    const vacation = await call(ben, 'POST', 'me/absences', {
      type: 'vacation',
      start_date: '2027-05-24',
      end_date: '2027-05-28',
    });
    expect(vacation).toMatchObject({ status: 201, body: { days: 5 } });
    const days = async () =>
      data(await call(ben, 'GET', 'me/absences?from=2027-05-01&to=2027-05-31')).map((row) => row['days']);
    const minutes = { monday: 480, tuesday: 480, wednesday: 480, thursday: 480, friday: 0, saturday: 0, sunday: 0 };
    const schedule = await call(admin, 'POST', `admin/people/${ben}/schedules`, { valid_from: '2027-05-01', minutes });
    expect([schedule.status, await days()]).toEqual([201, [4]]);
    expect((await call(admin, 'DELETE', `admin/people/${ben}/schedules/${schedule.body['id'] as string}`)).status).toBe(
      204,
    );
    expect(await days()).toEqual([5]);
    // Corpus Christi, 27 May 2027, is a holiday in Bavaria and not in Hamburg.
    expect((await call(admin, 'PATCH', `admin/companies/${world.nord}`, { region: 'DE-BY' })).status).toBe(200);
    expect(await days()).toEqual([4]);
    expect((await call(admin, 'PATCH', `admin/companies/${world.nord}`, { region: 'DE-HH' })).status).toBe(200);
    expect(await days()).toEqual([5]);
    expect((await call(ben, 'DELETE', `me/absences/${idOf(vacation)}`)).status).toBe(200);
  });

  it('the team sees who is away, and only deciders see why', async () => {
    const { ada, ben } = world.people;
    await call(lead, 'POST', `people/${ada}/absences`, {
      type: 'special_leave',
      start_date: '2026-11-24',
      end_date: '2026-11-25',
    });
    await call(admin, 'POST', `people/${ben}/absences`, {
      type: 'sickness',
      start_date: '2026-11-24',
      end_date: '2026-11-24',
    });
    const team = async (personId: number, query = '') =>
      data(await call(personId, 'GET', `team/absences?from=2026-11-23&to=2026-11-29${query}`));
    expect(await team(lead)).toMatchObject([
      { person: { id: ada, name: 'Ada Lang' }, type_label: 'Sonderurlaub', away: true },
    ]);
    expect((await team(admin)).map((row) => (row['person'] as { id: number }).id).sort()).toEqual([ada, ben]);
    const colleague = await world.hire({
      firstName: 'Uli',
      lastName: 'Neu',
      email: 'uli@clockproof.example',
      departmentId: world.office,
      language: 'de',
    });
    browsers.set(colleague, await world.as(colleague));
    const absences = await team(colleague);
    expect(absences).toMatchObject([{ person: { id: ada }, status: 'approved' }]);
    expect(absences[0]).not.toHaveProperty('type_label');
    expect(absences[0]).not.toHaveProperty('away');
    // The company chooses a colour, which says nothing to colleagues, and then to tell them the kind too.
    const changeType = (body: object) =>
      call(admin, 'PATCH', `admin/companies/${world.nord}/absence-types/special_leave`, body);
    expect((await changeType({ color: 'violet' })).body).toMatchObject({ color: 'violet', visible_to: 'approvers' });
    const [absence] = await team(colleague);
    expect(absence).not.toHaveProperty('type_label');
    expect(absence).not.toHaveProperty('color');
    expect((await team(lead))[0]).toMatchObject({ type_label: 'Sonderurlaub', color: 'violet' });
    expect((await changeType({ visible_to: 'everyone' })).body).toMatchObject({
      color: 'violet',
      visible_to: 'everyone',
    });
    expect((await team(colleague))[0]).toMatchObject({ type_label: 'Sonderurlaub', away: true, color: 'violet' });
    expect((await team(ada))[0]).toMatchObject({ type_label: 'Special leave' });
    expect(
      (await call(ada, 'GET', `team/absences?from=2026-11-23&to=2026-11-29&department_id=${world.office + 1}`)).status,
    ).toBe(404);
    expect(await team(southAdmin)).toEqual([]);
  });

  it('an admin manages the kinds of absence of their own company', async () => {
    const path = `admin/companies/${world.nord}/absence-types`;
    const sabbatical = {
      key: 'sabbatical',
      label: 'Auszeit',
      half_day: false,
      requires_approval: true,
      counts_as_vacation: false,
      away: true,
    };
    expect(await call(admin, 'POST', path, sabbatical)).toMatchObject({
      status: 201,
      body: { ...sabbatical, built_in: false, active: true },
    });
    expect(await call(admin, 'POST', path, sabbatical)).toMatchObject({ status: 409, body: { code: 'value_taken' } });
    expect(await call(admin, 'PATCH', `${path}/vacation`, { label: 'Jahresurlaub', half_day: false })).toMatchObject({
      status: 200,
      body: { label: 'Jahresurlaub', half_day: false, built_in: true, requires_approval: true },
    });
    expect(data(await call(admin, 'GET', `${path}?limit=500`)).map((type) => type['key'])).toHaveLength(14);
    const first = await call(admin, 'GET', `${path}?limit=10`);
    expect(
      data(await call(admin, 'GET', `${path}?limit=10&cursor=${first.body['next_cursor'] as string}`)),
    ).toHaveLength(4);
    expect(await call(admin, 'DELETE', `${path}/vacation`)).toMatchObject({
      status: 409,
      body: { code: 'still_in_use' },
    });
    expect(await call(admin, 'DELETE', `${path}/nonsense`)).toMatchObject({ status: 404 });
    const draft = { type: 'sabbatical', start_date: '2027-03-01', end_date: '2027-03-01' };
    const absence = await call(world.people.ada, 'POST', 'me/absences', draft);
    expect(await call(admin, 'DELETE', `${path}/sabbatical`)).toMatchObject({ body: { code: 'still_in_use' } });
    await world.db.write((tx) => tx.run('DELETE FROM absences WHERE id = :id', { id: absence.body['id'] as number }));
    const payroll = (wage_types: object[]) =>
      call(admin, 'PUT', `admin/companies/${world.nord}/payroll`, { wage_types, columns: ['name'] });
    const hours = { code: '1', name: 'Hours', counts: 'work' };
    const absenceDays = { code: '2', name: 'Sabbatical', counts: 'absence', absence_type: 'sabbatical' };
    expect((await payroll([hours, absenceDays])).status).toBe(200);
    expect(await call(admin, 'DELETE', `${path}/sabbatical`)).toMatchObject({ body: { code: 'still_in_use' } });
    const surcharge = (date: string) => ({ code: '3', name: 'Day', counts: 'surcharge', days: 'dates', dates: [date] });
    for (const [date, status] of [
      ['02-30', 400],
      ['04-31', 400],
      ['02-29', 200],
    ] as const)
      expect([date, (await payroll([hours, surcharge(date)])).status]).toEqual([date, status]);
    expect((await call(admin, 'DELETE', `${path}/sabbatical`)).status).toBe(204);
    for (const method of ['GET', 'POST'] as const)
      expect((await call(southAdmin, method, path, method === 'POST' ? sabbatical : undefined)).status).toBe(404);
    expect((await call(lead, 'GET', path)).status).toBe(403);
  });

  it('an admin erases a deactivated person after typing the name and a fresh second factor', async () => {
    const { cem } = world.people;
    await entitle(world.people.ada);
    const erase = (personId: number, name: string, id = cem) =>
      call(personId, 'POST', `admin/people/${id}/erasure`, { confirm_name: name });
    browsers.set(admin, await world.as(admin));
    browsers.set(southAdmin, await world.as(southAdmin));
    expect(await erase(admin, 'Cem Ende')).toMatchObject({ status: 409, body: { code: 'still_in_use' } });
    await world.db.write((tx) => tx.run('UPDATE people SET active = 0 WHERE id = :cem', { cem }));
    const preview = await call(admin, 'GET', `admin/people/${cem}/erasure`);
    expect(preview).toMatchObject({ status: 200, body: { deactivated: true, records: [] } });
    expect((await call(southAdmin, 'GET', `admin/people/${cem}/erasure`)).status).toBe(404);
    expect(await erase(admin, 'Cem')).toMatchObject({ status: 400, body: { details: [{ field: 'confirm_name' }] } });
    expect((await erase(southAdmin, 'Cem Ende')).status).toBe(404);
    world.advance(16 * 60_000);
    expect(await erase(admin, 'Cem Ende')).toMatchObject({ status: 403, body: { code: 'second_factor_required' } });
    browsers.set(admin, await world.as(admin));
    expect((await erase(admin, 'Cem Ende')).status).toBe(204);
    expect((await erase(admin, 'Cem Ende')).status).toBe(404);
    expect((await call(admin, 'GET', `admin/people/${cem}/entitlements`)).status).toBe(404);
    expect((await call(admin, 'GET', `admin/people/${world.people.ada}/entitlements`)).body).toMatchObject({
      data: [{ year: 2026, days: 6 }],
    });
  });
});
