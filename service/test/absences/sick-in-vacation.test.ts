/** Sickness during vacation, reported and ended by the person, and what an approver says freed days are. */
import { oneDialect } from '@clockproof/platform/testing/databases';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { verifyAudit } from '../../src/store/audit/verify.js';
import type { Browser } from '../browser.js';
import { markMonthClosed } from '../builders.js';
import { type Answer, createWorld, type World } from '../world.js';

describe.each(oneDialect)('sickness during vacation on %s', (dialect) => {
  let world: World;
  let boss: Browser;
  let ada: Browser;
  beforeAll(async () => {
    world = await createWorld(dialect);
    const bo = await world.hire({ firstName: 'Bo', email: 'bo@clockproof.example', role: 'company_admin' });
    boss = await world.as(bo);
    ada = await world.as(world.people.ada);
    const days = { days: 30, carried_over_days: 0 };
    await boss.call('PUT', `/app/admin/people/${world.people.ada}/entitlements/2027`, { body: days });
  });
  afterEach(async () => {
    await setApprovalRule('by_type');
    // The next case begins without any absence.
    for (const { id, status } of await absences())
      if (['waiting', 'approved', 'cancellation_requested'].includes(status))
        expect((await boss.call('DELETE', `/app/absences/${id}?freed_days=work`)).status).toBe(200);
    expect(await leftDays()).toBe(30);
  });
  afterAll(async () => {
    expect(await verifyAudit(world.db)).toMatchObject({ intact: true });
    await world.close();
  });

  interface Absence {
    readonly id: number;
    readonly type: string;
    readonly status: string;
    readonly start_date: string;
    readonly end_date: string;
    readonly days: number;
    readonly may_end_early: boolean;
  }
  const idOf = ({ body }: Answer) => body['id'] as number;
  const span = (start_date: string, end_date: string) => ({ start_date, end_date });
  const absences = async () =>
    (await ada.call('GET', '/app/me/absences?from=2027-01-01&to=2027-12-31')).body['data'] as Absence[];
  /** The approved absences, as `first last days kind`. */
  const absenceLines = async () =>
    (await absences())
      .filter(({ status }) => status === 'approved')
      .map(({ start_date, end_date, days, type }) => `${start_date.slice(5)} ${end_date.slice(5)} ${days} ${type}`);
  const leftDays = async () => (await ada.call('GET', '/app/me/vacation?year=2027')).body['left_days'] as number;
  const setApprovalRule = (approval: string) =>
    boss.call('PUT', `/app/admin/people/${world.people.ada}/approval-rule`, { body: { approval } });
  const recordVacation = () =>
    boss.call('POST', `/app/people/${world.people.ada}/absences`, {
      body: { type: 'vacation', ...span('2027-03-01', '2027-03-12') },
    });
  const sickness = { type: 'sickness', ...span('2027-03-03', '2027-03-09'), returns_vacation: true };
  const reportSick = async () => idOf(await ada.call('POST', '/app/me/absences', { body: sickness }));
  const endOn = (id: number, end_date: string) => ada.call('PATCH', `/app/me/absences/${id}`, { body: { end_date } });

  it('the person reports sickness during vacation, sees the returned days, and gets them at once', async () => {
    await recordVacation();
    expect(await leftDays()).toBe(20);
    const preview = await ada.call('POST', '/app/me/absence-preview', { body: sickness });
    expect(preview.body).toMatchObject({
      days: 5,
      requires_approval: false,
      warnings: [{ code: 'vacation_returned', message: '5 vacation days go back to the account.' }],
    });
    expect(await leftDays()).toBe(20);
    expect(
      (await ada.call('POST', '/app/me/absences', { body: { ...sickness, returns_vacation: false } })).body,
    ).toMatchObject({ code: 'absence_overlap' });
    await reportSick();
    expect(await absenceLines()).toEqual([
      '03-01 03-02 2 vacation',
      '03-03 03-09 5 sickness',
      '03-10 03-12 3 vacation',
    ]);
    expect(await leftDays()).toBe(25);
  });

  it('sickness waits where the company approves it, and gives nothing back before', async () => {
    await recordVacation();
    await setApprovalRule('always');
    const answer = await ada.call('POST', '/app/me/absences', { body: sickness });
    expect(answer.body).toMatchObject({
      status: 'waiting',
      warnings: [{ message: '5 vacation days go back to the account once this is approved.' }],
    });
    expect([await leftDays(), await absenceLines()]).toEqual([20, ['03-01 03-12 10 vacation']]);
    // Its days may still change.
    expect(
      (await ada.call('PATCH', `/app/me/absences/${idOf(answer)}`, { body: { end_date: '2027-03-05' } })).status,
    ).toBe(200);
    const [request] = (await boss.call('GET', '/app/approvals')).body['data'] as { id: string; conflicts: object[] }[];
    expect(request!.conflicts).toMatchObject([{ code: 'vacation_returned' }]);
    expect((await boss.call('POST', `/app/approvals/${request!.id}/approve`)).status).toBe(200);
    expect(await absenceLines()).toEqual([
      '03-01 03-02 2 vacation',
      '03-03 03-05 3 sickness',
      '03-06 03-12 5 vacation',
    ]);
    expect(await leftDays()).toBe(23);
  });

  it('a rejected sickness leaves the vacation as it was', async () => {
    await recordVacation();
    await setApprovalRule('always');
    await reportSick();
    const [request] = (await boss.call('GET', '/app/approvals')).body['data'] as { id: string }[];
    const body = { comment: 'Please bring a certificate' };
    expect((await boss.call('POST', `/app/approvals/${request!.id}/reject`, { body })).status).toBe(200);
    expect([await leftDays(), await absenceLines()]).toEqual([20, ['03-01 03-12 10 vacation']]);
  });

  it('the person alone ends a sickness early, and the vacation goes on', async () => {
    await recordVacation();
    const id = await reportSick();
    expect((await absences()).find((absence) => absence.id === id)).toMatchObject({
      may_end_early: true,
      returned_vacation: [span('2027-03-03', '2027-03-09')],
    });
    expect(await endOn(id, '2027-03-05')).toMatchObject({ status: 200, body: { status: 'approved', days: 3 } });
    expect(await absenceLines()).toEqual([
      '03-01 03-02 2 vacation',
      '03-03 03-05 3 sickness',
      '03-06 03-09 2 vacation',
      '03-10 03-12 3 vacation',
    ]);
    expect(await leftDays()).toBe(23);
    expect((await absences()).find((absence) => absence.id === id)).toMatchObject({
      returned_vacation: [span('2027-03-03', '2027-03-05')],
    });
    const vacation = (await absences()).find(
      ({ start_date, status }) => start_date === '2027-03-06' && status === 'approved',
    );
    const [entry] = await world.db.all<{ details: string }>(
      "SELECT details FROM audit_entries WHERE action = 'absence.requested' AND subject = :subject",
      { subject: `absence ${vacation!.id}` },
    );
    expect(JSON.parse(entry!.details)).toMatchObject({ because: 'restored' });
  });

  it('sickness can end early only: not later, not as another kind, and not if it needs approval', async () => {
    await recordVacation();
    const id = await reportSick();
    for (const body of [
      { end_date: '2027-03-10' },
      { start_date: '2027-03-04' },
      { end_date: '2027-03-08', start_date: '2027-03-04' },
      { end_date: '2027-03-08', type: 'training' },
      { comment: 'better' },
    ])
      expect((await ada.call('PATCH', `/app/me/absences/${id}`, { body })).body['code']).toBe('absence_not_changeable');
    expect((await endOn(id, '2027-03-02')).body['code']).toBe('invalid_request');
    const [first] = (await absences()).filter(({ type }) => type === 'vacation');
    expect(first!.may_end_early).toBe(false);
    expect((await endOn(first!.id, '2027-03-01')).body['code']).toBe('absence_not_changeable');
    await setApprovalRule('always');
    expect((await endOn(id, '2027-03-05')).body['code']).toBe('absence_not_changeable');
  });

  it.each([
    ['work', {}, ['03-01 03-02 2 vacation', '03-03 03-05 3 sickness', '03-10 03-12 3 vacation'], 25],
    [
      'vacation',
      {},
      ['03-01 03-02 2 vacation', '03-03 03-05 3 sickness', '03-06 03-09 2 vacation', '03-10 03-12 3 vacation'],
      23,
    ],
    [
      'another_kind',
      { freed_days_type: 'unpaid_leave' },
      ['03-01 03-02 2 vacation', '03-03 03-05 3 sickness', '03-06 03-09 2 unpaid_leave', '03-10 03-12 3 vacation'],
      25,
    ],
  ])('a shortened sickness needs a choice for freed days: %s', async (freed_days, fields, lines, remainingDays) => {
    await recordVacation();
    const id = await reportSick();
    const shorten = (body: object) =>
      boss.call('PATCH', `/app/absences/${id}`, { body: { end_date: '2027-03-05', ...body } });
    expect((await shorten({})).body).toMatchObject({ code: 'invalid_request', details: [{ field: 'freed_days' }] });
    expect((await shorten({ freed_days, ...fields })).status).toBe(200);
    expect(await absenceLines()).toEqual(lines);
    expect(await leftDays()).toBe(remainingDays);
  });

  const morning = { half_day: 'morning' };
  const wholeDay = { half_day: null };
  it.each([
    [
      'one day moved',
      span('2027-03-03', '2027-03-03'),
      {},
      span('2027-03-04', '2027-03-04'),
      ['03-03 03-03 1', '03-04 03-04 1'],
    ],
    [
      'days moved far away',
      span('2027-03-03', '2027-03-05'),
      {},
      span('2027-03-08', '2027-03-09'),
      ['03-03 03-05 3', '03-08 03-09 2'],
    ],
    [
      'a week moved by two days',
      span('2027-03-03', '2027-03-09'),
      {},
      span('2027-03-05', '2027-03-11'),
      ['03-03 03-04 2', '03-05 03-11 5'],
    ],
    [
      'half a day moved',
      span('2027-03-03', '2027-03-03'),
      morning,
      span('2027-03-04', '2027-03-04'),
      ['03-03 03-03 0.5', '03-04 03-04 0.5'],
    ],
    [
      'the other half',
      span('2027-03-03', '2027-03-03'),
      morning,
      { half_day: 'afternoon' },
      ['03-03 03-03 0.5', '03-03 03-03 0.5'],
    ],
    ['half a day made whole', span('2027-03-03', '2027-03-03'), morning, wholeDay, ['03-03 03-03 1']],
    [
      'half a day moved and made whole',
      span('2027-03-03', '2027-03-03'),
      morning,
      { ...span('2027-03-04', '2027-03-04'), ...wholeDay },
      ['03-03 03-03 0.5', '03-04 03-04 1'],
    ],
    ['a day made half', span('2027-03-03', '2027-03-03'), {}, morning, ['03-03 03-03 0.5', '03-03 03-03 0.5']],
    [
      'days shortened to half of the second',
      span('2027-03-03', '2027-03-05'),
      {},
      { ...span('2027-03-04', '2027-03-04'), ...morning },
      ['03-03 03-03 1', '03-04 03-04 0.5', '03-04 03-04 0.5', '03-05 03-05 1'],
    ],
  ])('exactly the freed days become another kind: %s', async (_, days, half, change, lines) => {
    const body = { type: 'vacation', ...days, ...half };
    const id = idOf(await boss.call('POST', `/app/people/${world.people.ada}/absences`, { body }));
    const freedDays = { freed_days: 'another_kind', freed_days_type: 'special_leave' };
    expect((await boss.call('PATCH', `/app/absences/${id}`, { body: { ...change, ...freedDays } })).status).toBe(200);
    expect((await absenceLines()).map((line) => line.replace(/ \w+$/, '')).sort()).toEqual(lines);
  });

  it('cancelling a sickness needs the choice too, and a granted cancellation restores vacation', async () => {
    await recordVacation();
    const first = await reportSick();
    expect((await boss.call('DELETE', `/app/absences/${first}`)).body['code']).toBe('invalid_request');
    expect((await boss.call('DELETE', `/app/absences/${first}?freed_days=vacation`)).status).toBe(200);
    const wholeVacation = ['03-01 03-02 2 vacation', '03-03 03-09 5 vacation', '03-10 03-12 3 vacation'];
    expect([await absenceLines(), await leftDays()]).toEqual([wholeVacation, 20]);

    const second = await reportSick();
    expect((await ada.call('DELETE', `/app/me/absences/${second}`)).body['status']).toBe('cancellation_requested');
    const [request] = (await boss.call('GET', '/app/approvals')).body['data'] as { id: string }[];
    expect((await boss.call('POST', `/app/approvals/${request!.id}/approve`)).status).toBe(200);
    expect([await absenceLines(), await leftDays()]).toEqual([wholeVacation, 20]);
  });

  it('sickness ends early in an open month although it began in a closed one', async () => {
    const body = { type: 'sickness', ...span('2026-10-29', '2026-11-20') };
    const id = idOf(await ada.call('POST', '/app/me/absences', { body }));
    await markMonthClosed(world, '2026-10');
    expect((await endOn(id, '2026-10-30')).body['code']).toBe('month_closed');
    expect((await endOn(id, '2026-11-04')).body).toMatchObject({ end_date: '2026-11-04' });
    await world.db.write((tx) => tx.run('DELETE FROM closed_months'));
  });

  it('a request names a kind for the freed days with `another_kind`, and only then', async () => {
    await recordVacation();
    const id = await reportSick();
    for (const body of [{ freed_days: 'another_kind' }, { freed_days: 'work', freed_days_type: 'training' }])
      expect(
        (await boss.call('PATCH', `/app/absences/${id}`, { body: { end_date: '2027-03-05', ...body } })).body,
      ).toMatchObject({ code: 'invalid_request', details: [{ field: 'freed_days_type' }] });
  });

  it('the preview of a change of a pending request does not clash with itself', async () => {
    const week = { type: 'vacation', ...span('2027-05-03', '2027-05-07') };
    const id = idOf(await ada.call('POST', '/app/me/absences', { body: week }));
    const body = { ...week, end_date: '2027-05-04' };
    expect((await ada.call('POST', '/app/me/absence-preview', { body })).body['code']).toBe('absence_overlap');
    expect((await ada.call('POST', `/app/me/absence-preview?changes=${id}`, { body })).body).toMatchObject({
      days: 2,
      requires_approval: true,
      left_days: 28,
    });
    expect((await absences()).find((absence) => absence.id === id)).toMatchObject({ end_date: '2027-05-07' });
    const bensAbsenceId = idOf(
      await boss.call('POST', `/app/people/${world.people.ben}/absences`, { body: { ...week, type: 'sickness' } }),
    );
    expect((await ada.call('POST', `/app/me/absence-preview?changes=${bensAbsenceId}`, { body })).status).toBe(404);
  });
});
