/** What HR books in a vacation account, and the account line by line. */
import { oneDialect } from '@clockproof/platform/testing/databases';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from '../browser.js';
import { createWorld, type World } from '../world.js';

describe.each(oneDialect)('bookings of a vacation account on %s', (dialect) => {
  let world: World;
  let boss: Browser;
  let ada: Browser;
  let bo: number;
  beforeAll(async () => {
    world = await createWorld(dialect);
    bo = await world.hire({ firstName: 'Bo', lastName: 'Chef', email: 'bo@clockproof.example', role: 'company_admin' });
    boss = await world.as(bo);
    ada = await world.as(world.people.ada);
    const days = { days: 30, carried_over_days: 4, carry_over_until: '2026-03-31' };
    await boss.call('PUT', `/app/admin/people/${world.people.ada}/entitlements/2026`, { body: days });
    await boss.call('POST', `/app/people/${world.people.ada}/absences`, {
      body: { type: 'vacation', start_date: '2026-12-07', end_date: '2026-12-09' },
    });
  });
  afterAll(() => world.close());

  const book = (body: object, browser = boss) =>
    browser.call('POST', `/app/admin/people/${world.people.ada}/vacation-bookings`, {
      body: { kind: 'correction', days: 1, date: '2026-06-01', reason: 'Wrongly taken over', ...body },
    });

  it('bookings of a vacation account appear in it with their reason, and the lines add up', async () => {
    expect((await book({ days: 2.5 })).status).toBe(201);
    expect((await book({ days: -0.5, reason: 'Half a day too many' })).status).toBe(201);
    const payout = await book({ kind: 'payout', days: -3, date: '2026-02-01', reason: 'End of the contract' });
    expect(payout.status).toBe(201);
    const author = { booked_by: { id: bo, name: 'Bo Chef' }, booked_at: expect.any(String) };
    const statement = (await ada.call('GET', '/app/me/vacation-statement?year=2026')).body;
    expect(statement).toEqual({
      year: 2026,
      left_days: 29,
      lines: [
        { kind: 'entitlement', date: '2026-01-01', days: 30, balance_days: 30 },
        { kind: 'carried_over', date: '2026-01-01', days: 4, balance_days: 34 },
        { kind: 'payout', date: '2026-02-01', days: -3, balance_days: 31, reason: 'End of the contract', ...author },
        // Three of the four days brought over were paid out before they expired.
        { kind: 'carry_over_expired', date: '2026-04-01', days: -1, balance_days: 30 },
        {
          kind: 'correction',
          date: '2026-06-01',
          days: 2.5,
          balance_days: 32.5,
          reason: 'Wrongly taken over',
          ...author,
        },
        {
          kind: 'correction',
          date: '2026-06-01',
          days: -0.5,
          balance_days: 32,
          reason: 'Half a day too many',
          ...author,
        },
        {
          kind: 'absence',
          date: '2026-12-07',
          days: -3,
          balance_days: 29,
          absence: { id: expect.any(Number), type_label: 'Vacation', end_date: '2026-12-09' },
        },
      ],
    });
  });

  it('bookings change the remaining vacation in every account that shows it', async () => {
    const daysBefore = (await ada.call('GET', '/app/me/vacation?year=2027')).body['left_days'] as number;
    expect((await book({ days: 2, date: '2027-01-15' })).body).toMatchObject({ year: 2027, left_days: daysBefore + 2 });
    expect((await ada.call('GET', '/app/me/vacation?year=2027')).body).toMatchObject({
      booked_days: 2,
      left_days: daysBefore + 2,
    });
  });

  it('bookings are not zero, and payouts and expiries are negative', async () => {
    for (const body of [{ days: 0 }, { kind: 'payout', days: 1 }, { kind: 'expiry', days: 0.5 }, { days: 0.25 }])
      expect([body, (await book(body)).status]).toEqual([body, 400]);
    expect((await book({ reason: '' })).status).toBe(400);
  });

  it('admins of the company make bookings, and the audit log has them without the reason', async () => {
    expect((await book({}, ada)).status).toBe(403);
    const zoesPath = `/app/admin/people/${world.people.zoe}/vacation-bookings`;
    expect((await boss.call('GET', `${zoesPath}?year=2026`)).status).toBe(404);
    const body = { kind: 'expiry', days: -1, date: '2025-12-31', reason: 'Never taken' };
    expect((await boss.call('POST', zoesPath, { body })).status).toBe(404);
    expect((await boss.call('POST', `/app/admin/people/${world.people.ben}/vacation-bookings`, { body })).status).toBe(
      201,
    );
    const entry = await world.db.get<{ subject: string; details: string }>(
      "SELECT subject, details FROM audit_entries WHERE action = 'vacation.booked' ORDER BY sequence DESC LIMIT 1",
    );
    expect([entry!.subject, JSON.parse(entry!.details)]).toEqual([
      `person ${world.people.ben}`,
      { booking: expect.any(Number), changed: ['kind', 'date', 'days'] },
    ]);
  });
});
