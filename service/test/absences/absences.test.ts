import { isPostgres } from '@clockproof/platform/database/postgres';
import { oneDialect } from '@clockproof/platform/testing/databases';
import { day } from '@clockproof/platform/time/instant';
import { addDays } from '@clockproof/platform/time/local-date';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Decision, decideAbsence } from '../../src/absences/decide-absence.js';
import { draftOf } from '../../src/absences/draft.js';
import { recountDays } from '../../src/absences/recount-days.js';
import { requestAbsence } from '../../src/absences/request-absence.js';
import { findAbsence, type HalfDay, saveApprovalRule, saveVacationPolicyRow } from '../../src/absences/rows.js';
import { absenceTypesOf, builtInTypes, saveAbsenceType } from '../../src/absences/types.js';
import { saveEntitlement } from '../../src/absences/vacation/vacation-account.js';
import type { AddedExtension } from '../../src/extensions/extensions.js';
import { type ApprovalKind, latestApproval } from '../../src/inbox/approval-rows.js';
import { recordPerson } from '../../src/people/people.js';
import { recordRemoval } from '../../src/people/removals.js';
import { findPerson } from '../../src/people/rows.js';
import { verifyAudit } from '../../src/store/audit/verify.js';
import type { EventRow } from '../../src/store/event-rows.js';
import { presentEvent } from '../../src/store/events.js';
import { allCompanies } from '../../src/store/every-company.js';
import { changePersonRecord } from '../../src/working-time/change-person.js';
import { saveSchedule } from '../../src/working-time/rows.js';
import { hire, installExtension, markMonthClosed } from '../builders.js';
import { type Answer, createWorld, monday, type World } from '../world.js';

const system = { kind: 'system' } as const;

