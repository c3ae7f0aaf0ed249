/** Absences in the hands of HR: changed, shortened, cancelled; sickness during vacation; and ids that are free again. */
import { oneDialect } from '@clockproof/platform/testing/databases';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifyAudit } from '../../src/store/audit/verify.js';
import type { Browser } from '../browser.js';
import { type Answer, createWorld, type World } from '../world.js';

describe.each(oneDialect)('absences changed by HR on %s', (dialect) => {
  let world: World;
  let boss: Browser;
  let lead: Browser;
  let ada: Browser;
  beforeAll(async () => {
    world = await createWorld(dialect);
    const add = (firstName: string, role: 'company_admin' | 'approver') =>
      world.hire({
        firstName,
        lastName: 'Chef',
        email: `${firstName}@clockproof.example`,
        role,
        departmentId: world.office,
      });
    const [bo, lea] = [await add('Bo', 'company_admin'), await add('Lea', 'approver')];
    boss = await world.as(bo);
    lead = await world.as(lea);
    ada = await world.as(world.people.ada);
    // Without days there is nothing to give back.
    const days = { days: 30, carried_over_days: 0 };
    await boss.call('PUT', `/app/admin/people/${world.people.ada}/entitlements/2027`, { body: days });
  });
  afterAll(async () => {
    expect(await verifyAudit(world.db)).toMatchObject({ intact: true });
    await world.close();
  });

  const record = (body: object, browser = boss, person = world.people.ada) =>
    browser.call('POST', `/app/people/${person}/absences`, { body: { type: 'vacation', ...body } });
  const idOf = ({ body }: Answer) => body['id'] as number;
  const span = (start_date: string, end_date: string) => ({ start_date, end_date });
  const leftDays = async () => (await ada.call('GET', '/app/me/vacation?year=2027')).body['left_days'] as number;

  it('HR changes and shortens approved absences without a new approval, and cancels them at once', async () => {
    const id = idOf(await record(span('2027-02-01', '2027-02-05')));
    const daysBefore = await leftDays();
    const change = await lead.call('PATCH', `/app/absences/${id}`, { body: { end_date: '2027-02-03' } });
    expect(change).toMatchObject({ status: 200, body: { status: 'approved', days: 3, end_date: '2027-02-03' } });
    expect(await leftDays()).toBe(daysBefore + 2);
    const stale = { headers: { 'if-match': '"v1"' } };
    expect((await lead.call('DELETE', `/app/absences/${id}`, stale)).status).toBe(412);
    const cancellation = await lead.call('DELETE', `/app/absences/${id}`);
    expect(cancellation).toMatchObject({ status: 200, body: { status: 'cancelled' } });
    expect(await leftDays()).toBe(daysBefore + 5);
    expect((await lead.call('DELETE', `/app/absences/${id}`)).body['code']).toBe('absence_not_changeable');
    const entries = await world.db.all<{ action: string; actor_kind: string }>(
      'SELECT action, actor_kind FROM audit_entries WHERE subject = :subject ORDER BY sequence',
      { subject: `absence ${id}` },
    );
    expect(entries.map(({ action }) => action)).toEqual(['absence.requested', 'absence.changed', 'absence.cancelled']);
  });

  it('HR changes absences of people one decides about, and never one’s own', async () => {
    const bensAbsenceId = idOf(await record(span('2027-02-08', '2027-02-08'), boss, world.people.ben));
    for (const [method, body] of [['PATCH', { end_date: '2027-02-09' }], ['DELETE']] as const) {
      expect((await lead.call(method, `/app/absences/${bensAbsenceId}`, { body })).status).toBe(404);
      expect((await ada.call(method, `/app/absences/${bensAbsenceId}`, { body })).status).toBe(403);
    }
    expect(
      (await lead.call('GET', `/app/people/${world.people.ben}/absences?from=2027-02-01&to=2027-02-28`)).status,
    ).toBe(404);
    const ownAbsenceId = idOf(
      await lead.call('POST', '/app/me/absences', { body: { type: 'sickness', ...span('2027-02-08', '2027-02-08') } }),
    );
    expect((await lead.call('DELETE', `/app/absences/${ownAbsenceId}`)).body['code']).toBe('own_request');
  });

  it.each([
    [
      'within it: divided',
      '2027-03-03',
      '2027-03-04',
      ['2027-03-01 2027-03-02 2 approved', '2027-03-05 2027-03-05 1 approved'],
      2,
    ],
    ['at its beginning: shortened', '2027-02-26', '2027-03-02', ['2027-03-03 2027-03-05 3 approved'], 2],
    ['at its end: shortened', '2027-03-04', '2027-03-08', ['2027-03-01 2027-03-03 3 approved'], 2],
    ['all of it: cancelled', '2027-03-01', '2027-03-05', ['2027-03-01 2027-03-05 5 cancelled'], 5],
  ])('vacation that turns out to be sickness is given back, %s', async (_, from, to, absences, days) => {
    const id = idOf(await record(span('2027-03-01', '2027-03-05')));
    const daysBefore = await leftDays();
    const sickness = { type: 'sickness', ...span(from, to) };
    expect((await record(sickness)).body['code']).toBe('absence_overlap');
    const answer = await record({ ...sickness, returns_vacation: true });
    expect(answer).toMatchObject({ status: 201, body: { status: 'approved' } });
    const lines = (
      await world.db.all<{ start_date: string; end_date: string; half_days: number; status: string }>(
        "SELECT * FROM absences WHERE id >= :id AND type = 'vacation' ORDER BY id",
        { id },
      )
    ).map(({ start_date, end_date, half_days, status }) => [start_date, end_date, half_days / 2, status].join(' '));
    expect(lines).toEqual(absences);
    expect(await leftDays()).toBe(daysBefore + days);
    const entries = await world.db.all<{ details: string }>(
      "SELECT details FROM audit_entries WHERE details LIKE '%returned%' AND subject = :subject",
      { subject: `absence ${id}` },
    );
    expect(entries.length).toBe(1);
    // The next case begins without any of it.
    for (const row of (await boss.call('GET', `/app/people/${world.people.ada}/absences?from=2027-02-20&to=2027-03-10`))
      .body['data'] as { id: number; status: string }[])
      if (row.status === 'approved')
        expect((await boss.call('DELETE', `/app/absences/${row.id}?freed_days=work`)).status).toBe(200);
  });

  it('half a day, other vacation and a pending absence give no vacation back', async () => {
    const day = span('2027-04-12', '2027-04-12');
    const request = await ada.call('POST', '/app/me/absences', { body: { type: 'vacation', ...day } });
    expect((await record({ type: 'sickness', ...day, returns_vacation: true })).body['code']).toBe('absence_overlap');
    const half = { type: 'sickness', ...day, half_day: 'morning', returns_vacation: true };
    const vacation = { type: 'vacation', ...day, returns_vacation: true };
    for (const body of [half, vacation])
      expect((await record(body)).body).toMatchObject({
        code: 'invalid_request',
        details: [{ field: 'returns_vacation' }],
      });
    expect((await ada.call('GET', '/app/me/absences?from=2027-04-01&to=2027-04-30')).body['data']).toMatchObject([
      { id: idOf(request), status: 'waiting' },
    ]);
  });

  const withKey = (method: string, path: string, body?: object, key = world.planner.key) =>
    world.call(method, `/api/v1/absences${path}`, { key, ...(body === undefined ? {} : { body }) });

  it('the extension that created an absence can read it after HR changed it, without hints about writing', async () => {
    const draft = { user_id: world.people.ada, type: 'training', ...span('2027-05-03', '2027-05-03') };
    const creation = await withKey('POST', '', { ...draft, external_id: 'HR-77' });
    const answer = await world.call('GET', creation.headers.get('location')!, { key: world.planner.key });
    const { warnings: _, ...record } = creation.body;
    expect([answer.status, answer.body]).toEqual([200, record]);
    expect(answer.headers.get('etag')).toBe(creation.headers.get('etag'));
    expect((await withKey('GET', `/${idOf(creation)}`, undefined, world.souther.key)).status).toBe(404);
    expect((await withKey('GET', `/${idOf(creation)}`, undefined, world.reader.key)).body['code']).toBe(
      'insufficient_scope',
    );
  });

  it('absences free their external id when HR takes them back', async () => {
    const draft = {
      user_id: world.people.ada,
      type: 'training',
      ...span('2027-05-10', '2027-05-10'),
      external_id: 'HR-78',
    };
    const first = await withKey('POST', '', draft);
    expect((await withKey('POST', '', { ...draft, comment: 'other' })).body['code']).toBe('external_id_conflict');
    expect((await withKey('DELETE', `/${idOf(first)}`)).body['status']).toBe('withdrawn');
    const second = await withKey('POST', '', { ...draft, comment: 'other' });
    expect(second).toMatchObject({ status: 201, body: { external_id: 'HR-78', comment: 'other' } });
    expect(idOf(second)).not.toBe(idOf(first));
    expect((await withKey('GET', `/${idOf(first)}`)).body).not.toHaveProperty('external_id');
    // Repeated, it is the new one.
    expect(await withKey('POST', '', { ...draft, comment: 'other' })).toMatchObject({
      status: 200,
      body: { id: idOf(second) },
    });
  });
});
