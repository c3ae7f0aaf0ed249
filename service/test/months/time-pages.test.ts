import { oneDialect } from '@clockproof/platform/testing/databases';
import { hour, minute, parseInstant } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser } from '../browser.js';
import { hire, offlineStamp, recordWork } from '../builders.js';
import { type Answer, createWorld, monday, type World } from '../world.js';

const system = { kind: 'system' } as const;
const at = (text: string) => parseInstant(text)!;

describe.each(oneDialect)('time on the pages on %s', (dialect) => {
  let world: World;
  let lead: number;
  let admin: number;
  let southAdmin: number;
  let root: number;
  const browsers = new Map<number, Browser>();
  const personIds = () => [world.people.ada, world.people.ben, lead, admin, southAdmin, root];
  const enter = async () => {
    for (const id of personIds()) browsers.set(id, await world.as(id));
  };
  beforeEach(async () => {
    world = await createWorld(dialect);
    [lead, admin, southAdmin, root] = (await world.service.store.write({ actor: system, at: monday }, async (write) => {
      const person = (
        companyId: number,
        firstName: string,
        role: 'approver' | 'company_admin' | 'super_admin',
        fields: object = {},
      ) =>
        hire(write, {
          companyId,
          firstName,
          email: `${firstName.toLowerCase()}@clockproof.example`,
          role,
          language: 'de',
          ...fields,
        });
      return [
        await person(world.nord, 'Lea', 'approver', { departmentId: world.office }),
        await person(world.nord, 'Tom', 'company_admin'),
        await person(world.sued, 'Sue', 'company_admin'),
        await person(world.sued, 'Root', 'super_admin'),
      ];
    })) as [number, number, number, number];
    await enter();
  });
  afterEach(() => world.close());
  const call = (personId: number, method: string, path: string, body?: unknown) =>
    browsers.get(personId)!.call(method, `/app/${path}`, body === undefined ? {} : { body });
  const data = (answer: Answer) => answer.body['data'] as Record<string, unknown>[];
  /** Sessions end after half an hour without use: people who act on another day sign in again. */
  const moveTo = async (text: string) => {
    world.set(at(text) - 5 * minute);
    await enter();
    world.set(at(text));
  };

  /** 07:30 to 08:25 UTC with a break of ten minutes. */
  const stampShortDay = async (personId: number) => {
    await moveTo('2026-11-23T07:30:00Z');
    for (const [verb, minutes] of [
      ['in', 20],
      ['break/start', 10],
      ['break/end', 25],
      ['out', 0],
    ] as const) {
      expect((await call(personId, 'POST', `me/clock/${verb}`)).status).toBe(200);
      world.advance(minutes * minute);
    }
  };
  const longDay = { start: '2026-11-19T07:00:00Z', end: '2026-11-19T18:30:00Z', reason: 'Messe' };

  it('a person stamps, and sees the day, the month and the entry on the page', async () => {
    const { ada } = world.people;
    await moveTo('2026-11-23T07:30:00Z');
    expect(await call(ada, 'POST', 'me/clock/in')).toMatchObject({
      status: 200,
      body: { clock_state: { state: 'in', source: { kind: 'web' } }, warnings: [] },
    });
    expect(await call(ada, 'POST', 'me/clock/in')).toMatchObject({ status: 409, body: { code: 'already_clocked_in' } });
    world.advance(20 * minute);
    expect((await call(ada, 'POST', 'me/clock/break/start')).body).toMatchObject({
      clock_state: { state: 'on_break' },
    });
    world.advance(10 * minute);
    expect((await call(ada, 'POST', 'me/clock/break/end')).body).toMatchObject({ clock_state: { state: 'in' } });
    world.advance(25 * minute);
    const overview = await call(ada, 'GET', 'me/overview');
    expect(overview).toMatchObject({
      status: 200,
      body: {
        clock_state: { user_id: ada, state: 'in' },
        today: {
          date: '2026-11-23',
          target_minutes: 480,
          worked_minutes: 45,
          break_minutes: 10,
          difference_minutes: -435,
        },
        // Fifteen working days before today, none of them worked. Today counts tomorrow.
        month: {
          month: '2026-11',
          target_minutes: 15 * 480,
          worked_minutes: 0,
          difference_minutes: -15 * 480,
          balance_minutes: -15 * 480,
          closed: false,
        },
        tracked_from: '2026-11-01',
        waiting_requests: { absences: 0, corrections: 0, stamps: 0 },
        warnings: [],
        vacation: { year: 2026 },
        server_time: '2026-11-23T08:25:00Z',
      },
    });
    expect((await call(ada, 'POST', 'me/clock/out')).body).toMatchObject({
      clock_state: { state: 'out' },
    });
    expect((await call(ada, 'GET', 'me/overview')).body).toMatchObject({ warnings: [] });
    expect(data(await call(ada, 'GET', 'me/entries?from=2026-11-01&to=2026-11-30'))).toMatchObject([
      { user_id: ada, date: '2026-11-23', source: { kind: 'web' }, worked_minutes: 45, break_minutes: 10 },
    ]);
    expect(data(await call(ada, 'GET', 'me/days?from=2026-11-21&to=2026-11-23'))).toMatchObject([
      { date: '2026-11-21', target_minutes: 0 },
      { date: '2026-11-22' },
      { date: '2026-11-23', worked_minutes: 45, warnings: [] },
    ]);
    expect(data(await call(ada, 'GET', 'me/months?year=2026'))).toMatchObject([
      { month: '2026-11', target_minutes: 15 * 480, worked_minutes: 0, difference_minutes: -15 * 480 },
    ]);
    await moveTo('2026-11-24T08:00:00Z');
    expect(data(await call(ada, 'GET', 'me/months?year=2026'))).toMatchObject([
      { month: '2026-11', target_minutes: 16 * 480, worked_minutes: 45, difference_minutes: 45 - 16 * 480 },
    ]);
    expect(data(await call(ada, 'GET', 'me/months?year=2030'))).toEqual([]);
    expect(data(await call(ada, 'GET', 'me/holidays?year=2026')).map((row) => row['date'])).toContain('2026-10-31');
    expect((await call(ada, 'GET', 'me/days?from=2025-01-01&to=2026-11-23')).status).toBe(400);
  });

  it('the overview and the day remind a person of a forgotten clock-out', async () => {
    const { ada, ben } = world.people;
    await moveTo('2026-11-23T07:30:00Z');
    await call(ada, 'POST', 'me/clock/in');
    await moveTo('2026-11-24T07:00:00Z');
    expect((await call(ada, 'GET', 'me/overview')).body).toMatchObject({
      warnings: [{ code: 'clock_out_missing', limit_minutes: 840, actual_minutes: 1_410 }],
    });
    expect((await call(ben, 'GET', 'me/overview')).body).toMatchObject({ warnings: [] });
    expect(data(await call(lead, 'GET', `people/${ada}/days?from=2026-11-23&to=2026-11-23`))).toMatchObject([
      { warnings: expect.arrayContaining([expect.objectContaining({ code: 'clock_out_missing' })]) },
    ]);
    const path = `reports/findings?from=2026-11-01&to=2026-11-30&company_id=${world.nord}`;
    expect(data(await call(admin, 'GET', path))).toMatchObject([
      { person: { id: ada }, date: '2026-11-23', warning: { code: 'clock_out_missing' } },
    ]);
  });

  it('a correction request goes from the person to the approver, who sees what contradicts it', async () => {
    const { ada, ben } = world.people;
    await stampShortDay(ada);
    await moveTo('2026-11-23T17:00:00Z');
    const [entry] = data(await call(ada, 'GET', 'me/entries?from=2026-11-23&to=2026-11-23'));
    const correction = {
      entry_id: entry!['id'],
      start: '2026-11-23T07:00:00Z',
      end: '2026-11-23T15:30:00Z',
      breaks: [{ start: '2026-11-23T11:00:00Z', end: '2026-11-23T11:30:00Z' }],
      reason: 'Zu früh gegangen? Nein.',
    };
    expect(await call(ada, 'POST', 'me/corrections', { ...correction, end: undefined })).toMatchObject({
      status: 400,
      body: { details: [{ field: 'end' }] },
    });
    expect(await call(ada, 'POST', 'me/corrections', { ...correction, remove: true })).toMatchObject({
      status: 400,
      body: { details: [{ field: 'remove' }] },
    });
    expect(await call(ben, 'POST', 'me/corrections', correction)).toMatchObject({ status: 404 });
    const answer = await call(ada, 'POST', 'me/corrections', correction);
    expect(answer).toMatchObject({
      status: 201,
      body: {
        id: expect.stringMatching(/^cor_/),
        status: 'waiting',
        person: { id: ada, name: 'Ada Lang' },
        entry: { end: '2026-11-23T08:25:00Z' },
        remove: false,
        end: '2026-11-23T15:30:00Z',
      },
    });
    expect((await call(ada, 'GET', 'me/overview')).body).toMatchObject({
      waiting_requests: { absences: 0, corrections: 1, stamps: 0 },
    });
    expect(data(await call(ada, 'GET', 'me/corrections'))).toEqual([answer.body]);

    const approvals = await call(lead, 'GET', 'approvals');
    expect(data(approvals)).toMatchObject([
      {
        id: expect.stringMatching(/^apr_/),
        kind: 'correction',
        status: 'waiting',
        person: { id: ada },
        department: { id: world.office, name: 'Office' },
        company_id: world.nord,
        correction: { id: answer.body['id'] },
        conflicts: [],
      },
    ]);
    const id = data(approvals)[0]!['id'] as string;
    for (const personId of [ben, southAdmin])
      expect([403, 404]).toContain((await call(personId, 'POST', `approvals/${id}/approve`, {})).status);
    expect(data(await call(southAdmin, 'GET', 'approvals'))).toEqual([]);
    expect(data(await call(root, 'GET', `approvals?company_id=${world.nord}`))).toHaveLength(1);
    expect((await call(southAdmin, 'GET', `approvals?company_id=${world.nord}`)).status).toBe(404);
    expect((await call(lead, 'GET', `approvals?user_id=${ben}`)).status).toBe(404);
    expect(await call(lead, 'POST', `approvals/${id}/approve`, { comment: 'Passt' })).toMatchObject({
      status: 200,
      body: {
        status: 'approved',
        decided_by: { id: lead, name: 'Lea Test' },
        decision_comment: 'Passt',
        correction: { status: 'approved', decision_reason: 'Passt', entry: { worked_minutes: 45 } },
      },
    });
    expect(await call(admin, 'POST', `approvals/${id}/reject`, { comment: 'Doch nicht' })).toMatchObject({
      status: 409,
      body: { code: 'already_decided' },
    });
    expect(data(await call(lead, 'GET', 'approvals?state=decided'))).toMatchObject([{ id, status: 'approved' }]);
    expect((await call(lead, 'POST', 'approvals/apr_999999/approve', {})).status).toBe(404);
    expect((await call(lead, 'POST', 'approvals/apr_01/approve', {})).status).toBe(404);

    const history = data(await call(ada, 'GET', `me/entries/${entry!['id']}/history`));
    expect(history).toMatchObject([
      { version: 1, change: 'recorded', by: 'Ada Lang', entry: { worked_minutes: 45 } },
      {
        version: 2,
        change: 'corrected',
        by: 'Lea Test',
        reason: correction.reason,
        entry: { worked_minutes: 480, break_minutes: 30 },
      },
    ]);
    expect(data(await call(lead, 'GET', `entries/${entry!['id']}/history`))).toEqual(history);
    expect((await call(ben, 'GET', `me/entries/${entry!['id']}/history`)).status).toBe(404);
    expect((await call(southAdmin, 'GET', `entries/${entry!['id']}/history`)).status).toBe(404);
  });

  it('a person withdraws a request once', async () => {
    const { ada, ben } = world.people;
    const correction = await call(ada, 'POST', 'me/corrections', {
      start: '2026-11-20T07:00:00Z',
      end: '2026-11-20T15:00:00Z',
      reason: 'Vergessen',
    });
    expect((await call(ben, 'POST', `me/corrections/${correction.body['id']}/withdrawal`)).status).toBe(404);
    expect(await call(ada, 'POST', `me/corrections/${correction.body['id']}/withdrawal`)).toMatchObject({
      status: 200,
      body: { status: 'withdrawn' },
    });
    expect(await call(ada, 'POST', `me/corrections/${correction.body['id']}/withdrawal`)).toMatchObject({
      status: 409,
      body: { code: 'already_decided' },
    });
  });

  it('deciders correct, read and compare, and nobody else does', async () => {
    const { ada, ben } = world.people;
    const draft = longDay;
    expect(await call(lead, 'POST', `people/${ada}/corrections`, draft)).toMatchObject({
      status: 201,
      body: { status: 'approved', requested_by: { id: lead } },
    });
    expect(await call(lead, 'POST', `people/${lead}/corrections`, draft)).toMatchObject({
      status: 403,
      body: { code: 'own_request' },
    });
    for (const [deciderId, personId] of [
      [lead, ben],
      [southAdmin, ada],
      [admin, world.people.zoe],
    ] as const)
      expect((await call(deciderId, 'POST', `people/${personId}/corrections`, draft)).status).toBe(404);
    expect((await call(ben, 'POST', `people/${ada}/corrections`, draft)).status).toBe(403);
    expect(data(await call(lead, 'GET', `people/${ada}/entries?from=2026-11-19&to=2026-11-19`))).toMatchObject([
      { status: 'approved', worked_minutes: 690 },
    ]);
    expect(data(await call(lead, 'GET', `people/${ada}/days?from=2026-11-19&to=2026-11-19`))).toMatchObject([
      { difference_minutes: 210, warnings: [{ code: 'daily_limit_exceeded' }, { code: 'break_missing' }] },
    ]);
    expect(data(await call(lead, 'GET', `people/${ada}/months?year=2026`))).toMatchObject([
      { month: '2026-11', worked_minutes: 690 },
    ]);
    for (const path of [
      'entries?from=2026-11-19&to=2026-11-19',
      'days?from=2026-11-19&to=2026-11-19',
      'months?year=2026',
    ])
      expect((await call(lead, 'GET', `people/${ben}/${path}`)).status).toBe(404);
    expect(data(await call(lead, 'GET', 'team/clock-states')).map((row) => row['user_id'])).toEqual([ada, lead]);
    expect(data(await call(admin, 'GET', 'team/clock-states')).map((row) => row['user_id'])).toEqual(
      expect.arrayContaining([ada, ben, admin]),
    );
  });

  it("the page says who is at work and why a person is away, by the company's day", async () => {
    const { ada } = world.people;
    // 23:30 in Berlin on the 23rd: today is not yet the 24th.
    await moveTo('2026-11-23T22:30:00Z');
    const record = async (type: string, day: string) =>
      expect(
        (await call(lead, 'POST', `people/${ada}/absences`, { type, start_date: day, end_date: day })).status,
      ).toBe(201);
    await record('home_office', '2026-11-24');
    await record('vacation', '2026-11-25');
    const readPresence = async () =>
      data(await call(lead, 'GET', 'team/clock-states')).find((row) => row['user_id'] === ada)!;
    expect(await readPresence()).toMatchObject({
      person: { id: ada, name: 'Ada Lang' },
      department: { id: world.office, name: 'Office' },
      state: 'out',
    });
    expect(await readPresence()).not.toHaveProperty('absence');
    await moveTo('2026-11-23T23:30:00Z');
    expect(await readPresence()).toMatchObject({
      absence: { type_label: 'Homeoffice', end_date: '2026-11-24', away: false },
    });
    await moveTo('2026-11-24T23:30:00Z');
    expect(await readPresence()).toMatchObject({
      absence: { type_label: 'Urlaub', end_date: '2026-11-25', away: true },
    });
  });

  it('the report shows a month and its broken rules, page by page, within reach', async () => {
    const { ada, ben } = world.people;
    expect((await call(lead, 'POST', `people/${ada}/corrections`, longDay)).status).toBe(201);
    const halfDay = { type: 'vacation', start_date: '2026-11-12', end_date: '2026-11-12', half_day: 'morning' };
    expect((await call(admin, 'POST', `people/${ben}/absences`, halfDay)).status).toBe(201);
    const report = await call(admin, 'GET', `reports/months?month=2026-11&company_id=${world.nord}`);
    expect(data(report).find((line) => (line['person'] as { id: number }).id === ada)).toMatchObject({
      department: 'Office',
      balance: { month: '2026-11', worked_minutes: 690 },
      findings: 2,
      absence_days: 0,
    });
    expect(data(report).map((line) => (line['person'] as { id: number }).id)).toEqual([ada, ben, lead, admin]);
    const first = await call(admin, 'GET', `reports/months?month=2026-11&company_id=${world.nord}&limit=1`);
    expect(
      data(
        await call(
          admin,
          'GET',
          `reports/months?month=2026-11&company_id=${world.nord}&limit=1&cursor=${first.body['next_cursor'] as string}`,
        ),
      ),
    ).toEqual([data(report)[1]]);
    expect(
      data(await call(lead, 'GET', `reports/months?month=2026-11&company_id=${world.nord}`)).map(
        (line) => (line['person'] as { id: number }).id,
      ),
    ).toEqual([ada, lead]);
    const yard = await world.db.get<{ id: number }>("SELECT id FROM departments WHERE name = 'Yard'");
    const yardPath = `reports/months?month=2026-11&company_id=${world.nord}&department_id=${yard!.id}`;
    expect((await call(lead, 'GET', yardPath)).status).toBe(404);
    expect(data(await call(admin, 'GET', yardPath)).map((line) => (line['person'] as { id: number }).id)).toEqual([
      ben,
    ]);
    const path = `reports/findings?from=2026-11-01&to=2026-11-30&company_id=${world.nord}`;
    const findings = await call(admin, 'GET', path);
    expect(data(findings)).toMatchObject([
      {
        person: { id: ada },
        date: '2026-11-19',
        warning: { code: 'daily_limit_exceeded', message: expect.stringContaining('gearbeitet') },
      },
      { warning: { code: 'break_missing' } },
    ]);
    const page = await call(admin, 'GET', `${path}&limit=1`);
    expect(data(await call(admin, 'GET', `${path}&limit=1&cursor=${page.body['next_cursor'] as string}`))).toEqual([
      data(findings)[1],
    ]);
    for (const [personId, company] of [
      [southAdmin, world.nord],
      [admin, world.sued],
      [lead, world.sued],
    ] as const)
      expect((await call(personId, 'GET', `reports/months?month=2026-11&company_id=${company}`)).status).toBe(404);
    const table = await call(admin, 'GET', `reports/months/export?month=2026-11&company_id=${world.nord}`);
    expect(table.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    // The byte order mark, which reading it as text takes away.
    expect(Number(table.headers.get('content-length'))).toBe(Buffer.byteLength(table.body['text'] as string) + 3);
    const [header, ...lines] = (table.body['text'] as string).trim().split('\r\n');
    expect(header).toBe(
      'user_id;personnel_number;name;target_minutes;worked_minutes;balance_minutes;difference_minutes;carried_minutes;absence_days;findings;booked_minutes',
    );
    expect(lines[0]).toBe(`${ada};;Ada Lang;7200;690;${690 - 7200};${690 - 7200};0;0;2;0`);
    expect(lines[1]).toMatch(/^\d+;;Ben Kurz;.*;0,5;0;0$/);
    // The table says what the report says.
    const reportLines = data(await call(admin, 'GET', `reports/months?month=2026-11&company_id=${world.nord}`)) as {
      person: { id: number; name: string };
      balance: Record<string, number>;
      absence_days: number;
      findings: number;
    }[];
    expect(lines).toEqual(
      reportLines.map(({ person, balance, absence_days: days, findings: findingCount }) =>
        [
          person.id,
          '',
          person.name,
          ...['target', 'worked', 'balance', 'difference', 'carried'].map((name) => balance[`${name}_minutes`]),
          String(days).replace('.', ','),
          findingCount,
          balance['booked_minutes'],
        ].join(';'),
      ),
    );
  });

  it.each([
    ['=1+1', "'=1+1"],
    ['+49', "'+49"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['a;b', '"a;b"'],
    ['a"b', '"a""b"'],
    ['=a;b', `"'=a;b"`],
    ['a=1', 'a=1'],
  ])('the export of %s is text that spreadsheets never read as a formula', async (text, cell) => {
    await world.db.write((tx) =>
      tx.run('UPDATE people SET personnel_number = :text, first_name = :text WHERE id = :ada', {
        text,
        ada: world.people.ada,
      }),
    );
    const table = await call(admin, 'GET', `reports/months/export?month=2026-11&company_id=${world.nord}`);
    const name = cell.endsWith('"') ? `${cell.slice(0, -1)} Lang"` : `${cell} Lang`;
    expect(table.body['text']).toContain(`\r\n${world.people.ada};${cell};${name};`);
  });

  it('admins manage people: add, change, find, roles, deactivate and re-activate', async () => {
    await moveTo('2026-11-23T17:00:00Z');
    const answer = await call(admin, 'POST', 'admin/people', {
      company_id: world.nord,
      first_name: '=Mia',
      last_name: 'Öz_100%',
      email: 'Mia@Clockproof.example',
      personnel_number: 'N-7',
      department_id: world.office,
      employment_start: '2026-11-01',
      language: 'en',
    });
    expect(answer).toMatchObject({
      status: 201,
      body: {
        email: 'mia@clockproof.example',
        department: { id: world.office },
        sign_in: 'invited',
        second_factor: false,
        pin_set: false,
        roles: [],
        badges: 0,
        active: true,
      },
    });
    const mia = answer.body['id'] as number;
    expect(
      await call(admin, 'POST', 'admin/people', {
        company_id: world.nord,
        first_name: 'Max',
        last_name: 'X',
        email: 'mia@clockproof.example',
        personnel_number: 'N-7',
        employment_start: '2026-11-01',
      }),
    ).toMatchObject({
      status: 409,
      body: { code: 'value_taken', details: [{ field: 'email' }, { field: 'personnel_number' }] },
    });
    expect(
      (
        await call(admin, 'POST', 'admin/people', {
          company_id: world.sued,
          first_name: 'Max',
          last_name: 'X',
          employment_start: '2026-11-01',
        })
      ).status,
    ).toBe(404);
    expect(
      await call(admin, 'POST', 'admin/people', {
        company_id: world.nord,
        first_name: 'Max',
        last_name: 'X',
        employment_start: '2026-11-05',
        employment_end: '2026-11-04',
      }),
    ).toMatchObject({ status: 400, body: { details: [{ field: 'employment_end' }] } });
    for (const search of ['öz', 'mia@', 'N-7', '_100%', 'Öz'])
      expect(
        data(await call(admin, 'GET', `admin/people?search=${encodeURIComponent(search)}`)).map((row) => row['id']),
      ).toEqual([mia]);
    for (const search of ['%', 'M_a', 'zz'])
      expect(
        data(await call(admin, 'GET', `admin/people?search=${encodeURIComponent(search)}`)).map((row) => row['id']),
      ).toEqual(search === '%' ? [mia] : []);
    const ids = data(await call(admin, 'GET', 'admin/people')).map((row) => row['id']);
    const pagedIds: unknown[] = [];
    for (let cursor = ''; ; ) {
      const page = await call(admin, 'GET', `admin/people?limit=2${cursor}`);
      pagedIds.push(...data(page).map((row) => row['id']));
      if (page.body['has_more'] !== true) break;
      cursor = `&cursor=${page.body['next_cursor'] as string}`;
    }
    expect(pagedIds).toEqual(ids);
    expect(
      await call(admin, 'PATCH', `admin/people/${mia}`, {
        last_name: 'Öz',
        personnel_number: null,
        time_zone: 'Europe/Lisbon',
      }),
    ).toMatchObject({ status: 200, body: { last_name: 'Öz', time_zone: 'Europe/Lisbon' } });
    expect((await call(admin, 'GET', `admin/people/${mia}`)).body).not.toHaveProperty('personnel_number');
    for (const body of [{ time_zone: 'Mars/Olympus' }, { department_id: 999 }, {}])
      expect((await call(admin, 'PATCH', `admin/people/${mia}`, body)).status).toBe(400);
    expect(
      await call(admin, 'PUT', `admin/people/${mia}/roles`, {
        roles: [{ role: 'approver', company_id: world.nord, department_ids: [world.office] }],
      }),
    ).toMatchObject({
      status: 200,
      body: { roles: [{ role: 'approver', company_id: world.nord, department_ids: [world.office] }] },
    });
    expect(await call(admin, 'PUT', `admin/people/${mia}/roles`, { roles: [{ role: 'super_admin' }] })).toMatchObject({
      status: 403,
      body: { code: 'forbidden' },
    });
    expect(
      (
        await call(admin, 'PUT', `admin/people/${mia}/roles`, {
          roles: [{ role: 'company_admin', company_id: world.sued }],
        })
      ).status,
    ).toBe(400);
    expect(await call(root, 'PUT', `admin/people/${root}/roles`, { roles: [] })).toMatchObject({
      status: 409,
      body: { code: 'last_admin' },
    });
    expect(
      await call(root, 'POST', `admin/people/${root}/deactivation`, { employment_end: '2026-11-23' }),
    ).toMatchObject({ status: 409, body: { code: 'last_admin' } });
    expect(
      await call(admin, 'POST', `admin/people/${mia}/deactivation`, { employment_end: '2026-12-24' }),
    ).toMatchObject({ status: 400 });
    expect(
      await call(admin, 'POST', `admin/people/${mia}/deactivation`, { employment_end: '2026-11-20' }),
    ).toMatchObject({ status: 200, body: { active: false, employment_end: '2026-11-20' } });
    expect(
      await world.call('POST', '/api/v1/clock/in', { key: world.planner.key, body: { user_id: mia } }),
    ).toMatchObject({ status: 409, body: { code: 'employment_ended' } });
    expect(await call(admin, 'POST', `admin/people/${mia}/reactivation`)).toMatchObject({
      status: 200,
      body: { active: true },
    });
    expect((await call(admin, 'GET', `admin/people/${world.people.zoe}`)).status).toBe(404);
    // Everybody who follows the people sees what changed.
    const users = await world.call('GET', '/api/v1/users?updated_since=2026-11-23T17:00:00Z', {
      key: world.reader.key,
    });
    expect(data(users).map((row) => row['id'])).toContain(mia);
  });

  it('admins set the target hours of everyone without their own', async () => {
    const { ada, ben, zoe } = world.people;
    const company = `admin/companies/${world.nord}/schedules`;
    const week = (minutes: number, friday: number) => ({
      monday: minutes,
      tuesday: minutes,
      wednesday: minutes,
      thursday: minutes,
      friday,
      saturday: 0,
      sunday: 0,
    });
    const adasSchedule = await call(admin, 'POST', `admin/people/${ada}/schedules`, {
      valid_from: '2026-11-17',
      minutes: week(360, 360),
    });
    for (const person of [ada, ben])
      expect(
        await call(person, 'POST', 'me/absences', {
          type: 'vacation',
          start_date: '2026-12-14',
          end_date: '2026-12-18',
        }),
      ).toMatchObject({ status: 201, body: { days: 5 } });
    await moveTo('2026-12-01T08:00:00Z');
    const targets = async (person: number) =>
      data(await call(root, 'GET', `people/${person}/days?from=2026-11-13&to=2026-11-20`)).map(
        (day) => day['target_minutes'],
      );
    const vacation = async (person: number) =>
      data(await call(admin, 'GET', `people/${person}/absences?from=2026-12-01&to=2026-12-31`)).map(
        (row) => row['days'],
      );
    const carriedMinutes = async (person: number) => {
      const report = await call(admin, 'GET', `reports/months?company_id=${world.nord}&month=2026-12`);
      const line = data(report).find((row) => (row['person'] as { id: number }).id === person)!;
      const { carried_minutes: minutes } = line['balance'] as { carried_minutes: number };
      const [, december] = data(await call(admin, 'GET', `people/${person}/months?year=2026`));
      expect(december).toMatchObject({ month: '2026-12', carried_minutes: minutes });
      return minutes;
    };
    const carriedBefore = { ada: await carriedMinutes(ada), ben: await carriedMinutes(ben) };

    const schedule = await call(admin, 'POST', company, { valid_from: '2026-11-16', minutes: week(300, 0) });
    expect(schedule).toMatchObject({ status: 201, body: { valid_from: '2026-11-16', week_minutes: 1200 } });
    expect(await call(admin, 'GET', company)).toMatchObject({ status: 200, body: { data: [schedule.body] } });
    expect(data(await call(admin, 'GET', `admin/people/${ben}/schedules`))).toEqual([]);
    expect(await targets(ben)).toEqual([480, 0, 0, 300, 300, 300, 300, 0]);
    // From the day on which a schedule of her own begins.
    expect(await targets(ada)).toEqual([480, 0, 0, 300, 360, 360, 360, 360]);
    expect([await vacation(ben), await vacation(ada)]).toEqual([[4], [5]]);
    // 16 to 30 November: eleven days of eight hours were due, and are nine of five.
    expect((await carriedMinutes(ben)) - carriedBefore.ben).toBe(11 * 480 - 9 * 300);
    expect((await carriedMinutes(ada)) - carriedBefore.ada).toBe(480 - 300);

    const item = `${company}/${schedule.body['id'] as string}`;
    const december = { valid_from: '2026-12-01', minutes: week(240, 240) };
    for (const [method, path, body] of [
      ['GET', company],
      ['POST', company, december],
      ['DELETE', item],
    ] as const) {
      expect((await call(southAdmin, method, path, body)).status).toBe(404);
      expect((await call(lead, method, path, body)).status).toBe(403);
    }
    for (const path of [
      `${company}/${adasSchedule.body['id'] as string}`,
      `admin/people/${ben}/schedules/${schedule.body['id'] as string}`,
      item.replace(String(world.nord), String(world.sued)),
    ])
      expect((await call(root, 'DELETE', path)).status).toBe(404);
    expect(await targets(zoe)).toEqual([480, 0, 0, 480, 480, 480, 480, 480]);

    const month = `admin/companies/${world.nord}/months/2026-11`;
    expect((await call(admin, 'POST', `${month}/close`)).status).toBe(200);
    const refusal = { status: 409, body: { code: 'month_closed' } };
    expect(await call(admin, 'POST', company, { ...december, valid_from: '2026-11-30' })).toMatchObject(refusal);
    expect(await call(admin, 'DELETE', item)).toMatchObject(refusal);
    const decemberSchedule = await call(admin, 'POST', company, december);
    expect([decemberSchedule.status, await vacation(ben)]).toEqual([201, [5]]);
    expect((await call(admin, 'DELETE', `${company}/${decemberSchedule.body['id'] as string}`)).status).toBe(204);
    expect(await vacation(ben)).toEqual([4]);
    expect((await call(admin, 'POST', `${month}/reopen`, { reason: 'Nachtrag' })).status).toBe(200);
    expect((await call(admin, 'DELETE', item)).status).toBe(204);
    expect(await targets(ben)).toEqual([480, 0, 0, 480, 480, 480, 480, 480]);
    expect([await carriedMinutes(ben), await vacation(ben)]).toEqual([carriedBefore.ben, [5]]);
  });

  it('admins manage schedules and opening balances', async () => {
    const { ben } = world.people;
    const minutes = { monday: 300, tuesday: 300, wednesday: 0, thursday: 0, friday: 0, saturday: 0, sunday: 0 };
    const schedule = await call(admin, 'POST', `admin/people/${ben}/schedules`, { valid_from: '2026-11-16', minutes });
    expect(schedule).toMatchObject({
      status: 201,
      body: { id: expect.stringMatching(/^sch_/), valid_from: '2026-11-16', minutes, week_minutes: 600 },
    });
    await call(admin, 'POST', `admin/people/${ben}/schedules`, {
      valid_from: '2026-12-01',
      minutes: { ...minutes, monday: 480 },
    });
    expect(data(await call(admin, 'GET', `admin/people/${ben}/schedules`))).toMatchObject([
      { valid_from: '2026-11-16', valid_to: '2026-11-30' },
      { valid_from: '2026-12-01', week_minutes: 780 },
    ]);
    expect(
      data(await call(admin, 'GET', `people/${ben}/days?from=2026-11-13&to=2026-11-18`)).map(
        (day) => day['target_minutes'],
      ),
    ).toEqual([480, 0, 0, 300, 300, 0]);
    expect(
      (await call(admin, 'DELETE', `admin/people/${world.people.ada}/schedules/${schedule.body['id'] as string}`))
        .status,
    ).toBe(404);
    expect((await call(admin, 'DELETE', `admin/people/${ben}/schedules/${schedule.body['id'] as string}`)).status).toBe(
      204,
    );
    expect(
      await call(admin, 'PUT', `admin/people/${ben}/opening-balance`, { date: '2026-11-20', balance_minutes: 755 }),
    ).toMatchObject({ status: 200, body: { date: '2026-11-20', balance_minutes: 755 } });
    expect((await call(admin, 'GET', `admin/people/${ben}/opening-balance`)).body).toEqual({
      date: '2026-11-20',
      balance_minutes: 755,
    });
    expect(data(await call(admin, 'GET', `people/${ben}/months?year=2026`))).toMatchObject([
      { month: '2026-11', carried_minutes: 755, balance_minutes: 755 - 480 },
    ]);
  });

  it('admins manage special rules; the person and admins alone see those about health', async () => {
    const { ben, ada } = world.people;
    const rules = `admin/people/${ada}/special-rules`;
    const answer = await call(admin, 'POST', rules, { kind: 'expectant_or_nursing', valid_from: '2026-11-20' });
    const rule = { kind: 'expectant_or_nursing', valid_from: '2026-11-20', evening_work: false };
    expect(answer).toMatchObject({ status: 201, body: rule });
    const id = answer.body['id'] as string;
    await call(admin, 'POST', rules, { kind: 'minijob', valid_from: '2026-11-01', valid_to: '2026-11-30' });
    expect(data(await call(admin, 'GET', rules)).map(({ kind }) => kind)).toEqual(['minijob', 'expectant_or_nursing']);
    // The same day replaces.
    const minijob = { kind: 'minijob', valid_from: '2026-11-01', valid_to: '2026-11-29' };
    await call(admin, 'POST', rules, minijob);
    expect(data(await call(admin, 'GET', rules))).toMatchObject([minijob, rule]);
    for (const body of [
      { kind: 'young', valid_from: '2026-11-02', valid_to: '2026-11-01' },
      { kind: 'young', valid_from: '2026-11-02', evening_work: true },
      { kind: 'old', valid_from: '2026-11-02' },
    ])
      expect((await call(admin, 'POST', rules, body)).status).toBe(400);
    for (const personId of [lead, ada]) expect((await call(personId, 'GET', rules)).status).toBe(403);
    expect((await call(southAdmin, 'GET', rules)).status).toBe(404);
    expect((await call(admin, 'DELETE', `admin/people/${ben}/special-rules/${id}`)).status).toBe(404);

    await moveTo('2026-11-24T06:00:00Z');
    expect((await call(ada, 'POST', 'me/clock/in')).status).toBe(200);
    world.advance(9 * hour);
    await enter();
    const clockOut = await call(ada, 'POST', 'me/clock/out');
    const clauses = (warnings: unknown) => (warnings as { rule?: string }[]).map((warning) => warning.rule);
    expect(clauses(clockOut.body['warnings'])).toContain('MuSchG §4 (1)');
    const day = 'days?from=2026-11-24&to=2026-11-24';
    const clausesFor = async (personId: number, path: string) =>
      clauses(data(await call(personId, 'GET', path))[0]!['warnings']);
    expect(await clausesFor(ada, `me/${day}`)).toContain('MuSchG §4 (1)');
    expect(await clausesFor(admin, `people/${ada}/${day}`)).toContain('MuSchG §4 (1)');
    expect(await clausesFor(lead, `people/${ada}/${day}`)).toEqual(['ArbZG §3', 'ArbZG §4']);
    const findings = `reports/findings?from=2026-11-24&to=2026-11-24&company_id=${world.nord}`;
    const findingClauses = async (personId: number) =>
      data(await call(personId, 'GET', findings)).map((row) => (row['warning'] as { rule: string }).rule);
    expect(await findingClauses(admin)).toEqual(['MuSchG §4 (1)', 'ArbZG §4']);
    expect(await findingClauses(lead)).toEqual(['ArbZG §4']);
    const sheet = async (personId: number) =>
      JSON.stringify((await call(personId, 'GET', `people/${ada}/sheets/2026-11`)).body);
    for (const personId of [ada, admin]) expect(await sheet(personId)).toContain('MuSchG');
    expect(await sheet(lead)).toContain('ArbZG');
    expect(await sheet(lead)).not.toContain('MuSchG');
    expect((await call(ada, 'GET', 'evaluations')).body['special_rules']).toMatchObject([minijob, rule]);
    expect((await call(lead, 'GET', 'evaluations')).body['special_rules']).toEqual([]);
    const log = JSON.stringify(await world.db.all("SELECT * FROM audit_entries WHERE action LIKE 'special_rule.%'"));
    expect(log).toContain('special_rule');
    for (const kind of ['minijob', 'expectant', '2026-11-20']) expect(log).not.toContain(kind);
    expect((await call(admin, 'DELETE', `${rules}/${id}`)).status).toBe(204);
    expect(data(await call(admin, 'GET', rules))).toMatchObject([minijob]);
  });

  it('the page points out days without a record for a week, where the law requires one', async () => {
    const { ada } = world.people;
    await call(admin, 'POST', `admin/people/${ada}/special-rules`, { kind: 'minijob', valid_from: '2026-11-24' });
    await moveTo('2026-12-02T12:00:00Z');
    const missingDates = async (personId: number, path: string) =>
      data(await call(personId, 'GET', path)).flatMap((day) =>
        (day['warnings'] as { code: string; rule?: string }[]).some((warning) => warning.rule === 'MiLoG §17 (1)')
          ? [day['date']]
          : [],
      );
    const days = 'days?from=2026-11-23&to=2026-12-02';
    expect(await missingDates(ada, `me/${days}`)).toEqual(['2026-11-24']);
    expect(await missingDates(lead, `people/${ada}/${days}`)).toEqual(['2026-11-24']);
    const company = `admin/companies/${world.nord}`;
    expect(await call(admin, 'PATCH', company, { record_duty: true, short_rest_branch: 'care' })).toMatchObject({
      status: 200,
      body: { record_duty: true, short_rest_branch: 'care' },
    });
    expect(await missingDates(ada, `me/${days}`)).toEqual(['2026-11-23', '2026-11-24']);
    const findings = `reports/findings?from=2026-11-23&to=2026-11-24&company_id=${world.nord}`;
    const rows = data(await call(lead, 'GET', findings)).filter(
      (row) =>
        (row['person'] as { id: number }).id === ada && (row['warning'] as { code: string }).code === 'record_missing',
    );
    expect(rows.map(({ date }) => date)).toEqual(['2026-11-23', '2026-11-24']);
    expect(await call(admin, 'PATCH', company, { short_rest_branch: 'none' })).toMatchObject({
      body: { record_duty: true, short_rest_branch: 'none' },
    });
  });

  it('admins manage companies, departments and holidays', async () => {
    expect(data(await call(admin, 'GET', 'admin/companies'))).toMatchObject([
      {
        id: world.nord,
        deduct_breaks: false,
        departments: [
          { name: 'Office', approvers: expect.arrayContaining([expect.objectContaining({ id: lead })]) },
          { name: 'Yard', approvers: [] },
        ],
      },
    ]);
    expect(data(await call(root, 'GET', 'admin/companies'))).toHaveLength(2);
    expect(
      (await call(admin, 'POST', 'admin/companies', { name: 'West', time_zone: 'Europe/Berlin', country: 'DE' }))
        .status,
    ).toBe(403);
    expect(
      await call(root, 'POST', 'admin/companies', {
        name: 'West',
        time_zone: 'Europe/Berlin',
        country: 'DE',
        region: 'DE-NW',
      }),
    ).toMatchObject({ status: 201, body: { region: 'DE-NW', people_count: 0, departments: [] } });
    expect(
      await call(root, 'POST', 'admin/companies', { name: 'West', time_zone: 'Europe/Berlin', country: 'DE' }),
    ).toMatchObject({ status: 409, body: { code: 'value_taken' } });
    expect(
      await call(root, 'POST', 'admin/companies', {
        name: 'East',
        time_zone: 'Europe/Berlin',
        country: 'DE',
        region: 'DE-ZZ',
      }),
    ).toMatchObject({ status: 400, body: { details: [{ field: 'region' }] } });
    expect(
      await call(root, 'POST', 'admin/companies', { name: 'East', time_zone: 'Europa/Berlin', country: 'DE' }),
    ).toMatchObject({ status: 400, body: { details: [{ field: 'time_zone' }] } });
    expect(await call(admin, 'PATCH', `admin/companies/${world.nord}`, { time_zone: 'Europe/Hamburg' })).toMatchObject({
      status: 400,
      body: { details: [{ field: 'time_zone' }] },
    });
    expect(
      await call(admin, 'PATCH', `admin/companies/${world.nord}`, { region: 'DE-SH', deduct_breaks: true }),
    ).toMatchObject({ status: 200, body: { region: 'DE-SH', deduct_breaks: true } });
    expect(
      await call(admin, 'PATCH', `admin/companies/${world.nord}`, { region: 'DE-HH', deduct_breaks: false }),
    ).toMatchObject({ body: { deduct_breaks: false } });
    expect((await call(admin, 'PATCH', `admin/companies/${world.nord}`, { active: false })).status).toBe(403);
    expect((await call(admin, 'PATCH', `admin/companies/${world.sued}`, { name: 'Mine' })).status).toBe(404);
    expect(
      data(await call(admin, 'GET', `admin/companies/${world.nord}/holidays?year=2027`)).map((row) => row['name']),
    ).toContain('Karfreitag');
    const answer = await call(admin, 'POST', `admin/companies/${world.nord}/departments`, { name: 'Lab' });
    expect(answer).toMatchObject({ status: 201, body: { name: 'Lab', people_count: 0 } });
    expect(await call(admin, 'POST', `admin/companies/${world.nord}/departments`, { name: 'Lab' })).toMatchObject({
      status: 409,
      body: { code: 'value_taken' },
    });
    const lab = answer.body['id'] as number;
    expect(
      await call(admin, 'PATCH', `admin/companies/${world.nord}/departments/${lab}`, { name: 'Laboratory' }),
    ).toMatchObject({ status: 200, body: { id: lab, name: 'Laboratory' } });
    await call(admin, 'PUT', `admin/people/${world.people.ben}/roles`, {
      roles: [{ role: 'approver', company_id: world.nord, department_ids: [lab] }],
    });
    expect(
      (await call(admin, 'DELETE', `admin/companies/${world.nord}/departments/${world.office}`)).body,
    ).toMatchObject({ code: 'still_in_use' });
    expect((await call(admin, 'DELETE', `admin/companies/${world.nord}/departments/${lab}`)).status).toBe(204);
    expect((await call(admin, 'GET', `admin/people/${world.people.ben}`)).body).toMatchObject({ roles: [] });
    expect((await call(world.people.ben, 'GET', 'approvals')).status).toBe(403);
    expect((await call(admin, 'DELETE', `admin/companies/${world.nord}/departments/${lab}`)).status).toBe(404);
  });

  it('a month closes and re-opens, and the page names obstacles', async () => {
    const { ben, ada } = world.people;
    await moveTo('2026-12-01T06:00:00Z');
    const month = `admin/companies/${world.nord}/months/2026-11`;
    const times = { start_at: at('2026-11-30T07:00:00Z'), end_at: at('2026-11-30T15:00:00Z') };
    const { id } = await recordWork(world, { person_id: ben, ...times, ...offlineStamp });
    expect(await call(admin, 'POST', `${month}/close`)).toMatchObject({
      status: 409,
      body: { code: 'month_not_closable', details: [{ field: 'open_entries' }, { field: 'pending_requests' }] },
    });
    expect(data(await call(admin, 'GET', `admin/companies/${world.nord}/months?year=2026`))[10]).toMatchObject({
      month: '2026-11',
      state: 'open',
      open_entries: 1,
      waiting_requests: 1,
    });
    const [approval] = data(await call(admin, 'GET', 'approvals?kind=offline_stamp'));
    expect(approval).toMatchObject({ kind: 'offline_stamp', entry: { id, status: 'pending' }, conflicts: [] });
    expect(await call(admin, 'POST', `approvals/${approval!['id'] as string}/approve`)).toMatchObject({
      status: 200,
      body: { entry: { status: 'approved' } },
    });
    expect(await call(admin, 'POST', `${month}/close`)).toMatchObject({
      status: 200,
      body: { month: '2026-11', state: 'closed', closed_by: { id: admin, name: 'Tom Test' }, open_entries: 0 },
    });
    expect(await call(admin, 'POST', `${month}/close`)).toMatchObject({ status: 409, body: { code: 'month_closed' } });
    expect((await call(southAdmin, 'POST', `${month}/reopen`, { reason: 'x' })).status).toBe(404);
    expect(
      await call(ada, 'POST', 'me/corrections', {
        start: '2026-11-18T07:00:00Z',
        end: '2026-11-18T15:00:00Z',
        reason: 'Vergessen',
      }),
    ).toMatchObject({ status: 409, body: { code: 'month_closed' } });
    expect(
      await call(admin, 'POST', `admin/people/${ben}/schedules`, {
        valid_from: '2026-11-01',
        minutes: { monday: 0, tuesday: 0, wednesday: 0, thursday: 0, friday: 0, saturday: 0, sunday: 0 },
      }),
    ).toMatchObject({ status: 409, body: { code: 'month_closed' } });
    expect((await call(ben, 'GET', 'me/months?year=2026')).body).toMatchObject({
      data: [
        { month: '2026-11', closed: true },
        { month: '2026-12', closed: false },
      ],
    });
    expect(await call(admin, 'POST', `${month}/reopen`, { reason: 'Nachtrag' })).toMatchObject({
      status: 200,
      body: { state: 'open', reopen_reason: 'Nachtrag' },
    });
    expect(await call(admin, 'POST', `${month}/reopen`, { reason: 'Nachtrag' })).toMatchObject({
      status: 409,
      body: { code: 'month_not_closed' },
    });
    world.advance(16 * minute);
    expect(await call(admin, 'POST', `${month}/reopen`, { reason: 'Nachtrag' })).toMatchObject({
      status: 403,
      body: { code: 'second_factor_required' },
    });
    world.advance(hour);
  });
});