describe.each(oneDialect)('absences on %s', (dialect) => {
  let world: World;
  let leader: AddedExtension;
  let bystander: AddedExtension;
  let admin: number;
  beforeEach(async () => {
    world = await createWorld(dialect);
    const extension = (name: string, settings: object = {}) =>
      installExtension(world, { name, acting: 'everyone', companyId: world.nord, ...settings });
    leader = await extension('Leader', { leading: true });
    bystander = await extension('Bystander');
    admin = await world.hire({ firstName: 'Tom', lastName: 'Amt', role: 'company_admin', language: 'de' });
  });
  afterEach(() => world.close());

  const call = (
    method: string,
    path: string,
    body?: unknown,
    options: { key?: string; headers?: Record<string, string> } = {},
  ) =>
    world.call(method, `/api/v1/${path}`, {
      key: options.key ?? world.planner.key,
      ...(body === undefined ? {} : { body }),
      ...(options.headers === undefined ? {} : { headers: options.headers }),
    });
  const ask = (body: object, options: { key?: string; headers?: Record<string, string> } = {}) =>
    call('POST', 'absences', { user_id: world.people.ada, type: 'vacation', ...body }, options);
  const single = (date: string, fields: object = {}) => ({ start_date: date, end_date: date, ...fields });
  const idOf = (answer: Answer) => answer.body['id'] as number;
  const decide = (id: number, decision: Decision, decider = admin) =>
    world.service.store.write({ actor: { kind: 'person', id: String(decider) }, at: world.now() }, async (write) =>
      decideAbsence(write, {
        id,
        decision,
        decider: (await findPerson(write, decider, allCompanies))!,
      }),
    );
  const requestOf = (id: number, kind: ApprovalKind) => latestApproval(world.db, kind, id);
  const count = async (table: string) => (await world.db.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`))!.n;
  const traces = () => Promise.all(['absences', 'events', 'audit_entries'].map(count));
  const lastEvent = async () =>
    presentEvent(
      (await world.db.get<EventRow>('SELECT * FROM events ORDER BY sequence DESC LIMIT 1'))!,
    ) as unknown as Record<string, unknown>;
  /** Days of its own for every test that needs some, the first of them on a Monday of a week without holidays. */
  let nextMonday = '2027-02-01';
  const holidays = ['2027-03-26', '2027-03-29', '2027-05-06', '2027-05-17'];
  const reserveDays = (days = 1) => {
    const from = nextMonday;
    do nextMonday = addDays(nextMonday, 7);
    while (
      nextMonday < addDays(from, days) ||
      holidays.some((day) => day >= nextMonday && day < addDays(nextMonday, 7))
    );
    return from;
  };

  it('a request is recorded as pending, with days, author, version and place', async () => {
    const tracesBefore = await traces();
    const answer = await ask({
      start_date: '2026-12-21',
      end_date: '2026-12-30',
      comment: 'Flensburg',
      external_id: 'HR-1',
    });
    expect(answer).toMatchObject({
      status: 201,
      body: {
        user_id: world.people.ada,
        user_name: 'Ada Lang',
        company_id: world.nord,
        company_name: 'Nordlicht Logistik GmbH',
        type: 'vacation',
        type_label: 'Vacation',
        start_date: '2026-12-21',
        end_date: '2026-12-30',
        days: 7,
        comment: 'Flensburg',
        status: 'waiting',
        external_id: 'HR-1',
        created_by: { kind: 'extension', name: 'Planner' },
        created_at: '2026-11-23T07:00:00.684Z',
        updated_at: '2026-11-23T07:00:00.684Z',
        warnings: [{ code: 'entitlement_missing' }],
      },
    });
    expect(answer.headers.get('location')).toBe(`/api/v1/absences/${idOf(answer)}`);
    expect(answer.headers.get('etag')).toMatch(/^"v\d+-[A-Za-z0-9_-]{27}"$/);
    expect(await traces()).toEqual(tracesBefore.map((count) => count + 1));
    const { warnings: _, external_id: __, ...record } = answer.body;
    expect(await lastEvent()).toMatchObject({ type: 'leave.requested', company_id: world.nord, data: record });
    // Other extensions receive the same payload: whose identifier it is stays between the extension and the service.
    expect(JSON.stringify(await lastEvent())).not.toContain('HR-1');
  });

  it('a request follows the approval rule of the kind, the person and the leading system', async () => {
    const date = reserveDays(10);
    const status = async (body: object, key?: string) =>
      (await ask(body, key === undefined ? {} : { key })).body['status'];
    expect(await status(single(date, { type: 'sickness' }))).toBe('approved');
    expect((await lastEvent())['type']).toBe('leave.approved');
    expect(await status(single(addDays(date, 1)), leader.key)).toBe('approved');
    await world.db.write((tx) => saveApprovalRule(tx, world.people.ada, 'never'));
    expect(await status(single(addDays(date, 2)))).toBe('approved');
    await world.db.write((tx) => saveApprovalRule(tx, world.people.ada, 'always'));
    expect(await status(single(addDays(date, 3), { type: 'sickness' }))).toBe('waiting');
    await world.db.write((tx) => saveApprovalRule(tx, world.people.ada, 'by_type'));
    expect(await status(single(addDays(date, 4)))).toBe('waiting');
  });

  it('a company offers built-in kinds, changed ones and its own', async () => {
    expect((await absenceTypesOf(world.db, world.sued)).map((type) => type.key)).toEqual([
      'vacation',
      'special_leave',
      'overtime_reduction',
      'sickness',
      'sickness_child',
      'training',
      'maternity',
      'parental_leave',
      'home_office',
      'business_trip',
      'unpaid_leave',
      'military_service',
      'other',
    ]);
    expect(await ask({ type: 'sabbatical', ...single('2027-01-04') })).toMatchObject({
      status: 422,
      body: { code: 'absence_type_unknown' },
    });
    await world.service.store.write({ actor: system, at: monday }, async (write) => {
      await saveAbsenceType(write, world.nord, {
        ...builtInTypes[0]!,
        key: 'sabbatical',
        label: { de: 'Auszeit', en: 'Sabbatical' },
        countsAsVacation: false,
        halfDay: false,
      });
      await saveAbsenceType(write, world.nord, {
        ...builtInTypes.find((type) => type.key === 'military_service')!,
        active: false,
      });
    });
    expect(await ask({ type: 'sabbatical', ...single('2027-01-04') })).toMatchObject({
      status: 201,
      body: { type_label: 'Sabbatical' },
    });
    expect(await ask({ type: 'sabbatical', ...single('2027-01-05', { half_day: 'morning' }) })).toMatchObject({
      status: 422,
      body: { code: 'half_day_not_allowed' },
    });
    expect(await ask({ type: 'military_service', ...single('2027-01-05') })).toMatchObject({
      status: 422,
      body: { code: 'absence_type_unknown' },
    });
    expect(
      await call(
        'POST',
        'absences',
        { user_id: world.people.zoe, type: 'sabbatical', ...single('2027-01-04') },
        { key: world.souther.key },
      ),
    ).toMatchObject({ status: 422 });
  });

  it.each([
    ['it ends before it begins', { start_date: '2027-01-12', end_date: '2027-01-11' }, 'end_date', 'before_start'],
    [
      'half a day of two',
      { start_date: '2027-01-11', end_date: '2027-01-12', half_day: 'morning' },
      'half_day',
      'contradiction',
    ],
    ['367 days', { start_date: '2027-01-01', end_date: '2028-01-02' }, 'end_date', 'too_long'],
    ['a hundred years', { start_date: '2025-01-01', end_date: '2125-12-31' }, 'end_date', 'too_long'],
    ['a thousand years', { start_date: '2025-01-01', end_date: '2999-12-31' }, 'end_date', 'wrong_format'],
    ['30 February', { start_date: '2027-02-30', end_date: '2027-03-01' }, 'start_date', 'wrong_format'],
    [
      'a person as text',
      { user_id: '1', ...{ start_date: '2027-01-11', end_date: '2027-01-11' } },
      'user_id',
      'wrong_type',
    ],
    ['no person', { user_id: undefined, start_date: '2027-01-11', end_date: '2027-01-11' }, 'user_id', 'missing'],
    ['a state', { start_date: '2027-01-11', end_date: '2027-01-11', status: 'approved' }, 'status', 'unknown_field'],
    ['a company', { start_date: '2027-01-11', end_date: '2027-01-11', company_id: 1 }, 'company_id', 'unknown_field'],
    [
      'an empty external id',
      { start_date: '2027-01-11', end_date: '2027-01-11', external_id: '' },
      'external_id',
      'too_short',
    ],
    [
      'a control character above ASCII in the external_id',
      { start_date: '2027-01-11', end_date: '2027-01-11', external_id: 'HR\u0085 1' },
      'external_id',
      'forbidden_character',
    ],
    [
      'an external id of 129',
      { start_date: '2027-01-11', end_date: '2027-01-11', external_id: 'x'.repeat(129) },
      'external_id',
      'too_long',
    ],
    [
      'a half that is neither',
      { start_date: '2027-01-11', end_date: '2027-01-11', half_day: 'noon' },
      'half_day',
      'not_allowed',
    ],
  ])('a wrong request is refused and changes nothing: %s', async (_, body, field, code) => {
    const tracesBefore = await traces();
    expect(await ask(body)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', details: [{ field, code }] },
    });
    expect(await traces()).toEqual(tracesBefore);
  });

  it('a request may have 366 days', async () => {
    expect(
      await call('POST', 'absences', {
        user_id: world.people.ben,
        type: 'parental_leave',
        start_date: '2030-01-01',
        end_date: '2031-01-01',
      }),
    ).toMatchObject({ status: 201, body: { days: 251 } });
  });

  it('an absence takes half a day, and two halves take a day', async () => {
    const date = reserveDays(3);
    expect(await ask(single(date, { half_day: 'morning' }))).toMatchObject({
      status: 201,
      body: { days: 0.5, half_day: 'morning' },
    });
    expect(await ask(single(date, { half_day: 'morning', type: 'training' }))).toMatchObject({
      status: 409,
      body: { code: 'absence_overlap' },
    });
    expect(await ask(single(date))).toMatchObject({ status: 409, body: { code: 'absence_overlap' } });
    expect((await ask(single(date, { half_day: 'afternoon', type: 'home_office' }))).status).toBe(201);
    expect(await ask({ start_date: addDays(date, -1), end_date: addDays(date, 1) })).toMatchObject({
      status: 409,
      body: { code: 'absence_overlap' },
    });
  });

  it('working elsewhere shares a day with another such kind, never with an absence from work', async () => {
    const date = reserveDays(20);
    expect((await ask({ type: 'home_office', start_date: date, end_date: addDays(date, 14) })).status).toBe(201);
    expect((await ask(single(addDays(date, 3), { type: 'business_trip' }))).status).toBe(201);
    for (const type of ['home_office', 'vacation', 'sickness'])
      expect(await ask(single(addDays(date, 5), { type }))).toMatchObject({
        status: 409,
        body: { code: 'absence_overlap' },
      });
  });

  it('rejected, withdrawn and cancelled absences free their days', async () => {
    const date = reserveDays();
    const first = idOf(await ask(single(date)));
    await decide(first, 'reject');
    const second = idOf(await ask(single(date)));
    expect(await call('DELETE', `absences/${second}`)).toMatchObject({ status: 200, body: { status: 'withdrawn' } });
    const third = idOf(await ask(single(date), { key: leader.key }));
    expect(await call('DELETE', `absences/${third}`, undefined, { key: leader.key })).toMatchObject({
      status: 202,
      body: { status: 'cancelled' },
    });
    expect((await ask(single(date))).status).toBe(201);
  });

  it('absences keep closed months and the end of employment closed in every operation', async () => {
    await markMonthClosed(world, '2026-10');
    expect(await ask(single('2026-10-15'))).toMatchObject({ status: 409, body: { code: 'month_closed' } });
    expect(await ask({ start_date: '2026-09-28', end_date: '2026-11-02' })).toMatchObject({
      status: 409,
      body: { code: 'month_closed' },
    });
    expect(await ask(single('2026-10-15'), { key: leader.key })).toMatchObject({
      status: 409,
      body: { code: 'month_closed' },
    });
    const leaderAbsence = await ask(single('2026-09-15'), { key: leader.key });
    expect(
      await call('PATCH', `absences/${idOf(leaderAbsence)}`, single('2026-10-15'), { key: leader.key }),
    ).toMatchObject({
      status: 409,
      body: { code: 'month_closed' },
    });
    const pendingId = idOf(await ask(single('2026-09-16')));
    await markMonthClosed(world, '2026-09');
    expect(
      await call('PATCH', `absences/${idOf(leaderAbsence)}`, single('2026-11-10'), { key: leader.key }),
    ).toMatchObject({
      status: 409,
      body: { code: 'month_closed' },
    });
    expect(await call('DELETE', `absences/${idOf(leaderAbsence)}`, undefined, { key: leader.key })).toMatchObject({
      status: 409,
      body: { code: 'month_closed' },
    });
    await expect(decide(pendingId, 'approve')).rejects.toMatchObject({ code: 'month_closed' });
    expect((await decide(pendingId, 'reject')).status).toBe('rejected');
    const askForCem = (date: string, end = date) => ask({ user_id: world.people.cem, start_date: date, end_date: end });
    expect(await askForCem('2026-11-02')).toMatchObject({ status: 409, body: { code: 'employment_ended' } });
    expect(await askForCem('2026-08-31', '2026-11-01')).toMatchObject({
      status: 409,
      body: { code: 'employment_ended' },
    });
    expect(await askForCem('2019-12-31')).toMatchObject({ status: 409, body: { code: 'employment_ended' } });
    const absence = await askForCem('2026-08-31');
    expect(absence.status).toBe(201);
    expect(await call('PATCH', `absences/${idOf(absence)}`, single('2026-11-02'))).toMatchObject({
      status: 409,
      body: { code: 'employment_ended' },
    });
    await world.db.write((tx) => tx.run('DELETE FROM closed_months'));
  });

  it('approval counts the days again, because holidays may have changed', async () => {
    const epiphany = '2027-01-06';
    const absence = await ask(single(epiphany));
    expect(absence.body['days']).toBe(1);
    await world.db.write((tx) =>
      tx.run("UPDATE companies SET region = 'DE-BY' WHERE id = :nord", { nord: world.nord }),
    );
    expect(await decide(idOf(absence), 'approve')).toMatchObject({ status: 'approved', half_days: 0 });
  });

  it('an absence after the end of employment cannot be approved, and can be rejected', async () => {
    const id = idOf(await ask(single('2026-12-15')));
    const endEmployment = (employmentEnd: string) =>
      world.service.store.write({ actor: { kind: 'system' }, at: world.now() }, (write) =>
        changePersonRecord(write, world.people.ada, world.nord, { employment_end: employmentEnd }),
      );
    await endEmployment('2026-12-14');
    await expect(decide(id, 'approve')).rejects.toMatchObject({ code: 'employment_ended' });
    await endEmployment('2026-12-15');
    expect((await decide(id, 'approve')).status).toBe('approved');
    const otherId = idOf(await ask(single('2026-12-10')));
    await endEmployment('2026-12-09');
    expect((await decide(otherId, 'reject')).status).toBe('rejected');
  });

  it('the same external id returns the same record, and other data gets its id', async () => {
    const date = reserveDays(3);
    const draft = single(date, { external_id: 'HR-2', comment: 'one' });
    const first = await ask(draft);
    const tracesBefore = await traces();
    const second = await ask(draft);
    expect([second.status, second.body, second.headers.get('etag')]).toEqual([
      200,
      first.body,
      first.headers.get('etag'),
    ]);
    for (const change of [
      { comment: 'two' },
      { comment: undefined },
      { type: 'training' },
      { half_day: 'morning' },
      single(addDays(date, 1)),
    ]) {
      expect(await ask({ ...draft, ...change })).toMatchObject({
        status: 409,
        body: { code: 'external_id_conflict', id: idOf(first) },
      });
    }
    expect(await traces()).toEqual(tracesBefore);
    const bystanderAnswer = await ask({ ...draft, ...single(addDays(date, 1)) }, { key: bystander.key });
    expect([bystanderAnswer.status, bystanderAnswer.body['external_id']]).toEqual([201, 'HR-2']);
    expect((await ask({ ...draft, user_id: world.people.ben })).status).toBe(201);
  });

  it('100 equal requests at once create one row, also across two processes', async () => {
    // An SQLite file has one serving process.
    const replica = isPostgres(world.db.dialect) ? await world.replica() : world;
    const tracesBefore = await traces();
    const body = JSON.stringify({
      user_id: world.people.ben,
      type: 'vacation',
      start_date: '2027-07-05',
      end_date: '2027-07-16',
      external_id: 'HR-100',
    });
    const answers = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const response = await fetch(`${index % 2 === 0 ? world.url : replica.url}/api/v1/absences`, {
          method: 'POST',
          headers: { authorization: `Bearer ${world.planner.key}`, 'content-type': 'application/json' },
          body,
        });
        return [response.status, ((await response.json()) as { id: number }).id] as const;
      }),
    );
    expect(answers.filter(([status]) => status === 201)).toHaveLength(1);
    expect(answers.filter(([status]) => status === 200)).toHaveLength(99);
    expect(new Set(answers.map(([, id]) => id)).size).toBe(1);
    expect(await traces()).toEqual(tracesBefore.map((count) => count + 1));
  });

  it('one of many simultaneous requests gets a day', async () => {
    const replica = await world.replica();
    const date = reserveDays(3);
    const answers = await Promise.all(
      Array.from({ length: 60 }, async (_, index) => {
        const [start, end] = [addDays(date, index % 2), addDays(date, 1)];
        const response = await fetch(`${index % 3 === 0 ? world.url : replica.url}/api/v1/absences`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${index % 2 === 0 ? world.planner.key : leader.key}`,
            'content-type': 'application/json',
          },
          body: JSON.stringify({ user_id: world.people.ada, type: 'training', start_date: start, end_date: end }),
        });
        return `${response.status} ${((await response.json()) as { code?: string }).code ?? ''}`;
      }),
    );
    expect(answers.filter((answer) => answer === '201 ')).toHaveLength(1);
    expect(answers.filter((answer) => answer === '409 absence_overlap')).toHaveLength(59);
  });

  it('a repeated idempotency key gets the first answer again', async () => {
    const date = reserveDays(2);
    const headers = { 'idempotency-key': 'absence-1' };
    const first = await ask(single(date), { headers });
    const second = await ask(single(date), { headers });
    expect([second.status, second.body, second.headers.get('location')]).toEqual([
      201,
      first.body,
      first.headers.get('location'),
    ]);
    expect(await ask(single(addDays(date, 1)), { headers })).toMatchObject({
      status: 409,
      body: { code: 'idempotency_conflict' },
    });
  });

  it('a merge patch changes a pending absence, and the event names the changes', async () => {
    const date = reserveDays(10);
    const absence = await ask({ start_date: date, end_date: addDays(date, 4), comment: 'one' });
    world.advance(60_000);
    const change = await world.call('PATCH', `/api/v1/absences/${idOf(absence)}`, {
      key: world.planner.key,
      body: JSON.stringify({ end_date: addDays(date, 1), comment: null }),
      headers: { 'content-type': 'application/merge-patch+json' },
    });
    expect(change).toMatchObject({
      status: 200,
      body: { status: 'waiting', start_date: date, end_date: addDays(date, 1), updated_at: '2026-11-23T07:01:00.684Z' },
    });
    expect(change.body).not.toHaveProperty('comment');
    const event = await lastEvent();
    expect([event['type'], new Set(event['changed'] as string[])]).toEqual([
      'leave.changed',
      new Set(['end_date', 'days', 'comment']),
    ]);
    const entry = (await world.db.get<{ details: string }>(
      "SELECT details FROM audit_entries WHERE subject = :subject AND action = 'absence.changed' ORDER BY sequence DESC LIMIT 1",
      { subject: `absence ${idOf(absence)}` },
    ))!;
    expect(new Set((JSON.parse(entry.details) as { changed: string[] }).changed)).toEqual(
      new Set(['end_date', 'days', 'comment']),
    );
    const tracesBefore = await traces();
    expect((await call('PATCH', `absences/${idOf(absence)}`, { end_date: addDays(date, 1) })).headers.get('etag')).toBe(
      change.headers.get('etag'),
    );
    expect(await traces()).toEqual(tracesBefore);
    expect(await call('PATCH', `absences/${idOf(absence)}`, { half_day: 'morning' })).toMatchObject({
      status: 400,
      body: { details: [{ field: 'half_day' }] },
    });
    expect(await call('PATCH', `absences/${idOf(absence)}`, { ...single(date), half_day: 'morning' })).toMatchObject({
      status: 200,
      body: { half_day: 'morning' },
    });
    expect((await call('PATCH', `absences/${idOf(absence)}`, { half_day: null })).body).not.toHaveProperty('half_day');
    expect(await call('PATCH', `absences/${idOf(absence)}`, { type: 'nonsense' })).toMatchObject({
      status: 422,
      body: { code: 'absence_type_unknown' },
    });
    for (const body of [
      {},
      { status: 'approved' },
      { external_id: 'x' },
      { user_id: 1 },
      { start_date: null },
      { half_day: 'noon' },
    ])
      expect((await call('PATCH', `absences/${idOf(absence)}`, body)).status).toBe(400);
    const laterAbsence = await ask(single(addDays(date, 6)));
    expect(await call('PATCH', `absences/${idOf(absence)}`, { end_date: addDays(date, 6) })).toMatchObject({
      status: 409,
      body: { code: 'absence_overlap' },
    });
    expect((await call('PATCH', `absences/${idOf(laterAbsence)}`, { comment: 'itself is no overlap' })).status).toBe(
      200,
    );
  });

  it('a version is compared when the request names it', async () => {
    const absence = await ask(single(reserveDays()));
    const path = `absences/${idOf(absence)}`;
    const ifMatch = { 'if-match': absence.headers.get('etag')! };
    const change = await call('PATCH', path, { comment: 'a' }, { headers: ifMatch });
    expect(change.status).toBe(200);
    expect(await call('PATCH', path, { comment: 'b' }, { headers: ifMatch })).toMatchObject({
      status: 412,
      body: { code: 'precondition_failed' },
    });
    expect(await call('DELETE', path, undefined, { headers: ifMatch })).toMatchObject({
      status: 412,
      body: { code: 'precondition_failed' },
    });
    expect((await call('PATCH', path, { comment: 'c' }, { headers: { 'if-match': '*' } })).status).toBe(200);
    const version = (await findAbsence(world.db, idOf(absence), allCompanies))!.changed;
    expect((await call('DELETE', path, undefined, { headers: { 'if-match': `"v${version}"` } })).status).toBe(200);
  });

  it('one of two changes of one version succeeds', async () => {
    const absence = await ask(single(reserveDays()));
    const headers = { 'if-match': absence.headers.get('etag')! };
    const answers = await Promise.all(
      ['a', 'b', 'c', 'd'].map((comment) => call('PATCH', `absences/${idOf(absence)}`, { comment }, { headers })),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 412, 412, 412]);
  });

  it('every state leads where the table says, for a requesting and for a leading extension', async () => {
    const reach: Record<string, (key: string) => Promise<number>> = {
      async waiting(key) {
        await world.db.write((tx) => tx.run('UPDATE extensions SET is_leading = 0 WHERE id = :id', { id: leader.id }));
        const id = idOf(await ask(single(reserveDays()), { key }));
        await world.db.write((tx) => tx.run('UPDATE extensions SET is_leading = 1 WHERE id = :id', { id: leader.id }));
        return id;
      },
      async approved(key) {
        const id = await reach['waiting']!(key);
        await decide(id, 'approve');
        return id;
      },
      async rejected(key) {
        const id = await reach['waiting']!(key);
        await decide(id, 'reject');
        return id;
      },
      async withdrawn(key) {
        const id = await reach['waiting']!(key);
        await call('DELETE', `absences/${id}`, undefined, { key });
        return id;
      },
      async cancellation_requested(key) {
        const id = await reach['approved']!(key);
        await world.db.write((tx) => tx.run('UPDATE extensions SET is_leading = 0 WHERE id = :id', { id: leader.id }));
        await call('DELETE', `absences/${id}`, undefined, { key });
        await world.db.write((tx) => tx.run('UPDATE extensions SET is_leading = 1 WHERE id = :id', { id: leader.id }));
        return id;
      },
      async cancelled(key) {
        const id = await reach['cancellation_requested']!(key);
        await decide(id, 'grant_cancellation');
        return id;
      },
    };
    const table: Record<string, Record<string, [string, string]>> = {
      requesting: {
        waiting: ['200 waiting', '200 withdrawn'],
        approved: ['409 absence_not_changeable', '202 cancellation_requested'],
        rejected: ['409 absence_not_changeable', '409 absence_not_changeable'],
        withdrawn: ['409 absence_not_changeable', '409 absence_not_changeable'],
        cancellation_requested: ['409 absence_not_changeable', '409 absence_not_changeable'],
        cancelled: ['409 absence_not_changeable', '409 absence_not_changeable'],
      },
      leading: {
        waiting: ['200 waiting', '200 withdrawn'],
        approved: ['200 approved', '202 cancelled'],
        rejected: ['409 absence_not_changeable', '409 absence_not_changeable'],
        withdrawn: ['409 absence_not_changeable', '409 absence_not_changeable'],
        cancellation_requested: ['409 absence_not_changeable', '202 cancelled'],
        cancelled: ['409 absence_not_changeable', '409 absence_not_changeable'],
      },
    };
    for (const [role, key] of [
      ['requesting', world.planner.key],
      ['leading', leader.key],
    ] as const) {
      for (const [state, [patchOutcome, deleteOutcome]] of Object.entries(table[role]!)) {
        const outcome = (answer: Answer) =>
          `${answer.status} ${(answer.body['code'] ?? answer.body['status']) as string}`;
        const id = await reach[state]!(key);
        expect([role, state, (await findAbsence(world.db, id, allCompanies))!.status]).toEqual([role, state, state]);
        expect([role, state, outcome(await call('PATCH', `absences/${id}`, { comment: 'changed' }, { key }))]).toEqual([
          role,
          state,
          patchOutcome,
        ]);
        expect([role, state, outcome(await call('DELETE', `absences/${id}`, undefined, { key }))]).toEqual([
          role,
          state,
          deleteOutcome,
        ]);
      }
    }
  });

  it('a repeated change or withdrawal with the same key gets the first answer', async () => {
    const id = idOf(await ask(single(reserveDays())));
    const callWithKey = (method: string, key: string, body?: object) =>
      call(method, `absences/${id}`, body, { headers: { 'idempotency-key': `${key} ${id}`.replace(' ', '-') } });
    const first = await callWithKey('PATCH', 'p', { comment: 'first' });
    expect(first).toMatchObject({ status: 200, body: { comment: 'first' } });
    const tracesBefore = await traces();
    const second = await callWithKey('PATCH', 'p', { comment: 'first' });
    expect(second.body).toEqual(first.body);
    expect([first, second].map((answer) => answer.headers.get('idempotent-replayed'))).toEqual([null, 'true']);
    expect(await callWithKey('PATCH', 'p', { comment: 'other' })).toMatchObject({
      status: 409,
      body: { code: 'idempotency_conflict' },
    });
    expect(await traces()).toEqual(tracesBefore);
    const withdrawal = await callWithKey('DELETE', 'd');
    expect(withdrawal).toMatchObject({ status: 200, body: { status: 'withdrawn' } });
    expect(await callWithKey('DELETE', 'd')).toMatchObject({ status: 200, body: withdrawal.body });
  });

  it('an approver decides about an absence once', async () => {
    const id = idOf(await ask(single(reserveDays())));
    expect(await requestOf(id, 'absence')).toMatchObject({
      status: 'waiting',
      person_id: world.people.ada,
      decided_by: null,
    });
    expect(await decide(id, 'approve')).toMatchObject({ status: 'approved' });
    expect(await requestOf(id, 'absence')).toMatchObject({
      status: 'approved',
      decided_by: admin,
      decided_at: world.now(),
    });
    for (const decision of ['approve', 'reject', 'grant_cancellation', 'decline_cancellation'] as const)
      await expect(decide(id, decision)).rejects.toMatchObject({ code: 'already_decided' });
    await call('DELETE', `absences/${id}`);
    expect(await requestOf(id, 'absence_cancellation')).toMatchObject({ status: 'waiting' });
    expect((await lastEvent())['type']).toBe('leave.cancellation_requested');
    expect((await decide(id, 'decline_cancellation')).status).toBe('approved');
    expect(await requestOf(id, 'absence_cancellation')).toMatchObject({ status: 'rejected' });
    expect((await lastEvent())['type']).toBe('leave.approved');
    await call('DELETE', `absences/${id}`);
    const decisions = await Promise.allSettled([decide(id, 'grant_cancellation'), decide(id, 'decline_cancellation')]);
    expect(decisions.map((answer) => answer.status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it("decisions about oneself, and about people out of reach of one's roles, are refused", async () => {
    const id = idOf(await ask(single(reserveDays())));
    const ownId = idOf(await ask(single('2027-09-01', { user_id: admin })));
    await expect(decide(ownId, 'approve')).rejects.toMatchObject({ code: 'own_request' });
    for (const stranger of [world.people.ben, world.people.zoe])
      await expect(decide(id, 'approve', stranger)).rejects.toMatchObject({ code: 'not_found' });
    expect((await findAbsence(world.db, id, allCompanies))!.status).toBe('waiting');
  });

  it('the list of approvers keeps pending absences, with their days', async () => {
    const date = reserveDays(4);
    const id = idOf(await ask(single(date)));
    await call('PATCH', `absences/${id}`, { end_date: addDays(date, 2) });
    expect(await requestOf(id, 'absence')).toMatchObject({
      status: 'waiting',
      from_date: date,
      to_date: addDays(date, 2),
    });
    await call('DELETE', `absences/${id}`);
    expect(await requestOf(id, 'absence')).toMatchObject({ status: 'withdrawn', decided_by: null });
    expect(await requestOf(idOf(await ask(single(date), { key: leader.key })), 'absence')).toBeUndefined();
  });

  it('an absence of another creator is answered as not found, and is unchanged', async () => {
    const id = idOf(await ask(single(reserveDays(), { external_id: 'HR-mine' })));
    const strip = (answer: Answer) => [answer.status, { ...answer.body, request_id: '' }];
    for (const [method, body] of [
      ['PATCH', { comment: 'mine now' }],
      ['DELETE', undefined],
    ] as const) {
      const unknownAnswer = strip(await call(method, 'absences/424242', body));
      for (const key of [bystander.key, leader.key, world.souther.key])
        expect(strip(await call(method, `absences/${id}`, body, { key }))).toEqual(unknownAnswer);
      expect(unknownAnswer).toMatchObject([404, { code: 'not_found' }]);
    }
    expect((await findAbsence(world.db, id, allCompanies))!).toMatchObject({ status: 'waiting', comment: null });
    for (const path of ['absences/0', 'absences/-1', 'absences/1e3', 'absences/9007199254740993', 'absences/x'])
      expect((await call('DELETE', path)).status).toBe(400);
  });

  it('writing absences needs the scope, the switch and a key that acts for everyone', async () => {
    const date = reserveDays();
    expect(await ask(single(date), { key: world.reader.key })).toMatchObject({
      status: 403,
      body: { code: 'insufficient_scope' },
    });
    expect(await ask(single(date), { key: world.auditor.key })).toMatchObject({
      status: 403,
      body: { code: 'company_mismatch' },
    });
    expect(await ask(single(date, { user_id: world.people.zoe }))).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    });
    await world.db.write((tx) =>
      tx.run("UPDATE extensions SET acting = 'personal_link' WHERE id = :id", { id: bystander.id }),
    );
    expect(await ask(single(date), { key: bystander.key })).toMatchObject({
      status: 403,
      body: { code: 'company_mismatch' },
    });
    await world.db.write((tx) => tx.run('UPDATE people_access SET people_writes = 0'));
    expect(await ask(single(date))).toMatchObject({ status: 403, body: { code: 'feature_disabled' } });
    await world.db.write((tx) => tx.run('UPDATE people_access SET people_writes = 1'));
  });

  it("a response hints at a used-up entitlement and a period without work, in the person's language", async () => {
    const [dora, emil] = await world.service.store.write({ actor: system, at: monday }, async (write) => [
      await hire(write, {
        companyId: world.nord,
        firstName: 'Dora',
        lastName: 'Rest',
        language: 'de',
      }),
      await hire(write, {
        companyId: world.nord,
        firstName: 'Emil',
        lastName: 'Voll',
      }),
    ]);
    const want = (user_id: number, start_date: string, end_date: string, fields: object = {}) =>
      ask({ user_id, start_date, end_date, ...fields });
    expect((await want(dora, '2027-01-11', '2027-01-15')).body['warnings']).toEqual([
      { code: 'entitlement_missing', message: 'Für 2027 ist kein Urlaubsanspruch hinterlegt.' },
    ]);
    await world.service.store.write({ actor: system, at: monday }, async (write) =>
      saveEntitlement(write, (await findPerson(write, dora, allCompanies))!, 2027, {
        days: 6,
        carriedDays: 1,
        carriedUntil: '2027-03-31',
      }),
    );
    expect((await want(dora, '2027-01-18', '2027-01-19')).body['warnings']).toEqual([]);
    expect((await want(dora, '2027-01-20', '2027-01-20', { half_day: 'morning' })).body['warnings']).toEqual([
      { code: 'entitlement_exceeded', message: 'Der Urlaubsanspruch 2027 ist um 0,5 Tage überschritten.' },
    ]);
    expect((await want(dora, '2027-01-23', '2027-01-24', { type: 'sickness' })).body['warnings']).toEqual([
      { code: 'no_working_days', message: 'In diesem Zeitraum liegt kein Arbeitstag.' },
    ]);
    await world.db.write((tx) =>
      saveVacationPolicyRow(tx, { company_id: world.nord, half_days: 2, carry_until: '03-31', pro_rata: 'none' }),
    );
    expect((await want(emil, '2027-12-30', '2028-01-05')).body['warnings']).toMatchObject([
      { message: 'The vacation entitlement of 2027 is exceeded by 1 day.' },
      { message: 'The vacation entitlement of 2028 is exceeded by 2 days.' },
    ]);
    await world.db.write((tx) => tx.run('DELETE FROM vacation_policies'));
  });

  it('a schedule change counts days again from that day on, and sends an event', async () => {
    const gesa = await world.service.store.write({ actor: system, at: monday }, (write) =>
      hire(write, {
        companyId: world.nord,
        firstName: 'Gesa',
        lastName: 'Halb',
      }),
    );
    const [absenceBefore, absenceAcross, absenceAfter] = [
      await ask({ user_id: gesa, start_date: '2027-05-03', end_date: '2027-05-07' }),
      await ask({ user_id: gesa, start_date: '2027-05-28', end_date: '2027-06-04' }),
      await ask({ user_id: gesa, start_date: '2027-06-07', end_date: '2027-06-11' }),
    ];
    expect([absenceBefore, absenceAcross, absenceAfter].map((answer) => answer.body['days'])).toEqual([4, 6, 5]);
    const tracesBefore = await traces();
    const recounts = await world.write(async (write) => {
      await saveSchedule(write, {
        companyId: world.nord,
        personId: gesa,
        validFrom: '2027-06-01',
        week: [480, 480, 0, 0, 0, 0, 0],
      });
      return recountDays(write, (await findPerson(write, gesa, allCompanies))!, '2027-06-01');
    });
    expect(recounts).toBe(2);
    expect(
      await Promise.all(
        [absenceBefore, absenceAcross, absenceAfter].map(
          async (answer) => (await findAbsence(world.db, idOf(answer), allCompanies))!.half_days / 2,
        ),
      ),
    ).toEqual([4, 3, 2]);
    expect(await lastEvent()).toMatchObject({
      type: 'leave.changed',
      changed: ['days'],
      data: { days: 2, status: 'waiting' },
    });
    expect(await traces()).toEqual([tracesBefore[0], tracesBefore[1]! + 2, tracesBefore[2]! + 2]);
  });

  it('audit entries of absences name people by id alone, in an unbroken chain', async () => {
    expect((await ask({ start_date: '2026-12-21', end_date: '2026-12-30', comment: 'Flensburg' })).status).toBe(201);
    expect(await verifyAudit(world.db)).toMatchObject({ intact: true });
    const entries = JSON.stringify(await world.db.all("SELECT * FROM audit_entries WHERE action LIKE 'absence%'"));
    for (const name of ['Ada', 'Lang', 'Flensburg']) expect(entries).not.toContain(name);
    expect(entries).toContain('"actor_name":"Planner"');
  });
});

