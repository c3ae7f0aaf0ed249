/** What people see of their department is up to the company: nothing, who is away, or who is there as well. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from '../browser.js';
import { createWorld, type World } from '../world.js';

describe('colleagues', () => {
  let world: World;
  let ada: number;
  let ben: number;
  let cem: number;
  let ole: number;
  let lead: number;
  let other: number;
  let admin: number;
  const browsers = new Map<number, Browser>();
  beforeAll(async () => {
    world = await createWorld('sqlite');
    ({ ada, ben, cem } = world.people);
    const add = (firstName: string, more: object) =>
      world.hire({
        firstName,
        email: `${firstName.toLowerCase()}@clockproof.example`,
        departmentId: world.office,
        ...more,
      });
    ole = await add('Ole', {});
    lead = await add('Lea', { role: 'approver' });
    // Works in the office, and decides for the yard.
    other = await add('Max', { role: 'approver', departmentId: world.office + 1 });
    await world.db.write((tx) =>
      tx.run('UPDATE people SET department_id = :office WHERE id = :other', { office: world.office, other }),
    );
    admin = await add('Nora', { role: 'company_admin', departmentId: undefined });
    const everyone = [ada, ben, ole, lead, other, admin];
    for (const id of everyone) browsers.set(id, await world.as(id));
    for (const [id, type] of [
      [ole, 'sickness'],
      [lead, 'home_office'],
    ] as const)
      await world.db.write((tx) =>
        tx.run(
          `INSERT INTO absences (company_id, person_id, type, start_date, end_date, half_days, status, author_kind, created_at, updated_at, changed)
           VALUES (:company, :id, :type, '2026-11-23', '2026-11-24', 2, 'approved', 'person', 1, 1, 1)`,
          { company: world.nord, id, type },
        ),
      );
    await browsers.get(ada)!.call('POST', '/app/me/clock/in');
  });
  afterAll(() => world.close());

  const get = (who: number, path: string) => browsers.get(who)!.call('GET', `/app/${path}`);
  const calendar = (who: number) => get(who, 'team/absences?from=2026-11-23&to=2026-11-24');
  const presence = (who: number) => get(who, 'team/clock-states');
  const show = async (colleaguesSee: string) => {
    const changed = await browsers
      .get(admin)!
      .call('PATCH', `/app/admin/companies/${world.nord}`, { body: { colleagues_see: colleaguesSee } });
    expect(changed).toMatchObject({ status: 200, body: { colleagues_see: colleaguesSee } });
  };
  const peopleOf = ({ body }: { readonly body: Record<string, unknown> }) =>
    (body['data'] as { person: { id: number } }[]).map(({ person }) => person.id);
  const refused = { status: 403, body: { code: 'forbidden' } };

  it('colleagues see absent colleagues as before, and nothing of the clock', async () => {
    await show('absences');
    const away = await calendar(ada);
    expect(peopleOf(away)).toEqual([ole, lead]);
    expect(JSON.stringify(away.body)).not.toMatch(/sick|home/i);
    expect(await presence(ada)).toMatchObject(refused);
    expect((await get(ada, 'session')).body).toMatchObject({ company: { colleagues_see: 'absences' } });
  });

  it('colleagues see who is present in their own department, and not why a person is absent', async () => {
    await show('absences_and_presence');
    const there = await presence(ada);
    expect(peopleOf(there)).toEqual([ada, ole, lead, other]);
    expect(there.body['data']).toMatchObject([
      { state: 'in' },
      { state: 'out', absence: { end_date: '2026-11-24', away: true } },
      {},
      {},
    ]);
    expect(JSON.stringify(there.body)).not.toMatch(/sick|home/i);
    expect((there.body['data'] as object[])[2]).not.toHaveProperty('absence');
    expect(peopleOf(await presence(ben))).toEqual([ben, cem]);
    for (const elsewhere of [`department_id=${world.office + 1}`, `company_id=${world.sued}`])
      expect((await get(ada, `team/clock-states?${elsewhere}`)).status).toBe(404);
  });

  it('colleagues see nothing where presence is off, and deciders see their people', async () => {
    await show('nothing');
    for (const answer of [await calendar(ada), await presence(ada)]) expect(answer).toMatchObject(refused);
    expect(peopleOf(await calendar(lead))).toEqual([ole, lead]);
    expect(peopleOf(await presence(lead))).toEqual([ada, ole, lead, other]);
    expect(peopleOf(await calendar(admin))).toEqual([ole, lead]);
    expect((await presence(admin)).status).toBe(200);
    // The office is their department; they decide for the yard.
    expect(peopleOf(await calendar(other))).toEqual([]);
    expect(peopleOf(await presence(other))).toEqual([ben, cem]);
  });

  interface Mine {
    readonly user_id: number;
    readonly vacation_left_days: number;
    readonly waiting_requests: number;
  }
  const mine = async (who: number, query = '') => {
    const { status, body } = await get(who, `team/people${query}`);
    expect([query, status]).toEqual([query, 200]);
    return body as unknown as { data: Mine[]; departments: { id: number }[]; next_cursor: string | null };
  };
  const ids = (page: { readonly data: readonly Mine[] }) => page.data.map((one) => one.user_id);

  it('colleagues are listed for their deciders: never other people, never the deciders themselves', async () => {
    const page = await mine(lead);
    // By last name, then first name: Lang, Test Max, Test Ole.
    expect(ids(page)).toEqual([ada, other, ole]);
    expect(page.data).toMatchObject([
      {
        last_name: 'Lang',
        department: { id: world.office },
        clock_state: { state: 'in' },
        balance: { month: '2026-11', closed: false },
        waiting_requests: 0,
        months_to_sign_off: [],
      },
      { clock_state: { state: 'out' } },
      { absence: { type_label: expect.stringMatching(/sick/i), away: true, end_date: '2026-11-24' } },
    ]);
    expect(page.departments.map(({ id }) => id)).toEqual([world.office]);
    for (const { user_id: id, vacation_left_days: left } of page.data)
      expect((await get(lead, `people/${id}/vacation?year=2026`)).body).toMatchObject({ left_days: left });
    expect(ids(await mine(other)).sort()).toEqual([ben, cem].sort());
    expect(ids(await mine(admin)).sort()).toEqual([ada, ben, cem, ole, lead, other].sort());
    expect(await get(ada, 'team/people')).toMatchObject(refused);
    for (const elsewhere of [`department_id=${world.office + 1}`, `company_id=${world.sued}`])
      expect((await get(lead, `team/people?${elsewhere}`)).status).toBe(404);
  });

  it('colleagues are found by department and name, not by hidden values, page by page', async () => {
    expect(ids(await mine(admin, `?department_id=${world.office + 1}`)).sort()).toEqual([ben, cem].sort());
    expect(ids(await mine(lead, '?search=LANG'))).toEqual([ada]);
    expect(ids(await mine(lead, '?search=clockproof.example'))).toEqual([]);
    const walked: number[] = [];
    for (let cursor = ''; ; ) {
      const page = await mine(lead, `?limit=1${cursor}`);
      walked.push(...ids(page));
      if (page.next_cursor === null) break;
      cursor = `&cursor=${page.next_cursor}`;
    }
    expect(walked).toEqual([ada, other, ole]);
    const { next_cursor: cursor } = await mine(lead, '?limit=1');
    for (const [who, query] of [
      [lead, '&search=test'],
      [admin, ''],
    ] as const)
      expect(await get(who, `team/people?limit=1&cursor=${cursor}${query}`)).toMatchObject({ status: 400 });
  });

  it.each([
    ['presence', ['clock_state', 'absence'], ['balance']],
    ['month_reports', ['balance'], ['clock_state', 'absence']],
  ])('colleagues are listed without the data of %s while the company has it off', async (evaluation, gone, kept) => {
    const turn = (enabled: boolean) =>
      browsers
        .get(admin)!
        .call('PUT', `/app/admin/companies/${world.nord}/evaluations/${evaluation}`, { body: { enabled } });
    expect((await turn(false)).status).toBe(200);
    for (const who of [lead, admin]) {
      const shown = (await mine(who)).data.find((one) => one.user_id === ole)!;
      for (const member of gone) expect(shown).not.toHaveProperty(member);
      for (const member of kept) expect(shown).toHaveProperty(member);
      expect(shown).toHaveProperty('vacation_left_days');
    }
    await turn(true);
    for (const member of gone)
      expect((await mine(lead)).data.find((one) => one.user_id === ole)).toHaveProperty(member);
  });
});
