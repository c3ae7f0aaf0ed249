import { oneDialect } from '@clockproof/platform/testing/databases';
import { minute, parseInstant } from '@clockproof/platform/time/instant';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readCompanyMonth } from '../../src/months/company-month.js';
import { findCompany } from '../../src/people/rows.js';
import type { Browser } from '../browser.js';
import { closeMonth, hire, recordWork, reopenMonth } from '../builders.js';
import { createWorld, type World } from '../world.js';

const system = { kind: 'system' } as const;
const at = (text: string) => parseInstant(text)!;

describe.each(oneDialect)('time accounts on %s', (dialect) => {
  let world: World;
  let boss: Browser;
  let bo = 0;

  beforeAll(async () => {
    world = await createWorld(dialect);
    bo = await add({ firstName: 'Bo', role: 'company_admin', employmentStart: '2027-06-01' });
    world.set(at('2026-12-08T08:00:00Z'));
    boss = await world.as(bo);
  });
  afterAll(() => world.close());

  const add = (person: { firstName: string; role: 'company_admin' | 'employee'; employmentStart: string }) =>
    world.service.store.write({ actor: system, at: at('2026-08-20T08:00:00Z') }, (write) =>
      hire(write, {
        companyId: world.nord,
        lastName: 'Chef',
        email: `${person.firstName.toLowerCase()}@clockproof.example`,
        ...person,
      }),
    );
  /** October has 22 working days, November 21: ten hours more than due in October, five less in November. */
  const employee = async (firstName = 'Eve') => {
    const id = await add({ firstName: `${firstName}${people++}`, role: 'employee', employmentStart: '2026-10-01' });
    await addWork(id, '2026-10-05', 22 * 480 + 600);
    await addWork(id, '2026-11-04', 21 * 480 - 300);
    return id;
  };
  let people = 0;
  /** One row, as long as a month: what counts is its sum. */
  const addWork = (person_id: number, date: string, minutes: number) => {
    const start_at = at(`${date}T05:00:00Z`);
    return recordWork(world, { person_id, start_at, end_at: start_at + minutes * minute });
  };
  const account = async (id: number, from: string, to: string, browser = boss) =>
    (await browser.call('GET', `/app/people/${id}/time-account?from=${from}&to=${to}`)).body;
  const book = (person: number, body: object, browser = boss) =>
    browser.call('POST', `/app/admin/people/${person}/time-bookings`, {
      body: { kind: 'correction', minutes: 60, date: '2026-12-01', reason: 'Journey', ...body },
    });
  const cancel = (person: number, id: unknown, date: string) =>
    boss.call('POST', `/app/admin/people/${person}/time-bookings/${String(id)}/cancellation`, {
      body: { date, reason: 'Twice' },
    });
  const balances = async (date: string, query = '') =>
    (await world.call('GET', `/api/v1/time/balances?date=${date}${query}`, { key: world.auditor.key })).body[
      'data'
    ] as {
      user_id: number;
      company_id: number;
      balance_minutes: number;
      booked_minutes: number;
    }[];
  /** The balance on a day as each door tells it. */
  const balancesAtDoors = async (person: number, date: string) => [
    (await account(person, '2026-12-01', date))['balance_minutes'],
    (await balances(date, `&user_id=${person}`))[0]!.balance_minutes,
    (await balances(date)).find(({ user_id: id }) => id === person)!.balance_minutes,
  ];
  const close = (month: string) => closeMonth(world, { month, personId: bo });

  it('time accounts show the change of each month, and every booking with its reason and author', async () => {
    const id = await employee('Ida');
    const ida = await world.as(id);
    const payout = await book(id, { kind: 'payout', minutes: -120, date: '2026-11-20', reason: 'Paid with November' });
    expect([payout.status, payout.body]).toEqual([201, { id: expect.any(Number), balance_minutes: 180 - 5 * 480 }]);
    expect(await account(id, '2026-10-01', '2026-11-30', ida)).toEqual({
      from: '2026-10-01',
      to: '2026-11-30',
      opening_minutes: 0,
      balance_minutes: 180,
      lines: [
        {
          kind: 'month',
          date: '2026-10-01',
          end_date: '2026-10-31',
          target_minutes: 10_560,
          worked_minutes: 11_160,
          minutes: 600,
          balance_minutes: 600,
          closed: false,
        },
        {
          kind: 'month',
          date: '2026-11-01',
          end_date: '2026-11-30',
          target_minutes: 10_080,
          worked_minutes: 9780,
          minutes: -300,
          balance_minutes: 300,
          closed: false,
        },
        {
          kind: 'payout',
          id: payout.body['id'],
          date: '2026-11-20',
          minutes: -120,
          balance_minutes: 180,
          reason: 'Paid with November',
          booked_by: { id: bo, name: 'Bo Chef' },
          booked_at: expect.any(String),
        },
      ],
    });
    const months = (await ida.call('GET', '/app/me/months?year=2026')).body['data'] as { booked_minutes: number }[];
    expect(months.at(-2)).toMatchObject({ month: '2026-11', booked_minutes: -120, balance_minutes: 180 });
    expect((await ida.call('GET', '/app/me/overview')).body['month']).toMatchObject({ carried_minutes: 180 });
    const table = await boss.call('GET', `/app/people/${id}/time-account/table?from=2026-11-01&to=2026-11-30`);
    expect(String(table.body['text']).split('\r\n').slice(1, 4)).toEqual([
      '2026-11-01;;opening;;600;;;;;',
      '2026-11-01;2026-11-30;month;-300;300;10080;9780;;;',
      expect.stringMatching(/^2026-11-20;;payout;-120;180;;;Paid with November;Bo Chef;2026-12-08T/),
    ]);
  });

  it('time accounts have one balance on a day, for any query and any start', async () => {
    const id = await employee();
    await book(id, { kind: 'payout', minutes: -120, date: '2026-11-20' });
    expect(await balancesAtDoors(id, '2026-12-07')).toEqual([-2220, -2220, -2220]);
    expect(await account(id, '2026-11-10', '2026-11-19')).toMatchObject({ balance_minutes: 600 + 9780 - 14 * 480 });
    expect((await balances('2026-11-19', `&user_id=${id}`))[0]).toMatchObject({
      balance_minutes: 600 + 9780 - 14 * 480,
      booked_minutes: 0,
    });
    const laterAccount = await account(id, '2026-11-21', '2026-11-25');
    const earlierAccount = await account(id, '2026-11-01', '2026-11-20');
    expect(laterAccount['opening_minutes']).toBe(earlierAccount['balance_minutes']);
    expect(await account(id, '2026-01-01', '2026-02-01')).toMatchObject({
      opening_minutes: 0,
      balance_minutes: 0,
      lines: [],
    });
  });

  it('time accounts keep every booking: a later counter booking cancels one once', async () => {
    const id = await employee();
    const { id: booking } = (await book(id, { minutes: 45, date: '2026-12-02' })).body;
    const balanceBefore = (await account(id, '2026-12-01', '2026-12-31'))['balance_minutes'] as number;
    expect((await cancel(id, booking, '2026-12-01')).status).toBe(400);
    const cancellation = await cancel(id, booking, '2026-12-03');
    expect([cancellation.status, cancellation.body['balance_minutes']]).toEqual([201, balanceBefore - 45]);
    const lines = (await account(id, '2026-12-02', '2026-12-31'))['lines'] as object[];
    expect(lines.slice(1)).toMatchObject([
      { kind: 'correction', minutes: 45, cancelled_by: cancellation.body['id'] },
      { kind: 'cancellation', minutes: -45, cancels: booking, reason: 'Twice' },
    ]);
    const refusal = { status: 409, body: { code: 'booking_not_cancellable' } };
    expect(await cancel(id, booking, '2026-12-03')).toMatchObject(refusal);
    expect(await cancel(id, cancellation.body['id'], '2026-12-04')).toMatchObject(refusal);
    expect((await cancel(id, 999_999, '2026-12-04')).status).toBe(404);
  });

  it('admins of the company make bookings, about tracked days up to today', async () => {
    const id = await employee();
    const ada = await world.as(world.people.ada);
    expect((await book(id, {}, ada)).status).toBe(403);
    expect((await book(world.people.zoe, {})).status).toBe(404);
    for (const body of [
      { minutes: 0 },
      { kind: 'payout', minutes: 1 },
      { kind: 'expiry', minutes: 1 },
      { kind: 'cap', minutes: -1 },
      { date: '2026-12-09' },
      { date: '2026-09-30' },
      { reason: '' },
    ])
      expect([body, (await book(id, body)).status]).toEqual([body, 400]);
    const path = `/app/people/${id}/time-account?from=2026-11-01&to=2026-11-30`;
    expect((await ada.call('GET', path)).status).toBe(404);
    expect((await boss.call('GET', path.replace('2026-11-30', '2199-11-30'))).status).toBe(400);
    expect((await book(id, { minutes: 5 })).status).toBe(201);
    const entry = await world.db.get<{ details: string }>(
      "SELECT details FROM audit_entries WHERE action = 'time.booked' ORDER BY sequence DESC LIMIT 1",
    );
    expect(Object.keys(JSON.parse(entry!.details))).toEqual(['booking', 'changed']);
  });

  it('closing a month cuts time accounts at the limit, and re-opening it restores them', async () => {
    const id = await employee();
    const limits = (path: string, body: object) => boss.call('PUT', `/app/admin/${path}/flexitime-limits`, { body });
    const ofCompany = `companies/${world.nord}`;
    expect((await limits(ofCompany, { at_upper: 'cut' })).status).toBe(400);
    expect((await limits(ofCompany, { upper_minutes: 0, lower_minutes: 1 })).status).toBe(400);
    await limits(ofCompany, { upper_minutes: 500, at_upper: 'cut', lower_minutes: -600 });
    // Eve's own limits come first, until they are removed.
    await limits(`people/${id}`, { at_upper: 'keep' });
    await close('2026-10');
    expect(await account(id, '2026-10-01', '2026-10-31')).toMatchObject({ balance_minutes: 600 });
    const reopen = () => reopenMonth(world, { month: '2026-10', reason: 'Late shift', personId: bo });
    await reopen();
    expect((await limits(`people/${id}`, {})).body).toEqual({});
    await close('2026-10');
    const cap = { kind: 'cap', date: '2026-10-31', minutes: -100, balance_minutes: 500 };
    const october = await account(id, '2026-10-01', '2026-10-31');
    expect(october).toMatchObject({ balance_minutes: 500, upper_minutes: 500, at_upper: 'cut', lower_minutes: -600 });
    expect((october['lines'] as object[]).slice(1)).toMatchObject([{ ...cap, booked_by: { id: bo } }]);
    const company = (await findCompany(world.db, world.nord))!;
    const line = (await readCompanyMonth(world.db, company, '2026-10', world.now())).lines.find(
      ({ person }) => person.id === id,
    );
    expect(line).toMatchObject({ carriedMinutes: 0, bookedMinutes: -100, balanceMinutes: 500 });
    expect((await boss.call('GET', '/app/me/overview')).status).toBe(200);
    const refusal = { status: 409, body: { code: 'month_closed' } };
    expect(await book(id, { date: '2026-10-31' })).toMatchObject(refusal);
    const capId = (october['lines'] as { id: number }[])[1]!.id;
    expect(await cancel(id, capId, '2026-10-31')).toMatchObject(refusal);
    await reopen();
    const lines = (await account(id, '2026-10-01', '2026-10-31'))['lines'] as object[];
    expect(lines.slice(1)).toMatchObject([
      { ...cap, cancelled_by: expect.any(Number) },
      { kind: 'cancellation', minutes: 100, balance_minutes: 600, reason: 'Late shift' },
    ]);
    await close('2026-10');
    expect(await account(id, '2026-10-01', '2026-10-31')).toMatchObject({ balance_minutes: 500 });
    await reopen();
    await limits(ofCompany, {});
  });

  it('time accounts list balances until the end of next year, and say so for a later day', async () => {
    const read = (date: string) => world.call('GET', `/api/v1/time/balances?date=${date}`, { key: world.auditor.key });
    expect((await read('2027-12-31')).status).toBe(200);
    expect((await read('2028-01-01')).body['details']).toEqual([
      { field: 'date', code: 'out_of_range', error: 'The month is after next year.' },
    ]);
  });

  it('time accounts list balances of all companies by page, and calculate only the people of the page', async () => {
    const wholeList = await balances('2026-12-07');
    expect(new Set(wholeList.map((balance) => balance.company_id)).size).toBeGreaterThan(1);
    const pages: unknown[][] = [];
    for (let cursor: unknown = ''; cursor !== null; ) {
      const { body } = await world.call(
        'GET',
        `/api/v1/time/balances?date=2026-12-07&limit=2${cursor === '' ? '' : `&cursor=${String(cursor)}`}`,
        { key: world.auditor.key },
      );
      pages.push(body['data'] as unknown[]);
      expect(body['has_more']).toBe(body['next_cursor'] !== null);
      cursor = body['next_cursor'];
    }
    expect(pages.flat()).toEqual(wholeList);
    expect(pages.slice(0, -1).every((page) => page.length === 2)).toBe(true);
  });

  it('time accounts are listed for payroll, with every booking that counts', async () => {
    const id = await employee('Lea');
    for (const date of ['2026-11-02', '2026-12-03', '2026-12-04'])
      await book(id, { kind: 'payout', minutes: -7, date });
    const list = async (query: string) =>
      (
        await world.call('GET', `/api/v1/time/bookings?from=2026-10-01&to=2026-12-31&user_id=${id}${query}`, {
          key: world.auditor.key,
        })
      ).body as { data: { id: number; minutes: number; date: string }[]; next_cursor: string | null };
    const wholeList = await list('');
    expect(wholeList.data).toMatchObject([{ kind: 'payout', user_id: id, date: '2026-11-02', minutes: -7 }, {}, {}]);
    const ids: number[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await list(`&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
      ids.push(...page.data.map((row) => row.id));
      cursor = page.next_cursor;
    }
    expect(ids).toEqual(wholeList.data.map((row) => row.id));
    const balance = (await balances('2026-12-31', `&user_id=${id}`))[0]!;
    expect(balance.booked_minutes).toBe(-14);
    // An opening balance replaces what was booked before it, also what a later counter booking cancels.
    const { id: booking } = (await book(id, { minutes: 30, date: '2026-12-02' })).body;
    await cancel(id, booking, '2026-12-07');
    const opening = { date: '2026-12-05', balance_minutes: 90 };
    await boss.call('PUT', `/app/admin/people/${id}/opening-balance`, { body: opening });
    expect((await list('')).data).toEqual([]);
    expect(await account(id, '2026-12-01', '2026-12-06')).toMatchObject({ opening_minutes: 90, balance_minutes: 90 });
    expect(await book(id, { minutes: 30, date: '2026-12-04' })).toMatchObject({ status: 400 });
  });
});