describe.each(oneDialect)('reading absences on %s', (dialect) => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld(dialect);
    const drafts: [number, string, string, string, HalfDay | null][] = [
      [world.people.ada, 'sickness', '2026-10-30', '2026-11-03', null],
      [world.people.ada, 'sickness', '2026-11-30', '2026-12-02', null],
      [world.people.ben, 'sickness', '2026-11-10', '2026-11-10', 'morning'],
      [world.people.ben, 'vacation', '2026-11-12', '2026-11-13', null],
      [world.people.zoe, 'sickness', '2026-11-10', '2026-11-11', null],
    ];
    for (const [personId, type, start_date, end_date, half_day] of drafts) {
      await world.write(async (write) =>
        requestAbsence(write, {
          personId,
          companyId: (await findPerson(write, personId, allCompanies))!.company_id,
          draft: draftOf({ type, start_date, end_date, half_day }),
          externalId: `X-${start_date}`,
          author: { kind: 'extension', extension: { id: world.planner.id, name: 'Planner', leading: false } },
        }),
      );
      world.advance(1_000);
    }
  });
  afterEach(() => world.close());
  const get = (path: string, key = world.auditor.key) => world.call('GET', `/api/v1/${path}`, { key });
  const data = (answer: Answer) => answer.body['data'] as Record<string, unknown>[];
  const starts = (answer: Answer) => data(answer).map((row) => row['start_date']);

  it('the list has the approved absences that touch a period', async () => {
    expect(starts(await get('time/leaves?from=2026-11-01&to=2026-11-30'))).toEqual([
      '2026-10-30',
      '2026-11-10',
      '2026-11-10',
      '2026-11-30',
    ]);
    expect(starts(await get('time/leaves?from=2026-11-03&to=2026-11-03'))).toEqual(['2026-10-30']);
    expect(starts(await get('time/leaves?from=2026-11-04&to=2026-11-09'))).toEqual([]);
    expect(starts(await get(`time/leaves?from=2026-11-01&to=2026-11-30&user_id=${world.people.ben}`))).toEqual([
      '2026-11-10',
    ]);
    expect(starts(await get('time/leaves?from=2026-11-01&to=2026-11-30', world.souther.key))).toEqual(['2026-11-10']);
    expect(
      (await get(`time/leaves?from=2026-11-01&to=2026-11-30&company_id=${world.sued}`, world.planner.key)).status,
    ).toBe(404);
    expect(data(await get('time/leaves?from=2026-11-01&to=2026-11-30'))[0]).not.toHaveProperty('warnings');
  });

  it('an absence whose cancellation is requested counts until it is granted', async () => {
    const [ben] = data(await get(`time/leaves?from=2026-11-10&to=2026-11-10&user_id=${world.people.ben}`));
    await world.call('DELETE', `/api/v1/absences/${ben!['id'] as number}`, { key: world.planner.key });
    expect(data(await get(`time/leaves?from=2026-11-10&to=2026-11-10&user_id=${world.people.ben}`))).toMatchObject([
      { status: 'cancellation_requested' },
    ]);
    const admin = await world.service.store.write({ actor: system, at: monday }, (write) =>
      recordPerson(write, {
        companyId: world.nord,
        firstName: 'Tom',
        lastName: 'Amt',
        role: 'company_admin',
        language: 'de',
      }),
    );
    await world.write(async (write) =>
      decideAbsence(write, {
        id: ben!['id'] as number,
        decision: 'grant_cancellation',
        decider: (await findPerson(write, admin, allCompanies))!,
      }),
    );
    expect(data(await get(`time/leaves?from=2026-11-10&to=2026-11-10&user_id=${world.people.ben}`))).toEqual([]);
  });

  it('the external id is visible to the extension that set it alone', async () => {
    const path = 'time/leaves?updated_since=1970-01-01';
    expect(data(await get(path, world.planner.key)).every((row) => String(row['external_id']).startsWith('X-'))).toBe(
      true,
    );
    expect(data(await get(path)).some((row) => 'external_id' in row)).toBe(false);
  });

  it.each([
    'from=2026-11-23',
    'to=2026-11-23',
    '',
    'from=2026-11-23&to=2026-11-22',
    'from=2025-11-22&to=2026-11-23',
    'from=2026-02-30&to=2026-03-01',
    'from=2026-11-01&to=2026-11-02&updated_since=2026-11-01',
    'updated_since=yesterday%20noon',
    'updated_since=0000-01-01T00:00:00Z',
    'updated_since=s1_00000000ffffffff',
    'from=2026-11-01&to=2026-11-02&limit=0',
    'updated_since=2026-11-01&limit=501',
  ])('the list refuses %s', async (query) => {
    expect(await get(`time/leaves?${query}`)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });

  it('the list takes 366 days, counted inclusively', async () => {
    expect((await get('time/leaves?from=2025-11-23&to=2026-11-23')).status).toBe(200);
  });

  it('the change feed has every state, in pages, and continues from a position', async () => {
    const ids: unknown[] = [];
    let page = await get('time/leaves?updated_since=1970-01-01&limit=2');
    for (
      ;
      ;
      page = await get(`time/leaves?updated_since=1970-01-01&limit=2&cursor=${page.body['next_cursor'] as string}`)
    ) {
      ids.push(...data(page).map((row) => row['id']));
      if (page.body['has_more'] === false) break;
    }
    expect(new Set(ids).size).toBe(5);
    const token = page.body['next_updated_since'] as string;
    expect(data(await get(`time/leaves?updated_since=${token}`))).toEqual([]);
    const pendingAbsence = data(await get('time/leaves?updated_since=1970-01-01')).find(
      (row) => row['status'] === 'waiting',
    )!;
    await world.call('PATCH', `/api/v1/absences/${pendingAbsence['id'] as number}`, {
      key: world.planner.key,
      body: { comment: 'later' },
    });
    expect(data(await get(`time/leaves?updated_since=${token}`))).toMatchObject([
      { id: pendingAbsence['id'], comment: 'later' },
    ]);
    expect(
      (await get(`time/leaves?updated_since=1970-01-01&limit=3&cursor=${page.body['next_cursor'] as string}`)).status,
    ).toBe(400);
  });

  it.each([
    ['time/leaves', 'absence'],
    ['time/entries', 'time_entry'],
    ['users', 'person'],
  ] as const)('removals of %s are listed for exactly 90 days', async (path, kind) => {
    const home = world.now();
    const removedAt = home;
    for (const [id, company_id] of [
      [9001, world.nord],
      [9002, world.sued],
      [9003, world.nord],
    ] as const) {
      await world.write(async (write) => {
        await write.audit({
          action: 'person.erased',
          companyId: company_id,
          subject: `person ${id}`,
          details: {},
        });
        return recordRemoval(write, { kind, id, companyId: company_id });
      });
    }
    const list = (since: string, key?: string, query = '') => get(`${path}/removed?since=${since}${query}`, key);
    const removals = await list('2026-11-20');
    expect(data(removals)).toEqual(
      [9001, 9002, 9003].map((id, index) => ({
        id,
        company_id: index === 1 ? world.sued : world.nord,
        removed_at: '2026-11-23T07:00:05.684Z',
      })),
    );
    expect(data(await list('2026-11-20', world.planner.key)).map((row) => row['id'])).toEqual([9001, 9003]);
    const first = await list('2026-11-20', undefined, '&limit=2');
    expect([data(first).length, first.body['has_more']]).toEqual([2, true]);
    const second = await list('2026-11-20', undefined, `&limit=2&cursor=${first.body['next_cursor'] as string}`);
    expect(data(second).map((row) => row['id'])).toEqual([9003]);
    const token = second.body['next_since'] as string;
    expect(data(await list(token))).toEqual([]);

    world.set(removedAt + 90 * day);
    expect(data(await list('2026-11-23T07:00:05.684Z'))).toHaveLength(3);
    expect((await list('2026-11-23T07:00:04Z')).body).toMatchObject({ code: 'sync_window_exceeded' });
    expect((await list('2026-11-23T07:00:04Z')).status).toBe(410);
    expect((await list(token)).status).toBe(200);
    world.advance(1);
    expect(await list('2026-11-23T07:00:05.684Z')).toMatchObject({ status: 410 });
    expect(await list(token)).toMatchObject({ status: 410, body: { code: 'sync_window_exceeded' } });
    expect(data(await list('2026-11-23T07:00:05.685Z'))).toEqual([]);
    world.set(home);
    for (const since of ['yesterday', '0000-01-01', 's1_00000000ffffffff_19aaaaaaaaa', '2026-02-30'])
      expect((await list(since)).status).toBe(400);
    expect((await get(`${path}/removed`)).status).toBe(400);
  });
});
