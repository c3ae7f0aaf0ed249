/** The end of an employment: what lies after the last day is resolved, visibly, whichever entry point sets it. */
import { oneDialect } from '@clockproof/platform/testing/databases';
import { parseInstant } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { endClocksAfterLastDay } from '../../src/clock/resolve-open-entry.js';
import { addSuperAdmin, type Browser } from '../browser.js';
import { recordWork, sendAbsence } from '../builders.js';
import { createWorld, type World } from '../world.js';

const at = (text: string) => parseInstant(text)!;

describe.each(oneDialect)('the end of an employment on %s', (dialect) => {
  let world: World;
  let root: Browser;
  let ada: number;
  let planner: string;
  let boss: number;
  beforeEach(async () => {
    world = await createWorld(dialect);
    ada = world.people.ada;
    planner = world.planner.key;
    boss = await addSuperAdmin(world);
    root = await world.as(boss);
  });
  afterEach(() => world.close());

  /** Sessions end when nobody uses them: the admin signs in at a later time. */
  const signInAt = async (text: string) => {
    world.set(at(text));
    root = await world.as(boss);
  };
  const person = (method: string, path: string, body?: object) =>
    root.call(method, `/app/admin/people/${ada}${path}`, body === undefined ? {} : { body });
  const stamp = (verb: string) => world.call('POST', `/api/v1/clock/${verb}`, { key: planner, body: { user_id: ada } });
  const events = async (type: string) =>
    (
      await world.db.all<{ payload: string }>('SELECT payload FROM events WHERE type = :type ORDER BY sequence', {
        type,
      })
    ).map(({ payload }) => JSON.parse(payload) as { data: Record<string, unknown> });
  const entries = () =>
    world.db.all<{ status: string; end_at: number | null; breaks: string }>(
      'SELECT status, end_at, breaks FROM time_entries WHERE person_id = :ada ORDER BY id',
      { ada },
    );
  const auditDetails = async (action: string) =>
    (
      await world.db.all<{ details: string }>('SELECT details FROM audit_entries WHERE action = :action', { action })
    ).map(({ details }) => JSON.parse(details) as Record<string, unknown>);
  const dumpTables = async () =>
    JSON.stringify(
      await Promise.all(
        [
          'people',
          'time_entries',
          'clock_states',
          'absences',
          'approvals',
          'audit_entries',
          'events',
          'entry_versions',
        ].map((table) => world.db.all(`SELECT * FROM ${table}`)),
      ),
    );
  const preview = (lastDay: string, deactivate: boolean) =>
    person('POST', '/employment-end-preview', { employment_end: lastDay, deactivate });
  const absence = async (start_date: string, end_date: string, type = 'vacation') =>
    (await sendAbsence(world, { type, start_date, end_date })).id;

  it('the end of an employment clocks a person out now; the preview says so and changes nothing', async () => {
    world.set(at('2026-11-24T07:00:00Z'));
    await stamp('in');
    world.set(at('2026-11-24T10:00:00Z'));
    await stamp('break/start');
    await signInAt('2026-11-24T10:10:00Z');
    const tablesBefore = await dumpTables();
    const previewAnswer = await preview('2026-11-24', true);
    expect(previewAnswer).toMatchObject({
      status: 200,
      body: { open_entry: { date: '2026-11-24', outcome: 'ended', end: '2026-11-24T10:10:00Z' }, absences: [] },
    });
    expect(await dumpTables()).toBe(tablesBefore);

    const deactivation = await person('POST', '/deactivation', { employment_end: '2026-11-24' });
    expect(deactivation).toMatchObject({ status: 200, body: { active: false, employment_ended: previewAnswer.body } });
    expect(await entries()).toMatchObject([{ status: 'recorded', end_at: world.now() }]);
    expect(JSON.parse((await entries())[0]!.breaks)).toEqual([[at('2026-11-24T10:00:00Z'), world.now()]]);
    expect(await events('clock.out')).toMatchObject([
      { data: { clock_state: { state: 'out' }, time_entry: { status: 'recorded', end: '2026-11-24T10:10:00Z' } } },
    ]);
    expect(await auditDetails('entry.corrected')).toMatchObject([{ because: 'employment_ended' }]);
    const [{ id }] = (await world.db.all<{ id: number }>('SELECT id FROM time_entries')) as [{ id: number }];
    const { body } = await root.call('GET', `/app/entries/${id}/history`);
    expect(body['data']).toMatchObject([
      { change: 'recorded' },
      { change: 'corrected', reason: 'The employment ended on 24 November 2026.' },
    ]);
    await signInAt('2026-12-01T08:00:00Z');
    const close = `/app/admin/companies/${world.nord}/months/2026-11/close`;
    expect(await root.call('POST', close)).toMatchObject({ status: 200, body: { state: 'closed' } });
  });

  it('an employment ends its last entry at midnight, and strikes out a later one', async () => {
    world.set(at('2026-11-24T07:00:00Z'));
    await stamp('in');
    await signInAt('2026-11-26T09:00:00Z');
    expect((await preview('2026-11-24', true)).body).toMatchObject({
      open_entry: { outcome: 'ended', end: '2026-11-24T23:00:00Z' },
    });
    expect((await person('PATCH', '', { employment_end: '2026-11-23' })).body).toMatchObject({
      employment_ended: { open_entry: { outcome: 'struck_out' }, entries_after: 0 },
    });
    expect(await entries()).toMatchObject([{ status: 'rejected', end_at: at('2026-11-24T07:00:00Z') }]);
    expect(await events('clock.out')).toMatchObject([{ data: { time_entry: { status: 'rejected' } } }]);
    expect(await auditDetails('entry.struck_out')).toMatchObject([{ because: 'employment_ended' }]);
    expect((await world.call('GET', `/api/v1/clock/states?user_id=${ada}`, { key: planner })).body).toMatchObject({
      data: [{ state: 'out' }],
    });
  });

  it('the end of an employment leaves the clock running until the last day is over', async () => {
    await stamp('in');
    const today = '2026-11-23';
    expect((await preview(today, false)).body).not.toHaveProperty('open_entry');
    expect((await person('PATCH', '', { employment_end: today })).body).toMatchObject({
      employment_ended: { absences: [], entries_after: 0 },
    });
    expect((await stamp('out')).status).toBe(200);
  });

  it.each(['before', 'after'])('the clock ends at the midnight of a last day that was set %s it', async (moment) => {
    world.set(at('2026-11-24T07:00:00Z'));
    await stamp('in');
    if (moment === 'before') {
      await signInAt('2026-11-24T08:00:00Z');
      await person('PATCH', '', { employment_end: '2026-11-24' });
    }
    await signInAt('2026-11-26T09:00:00Z');
    if (moment === 'after') await person('PATCH', '', { employment_end: '2026-11-24' });
    else {
      for (const verb of ['in', 'break/start']) expect((await stamp(verb)).body['code']).toBe('employment_ended');
      expect(await stamp('out')).toMatchObject({
        status: 200,
        body: { clock_state: { state: 'out' }, time_entry: { end: '2026-11-24T23:00:00Z', worked_minutes: 960 } },
      });
    }
    expect(await entries()).toMatchObject([{ status: 'recorded', end_at: at('2026-11-24T23:00:00Z') }]);
    expect(await events('clock.out')).toHaveLength(1);
    expect((await stamp('in')).body['code']).toBe('employment_ended');
  });

  it('the clock ends when the last day passes, without a stamp', async () => {
    world.set(at('2026-11-24T07:00:00Z'));
    await stamp('in');
    await signInAt('2026-11-24T08:00:00Z');
    await person('PATCH', '', { employment_end: '2026-11-24' });
    for (const [text, end] of [
      ['2026-11-24T22:59:30Z', null],
      ['2026-11-24T23:00:30Z', at('2026-11-24T23:00:00Z')],
    ] as const) {
      world.set(at(text));
      await endClocksAfterLastDay(world.service.store, world.now());
      expect(await entries()).toMatchObject([{ end_at: end }]);
    }
    expect(await events('clock.out')).toMatchObject([{ data: { clock_state: { state: 'out' } } }]);
    await signInAt('2026-11-25T08:00:00Z');
    const [{ id }] = (await world.db.all<{ id: number }>('SELECT id FROM time_entries')) as [{ id: number }];
    expect((await root.call('GET', `/app/entries/${id}/history`)).body['data']).toMatchObject([
      { change: 'recorded' },
      { change: 'corrected', by: 'Clockproof', reason: 'The employment ended on 24 November 2026.' },
    ]);
  });

  it('the end of an employment removes or shortens later absences, and leaves earlier ones', async () => {
    const earlierAbsence = await absence('2026-12-01', '2026-12-02', 'sickness');
    const shortenedAbsence = await absence('2026-12-30', '2027-01-08', 'sickness');
    const pendingAbsence = await absence('2027-02-01', '2027-02-02');
    const approvedAbsence = await absence('2027-03-01', '2027-03-02', 'sickness');
    const tablesBefore = await dumpTables();
    const previewAnswer = await preview('2026-12-31', false);
    expect(previewAnswer.body).toEqual({
      absences: [
        expect.objectContaining({
          id: shortenedAbsence,
          start_date: '2026-12-30',
          end_date: '2027-01-08',
          outcome: 'shortened',
        }),
        expect.objectContaining({ id: pendingAbsence, outcome: 'withdrawn' }),
        expect.objectContaining({ id: approvedAbsence, outcome: 'cancelled' }),
      ],
      entries_after: 0,
    });
    expect(await dumpTables()).toBe(tablesBefore);
    expect((await person('PATCH', '', { employment_end: '2026-12-31' })).body).toMatchObject({
      employment_ended: previewAnswer.body,
    });
    expect(await world.db.all('SELECT id, status, end_date, half_days FROM absences ORDER BY id')).toEqual([
      { id: earlierAbsence, status: 'approved', end_date: '2026-12-02', half_days: 4 },
      { id: shortenedAbsence, status: 'approved', end_date: '2026-12-31', half_days: 4 },
      { id: pendingAbsence, status: 'withdrawn', end_date: '2027-02-02', half_days: 4 },
      { id: approvedAbsence, status: 'cancelled', end_date: '2027-03-02', half_days: 4 },
    ]);
    expect(await world.db.all("SELECT status FROM approvals WHERE status = 'waiting'")).toEqual([]);
    expect(await events('leave.withdrawn')).toMatchObject([{ data: { id: pendingAbsence } }]);
    expect(await events('leave.cancelled')).toMatchObject([{ data: { id: approvedAbsence } }]);
    expect(await events('leave.changed')).toMatchObject([{ data: { id: shortenedAbsence, end_date: '2026-12-31' } }]);
    for (const action of ['absence.withdrawn', 'absence.cancelled', 'absence.changed'])
      expect(await auditDetails(action)).toMatchObject([{ because: 'employment_ended' }]);
  });

  it('the end of an employment keeps the cancellation request of a shortened absence', async () => {
    const id = await absence('2026-12-30', '2027-01-08', 'sickness');
    const request = await world.call('DELETE', `/api/v1/absences/${id}`, { key: planner });
    expect(request.body).toMatchObject({ status: 'cancellation_requested' });
    await person('PATCH', '', { employment_end: '2026-12-31' });
    expect(await world.db.all('SELECT kind, status, to_date FROM approvals')).toEqual([
      { kind: 'absence_cancellation', status: 'waiting', to_date: '2026-12-31' },
    ]);
  });

  describe('a month after the last day', () => {
    const company = () => `company_id=${world.nord}&month=2026-11`;
    /** Everything that shows the balance of the month. */
    async function figures() {
      const report = await root.call('GET', `/app/reports/months?${company()}`);
      const lines = report.body['data'] as { person: { id: number }; balance: object }[];
      const months = await root.call('GET', `/app/people/${ada}/months?year=2026`);
      const balances = await world.call('GET', `/api/v1/time/balances?date=2026-11-30&user_id=${ada}`, {
        key: planner,
      });
      return {
        report: lines.filter(({ person: { id } }) => id === ada).map(({ balance }) => balance),
        months: (months.body['data'] as { month: string }[]).filter(({ month }) => month === '2026-11'),
        balances: balances.body['data'],
      };
    }
    async function expectAlike(line: object) {
      const expected = { report: [line], months: [line], balances: [line] };
      expect(await figures()).toMatchObject(expected);
      await root.call('POST', `/app/admin/companies/${world.nord}/months/2026-11/close`);
      expect(await figures()).toMatchObject({ ...expected, months: [{ ...line, closed: true }] });
    }

    it('an entry that stays in it counts alike everywhere, also once the month is closed', async () => {
      await recordWork(world, {
        person_id: ada,
        start_at: at('2026-11-03T08:00:00Z'),
        end_at: at('2026-11-03T16:00:00Z'),
      });
      expect((await person('PATCH', '', { employment_end: '2026-10-31' })).body).toMatchObject({
        employment_ended: { entries_after: 1 },
      });
      await signInAt('2026-12-01T08:00:00Z');
      const payroll = await root.call('GET', `/app/reports/payroll/export?${company()}&include_open=true`);
      expect(String(payroll.body['text'])).toMatch(/Ada Lang;2026-11;WORK;[^;]*;8,00/);
      await expectAlike({ target_minutes: 0, worked_minutes: 480, balance_minutes: 480 });
    });

    it('a payout in it counts alike everywhere, also once the month is closed', async () => {
      await person('PATCH', '', { employment_end: '2026-10-31' });
      await signInAt('2026-12-01T08:00:00Z');
      const payout = { kind: 'payout', minutes: -90, date: '2026-11-04', reason: 'Paid out' };
      expect((await root.call('POST', `/app/admin/people/${ada}/time-bookings`, { body: payout })).status).toBe(201);
      await expectAlike({ target_minutes: 0, booked_minutes: -90, balance_minutes: -90 });
    });
  });

  it('an approver ends or strikes out an open entry after an employment end of an earlier version', async () => {
    world.set(at('2026-11-24T07:00:00Z'));
    await stamp('in');
    await signInAt('2026-11-25T07:00:00Z');
    await world.db.write((tx) =>
      tx.run("UPDATE people SET employment_end = '2026-11-23', active = 0 WHERE id = :ada", { ada }),
    );
    const { id } = (await world.db.get<{ id: number }>('SELECT id FROM time_entries'))!;
    const correct = (body: object) =>
      root.call('POST', `/app/people/${ada}/corrections`, { body: { reason: 'Left', ...body } });
    const times = { start: '2026-11-24T07:00:00Z', end: '2026-11-24T08:00:00Z', breaks: [] };
    expect(await correct(times)).toMatchObject({ status: 409, body: { code: 'employment_ended' } });
    expect((await correct({ entry_id: id, ...times })).status).toBe(201);
    expect(await entries()).toMatchObject([{ status: 'approved', end_at: at('2026-11-24T08:00:00Z') }]);
    // Finished, it can only be struck out.
    expect(await correct({ entry_id: id, ...times })).toMatchObject({ body: { code: 'employment_ended' } });
    expect((await correct({ entry_id: id, remove: true })).status).toBe(201);
    expect(await entries()).toMatchObject([{ status: 'rejected' }]);
  });

  it('an employment cannot end or be restored over closed months', async () => {
    await signInAt('2026-12-05T08:00:00Z');
    const close = `/app/admin/companies/${world.nord}/months/2026-11/close`;
    expect((await root.call('POST', close)).status).toBe(200);
    const report = () => root.call('GET', `/app/reports/months?company_id=${world.nord}&month=2026-11`);
    const closedReport = (await report()).body;
    const refusal = { status: 409, body: { code: 'month_closed' } };
    expect(await person('POST', '/deactivation', { employment_end: '2026-11-20' })).toMatchObject(refusal);
    expect(await person('PATCH', '', { employment_end: '2026-11-20' })).toMatchObject(refusal);
    expect(await preview('2026-11-20', true)).toMatchObject(refusal);
    expect((await person('POST', '/deactivation', { employment_end: '2026-11-30' })).status).toBe(200);
    expect((await report()).body).toEqual(closedReport);
    expect((await person('POST', '/reactivation')).status).toBe(200);
    ada = world.people.cem;
    expect((await person('POST', '/deactivation', { employment_end: '2026-10-31' })).status).toBe(200);
    expect(await person('POST', '/reactivation')).toMatchObject(refusal);
    expect((await report()).body).toEqual(closedReport);
  });
});
