/** What a company gives as vacation, carried over at the turn of the year, and whose absences need approval. */

import { oneDialect } from '@clockproof/platform/testing/databases';
import { parseInstant } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { addSuperAdmin, type Browser } from '../browser.js';
import { sendAbsence } from '../builders.js';
import { type Answer, createWorld, type World } from '../world.js';

describe.each(oneDialect)('vacation of a company, on %s', (dialect) => {
  let world: World;
  let chief: number;
  let browser: Browser;
  beforeEach(async () => {
    world = await createWorld(dialect);
    const person = { companyId: world.nord, firstName: 'Cora', lastName: 'Chef', email: 'cora@clockproof.example' };
    chief = await world.hire({ ...person, role: 'company_admin', employmentStart: '2027-01-01' });
    browser = await world.as(chief);
  });
  afterEach(() => world.close());

  const call = (method: string, path: string, body?: object): Promise<Answer> =>
    browser.call(method, `/app/admin/${path}`, body === undefined ? {} : { body });
  const policy = (body?: object) =>
    call(body === undefined ? 'GET' : 'PUT', `companies/${world.nord}/vacation-policy`, body);
  const carry = (year: number) => call('POST', `companies/${world.nord}/vacation-carry-over`, { from_year: year });
  const daysCarried = async (year: number) =>
    Object.fromEntries(
      ((await carry(year)).body['data'] as { person: { id: number }; days: number }[]).map((line) => [
        line.person.id,
        line.days,
      ]),
    );
  const entitlements = async (id: number) =>
    (await call('GET', `people/${id}/entitlements`)).body['data'] as Record<string, unknown>[];
  const vacation = (startDate: string, endDate: string) =>
    sendAbsence(world, { start_date: startDate, end_date: endDate });

  it('a company has no vacation until a policy is set, and then it applies to everyone', async () => {
    expect((await policy()).body).toEqual({});
    // Nobody has an entitlement, so nobody has days to carry over.
    expect((await carry(2026)).body).toEqual({ from_year: 2026, data: [] });
    const answer = await policy({ days: 27.5, carry_over_until: '03-31' });
    expect([answer.status, answer.body]).toEqual([200, { days: 27.5, pro_rata: 'none', carry_over_until: '03-31' }]);
    expect((await policy()).body).toEqual(answer.body);
    expect((await policy({ days: 27.5, carry_over_until: '02-30' })).status).toBe(400);
    expect((await policy({ days: 0.25 })).status).toBe(400);
    const entry = await world.db.get<{ actor_id: string; details: string }>(
      "SELECT actor_id, details FROM audit_entries WHERE action = 'vacation_policy.set'",
    );
    expect([entry!.actor_id, JSON.parse(entry!.details)]).toEqual([
      String(chief),
      { days: 27.5, pro_rata: 'none', carry_over_until: '03-31' },
    ]);
  });

  it("vacation is set for many people, reduced by the company's rule, and previewed", async () => {
    const { ada, ben, cem, zoe } = world.people;
    await policy({ days: 27.5, pro_rata: 'statutory' });
    const path = `companies/${world.nord}/entitlements`;
    const body = { year: 2027, days: 28, user_ids: [ben, ada, cem, zoe] };
    await call('PUT', `people/${ada}/entitlements/2027`, { days: 30, carried_over_days: 2 });
    const wholeYear = { days: 28, rule: 'whole_year', months: 12, changes: true };
    const rows = (changes: boolean, adasDays: number) => [
      { user_id: ben, name: 'Ben Kurz', ...(changes ? {} : { before_days: 28 }), ...wholeYear, changes },
      { user_id: ada, name: 'Ada Lang', before_days: adasDays, ...wholeYear, changes },
      { user_id: cem, name: expect.any(String), error: 'not_employed', changes: false },
      { user_id: zoe, error: 'unknown', changes: false },
    ];
    expect((await call('POST', `${path}/preview`, body)).body).toEqual({ year: 2027, data: rows(true, 30) });
    expect((await entitlements(ada))[0]).toMatchObject({ days: 30 });
    expect((await call('POST', path, body)).body['data']).toEqual(rows(true, 30));
    // Carried-over days stay.
    expect((await entitlements(ada))[0]).toMatchObject({ year: 2027, days: 28, carried_over_days: 2 });
    const count = () => world.db.get("SELECT count(*) AS sum FROM audit_entries WHERE action = 'entitlement.set'");
    const countBefore = await count();
    expect((await call('POST', path, body)).body['data']).toEqual(rows(false, 28));
    expect(await count()).toEqual(countBefore);
    expect((await call('POST', `companies/${world.sued}/entitlements`, body)).status).toBe(404);
  });

  it('vacation is reduced for everyone who joins or leaves, also without days of their own', async () => {
    const { ada, ben } = world.people;
    expect((await call('PATCH', `people/${ben}`, { employment_end: '2027-03-31' })).status).toBe(200);
    const preview = async (id: number) =>
      (await call('POST', `companies/${world.nord}/entitlements/preview`, { year: 2027, days: 30, user_ids: [id] }))
        .body['data'];
    const entitledDays = async () => (await browser.call('GET', '/app/me/vacation?year=2027')).body['entitled_days'];
    await policy({ days: 30, pro_rata: 'none' });
    expect([await preview(ben), await entitledDays()]).toMatchObject([
      [{ days: 30, rule: 'whole_year', months: 3 }],
      30,
    ]);
    await policy({ days: 30, pro_rata: 'statutory' });
    expect(await preview(ben)).toMatchObject([{ days: 8, rule: 'left_in_first_half', months: 3 }]);
    const root = await world.as(await addSuperAdmin(world));
    await root.call('PATCH', `/app/admin/people/${chief}`, { body: { employment_start: '2027-08-01' } });
    expect(await entitledDays()).toBe(13);
    expect(await preview(ada)).toMatchObject([{ days: 30, rule: 'whole_year' }]);
  });

  /** The company gives 27.5 days, and Ada needs no approval. */
  const begin = async () => {
    await policy({ days: 27.5, carry_over_until: '03-31' });
    await call('PUT', `people/${world.people.ada}/approval-rule`, { approval: 'never' });
  };

  it('vacation carries over for everyone employed on both sides of the turn of the year', async () => {
    await begin();
    // Monday to Wednesday.
    await vacation('2026-12-07', '2026-12-09');
    // Cem left in October, Cora begins in January, Zoe works elsewhere.
    expect(await daysCarried(2026)).toEqual({ [world.people.ada]: 24.5, [world.people.ben]: 27.5 });
    expect(await entitlements(world.people.ada)).toMatchObject([
      { year: 2027, days: 27.5, carried_over_days: 24.5, carry_over_until: '2027-03-31' },
    ]);
    expect(await entitlements(world.people.cem)).toEqual([]);
  });

  it('vacation carries over again after a late change, and keeps the next year’s own days', async () => {
    await begin();
    await vacation('2026-12-07', '2026-12-09');
    await carry(2026);
    const answer = await call('PUT', `people/${world.people.ada}/entitlements/2027`, {
      days: 30,
      carried_over_days: 1,
    });
    expect(answer.status).toBe(200);
    await vacation('2026-12-10', '2026-12-10');
    expect(await daysCarried(2026)).toMatchObject({ [world.people.ada]: 23.5 });
    expect(await entitlements(world.people.ada)).toMatchObject([{ year: 2027, days: 30, carried_over_days: 23.5 }]);
  });

  it('the carry-over is previewed, and carried out once', async () => {
    await begin();
    await vacation('2026-12-07', '2026-12-09');
    const { ada, ben } = world.people;
    await call('PUT', `people/${ben}/entitlements/2026`, {
      days: 10,
      carried_over_days: 2,
      carry_over_until: '2026-03-31',
    });
    const preview = async () =>
      (await call('POST', `companies/${world.nord}/vacation-carry-over/preview`, { from_year: 2026 })).body['data'];
    const count = async () =>
      (await world.db.get<{ n: number }>("SELECT count(*) AS n FROM audit_entries WHERE action = 'entitlement.set'"))!
        .n;
    const countBefore = await count();
    const expiry = { carry_over_until: '2027-03-31' };
    const lines = (carried: boolean) => [
      {
        person: { id: ben, name: 'Ben Kurz' },
        days: 10,
        carried_over_days: carried ? 10 : 0,
        ...expiry,
        expired_days: 2,
        changes: !carried,
      },
      {
        person: { id: ada, name: 'Ada Lang' },
        days: 24.5,
        carried_over_days: carried ? 24.5 : 0,
        ...expiry,
        expired_days: 0,
        changes: !carried,
      },
    ];
    expect(await preview()).toEqual(lines(false));
    expect([await entitlements(ada), await count()]).toEqual([[], countBefore]);
    await carry(2026);
    expect(await count()).toBe(countBefore + 2);
    expect(await preview()).toEqual(lines(true));
    // Again, without a change in between: nothing is written.
    expect(await daysCarried(2026)).toEqual({ [ada]: 24.5, [ben]: 10 });
    expect(await count()).toBe(countBefore + 2);
    // The company gives more time: it is set again.
    await policy({ days: 27.5, carry_over_until: '06-30' });
    await carry(2026);
    expect((await entitlements(ada))[0]).toMatchObject({ year: 2027, carry_over_until: '2027-06-30' });
    expect(
      (await call('POST', `companies/${world.sued}/vacation-carry-over/preview`, { from_year: 2026 })).status,
    ).toBe(404);
  });

  it('the carry-over keeps this year’s own days where the company has set none for the next', async () => {
    await begin();
    world.set(parseInstant('2027-02-01T08:00:00Z')!);
    browser = await world.as(chief);
    await call('PUT', `people/${world.people.ben}/entitlements/2027`, { days: 20, carried_over_days: 0 });
    await world.db.write((tx) => tx.run('DELETE FROM vacation_policies'));
    await daysCarried(2027);
    expect((await entitlements(world.people.ben))[0]).toMatchObject({ year: 2028, days: 20, carried_over_days: 20 });
  });

  it('vacation does not carry over from a year that has not begun', async () => {
    expect((await carry(2028)).body).toMatchObject({ code: 'invalid_request', details: [{ field: 'from_year' }] });
  });

  it('the vacation policy belongs to the admin of the company', async () => {
    const answers = [
      await call('GET', `companies/${world.sued}/vacation-policy`),
      await call('PUT', `companies/${world.sued}/vacation-policy`, { days: 1 }),
      await call('POST', `companies/${world.sued}/vacation-carry-over`, { from_year: 2026 }),
      await call('GET', `people/${world.people.zoe}/approval-rule`),
      await call('PUT', `people/${world.people.zoe}/approval-rule`, { approval: 'never' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    const ben = await world.as(world.people.ben);
    expect((await ben.call('GET', `/app/admin/companies/${world.nord}/vacation-policy`)).status).toBe(403);
  });

  it('vacation needs approval as the person’s rule says', async () => {
    const rule = (body?: object) =>
      call(body === undefined ? 'GET' : 'PUT', `people/${world.people.ada}/approval-rule`, body);
    expect((await rule({ approval: 'by_type' })).body).toEqual({ approval: 'by_type' });
    expect(await vacation('2027-03-01', '2027-03-01')).toMatchObject({ status: 'waiting' });
    expect((await rule({ approval: 'never' })).status).toBe(200);
    expect((await rule()).body).toEqual({ approval: 'never' });
    expect(await vacation('2027-03-02', '2027-03-02')).toMatchObject({ status: 'approved' });
    expect((await rule({ approval: 'sometimes' })).status).toBe(400);
  });
});
