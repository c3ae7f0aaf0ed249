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
  let yardLead: number;
  let admin: number;
  const browsers = new Map<number, Browser>();
  beforeAll(async () => {
    world = await createWorld('sqlite');
    ({ ada, ben, cem } = world.people);
    const add = (firstName: string, fields: object) =>
      world.hire({
        firstName,
        email: `${firstName.toLowerCase()}@clockproof.example`,
        departmentId: world.office,
        ...fields,
      });
    ole = await add('Ole', {});
    lead = await add('Lea', { role: 'approver' });
    // Works in the office, and decides for the yard.
    yardLead = await add('Max', { role: 'approver', departmentId: world.office + 1 });
    await world.db.write((tx) =>
      tx.run('UPDATE people SET department_id = :office WHERE id = :yardLead', { office: world.office, yardLead }),
    );
    admin = await add('Nora', { role: 'company_admin', departmentId: undefined });
    const personIds = [ada, ben, ole, lead, yardLead, admin];
    for (const id of personIds) browsers.set(id, await world.as(id));
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

  const get = (personId: number, path: string) => browsers.get(personId)!.call('GET', `/app/${path}`);
  const calendar = (personId: number) => get(personId, 'team/absences?from=2026-11-23&to=2026-11-24');
  const presence = (personId: number) => get(personId, 'team/clock-states');
  const show = async (colleaguesSee: string) => {
    const answer = await browsers
      .get(admin)!
      .call('PATCH', `/app/admin/companies/${world.nord}`, { body: { colleagues_see: colleaguesSee } });
    expect(answer).toMatchObject({ status: 200, body: { colleagues_see: colleaguesSee } });
  };
  const peopleOf = ({ body }: { readonly body: Record<string, unknown> }) =>
    (body['data'] as { person: { id: number } }[]).map(({ person }) => person.id);
  const refusal = { status: 403, body: { code: 'forbidden' } };

  it('colleagues see absent colleagues as before, and nothing of the clock', async () => {
    await show('absences');
    const answer = await calendar(ada);
    expect(peopleOf(answer)).toEqual([ole, lead]);
    expect(JSON.stringify(answer.body)).not.toMatch(/sick|home/i);
    expect(await presence(ada)).toMatchObject(refusal);
    expect((await get(ada, 'session')).body).toMatchObject({ company: { colleagues_see: 'absences' } });
  });

  it('colleagues see who is present in their own department, and not why a person is absent', async () => {
    await show('absences_and_presence');
    const answer = await presence(ada);
    expect(peopleOf(answer)).toEqual([ada, ole, lead, yardLead]);
    expect(answer.body['data']).toMatchObject([
      { state: 'in' },
      { state: 'out', absence: { end_date: '2026-11-24', away: true } },
      {},
      {},
    ]);
    expect(JSON.stringify(answer.body)).not.toMatch(/sick|home/i);
    expect((answer.body['data'] as object[])[2]).not.toHaveProperty('absence');
    expect(peopleOf(await presence(ben))).toEqual([ben, cem]);
    for (const filter of [`department_id=${world.office + 1}`, `company_id=${world.sued}`])
      expect((await get(ada, `team/clock-states?${filter}`)).status).toBe(404);
  });

  it('colleagues see nothing where presence is off, and deciders see their people', async () => {
    await show('nothing');
    for (const answer of [await calendar(ada), await presence(ada)]) expect(answer).toMatchObject(refusal);
    expect(peopleOf(await calendar(lead))).toEqual([ole, lead]);
    expect(peopleOf(await presence(lead))).toEqual([ada, ole, lead, yardLead]);
    expect(peopleOf(await calendar(admin))).toEqual([ole, lead]);
    expect((await presence(admin)).status).toBe(200);
    // The office is their department; they decide for the yard.
    expect(peopleOf(await calendar(yardLead))).toEqual([]);
    expect(peopleOf(await presence(yardLead))).toEqual([ben, cem]);
  });

  interface TeamRow {
    readonly user_id: number;
    readonly vacation_left_days: number;
    readonly waiting_requests: number;
  }
  const listTeam = async (personId: number, query = '') => {
    const { status, body } = await get(personId, `team/people${query}`);
    expect([query, status]).toEqual([query, 200]);
    return body as unknown as { data: TeamRow[]; departments: { id: number }[]; next_cursor: string | null };
  };
  const ids = (page: { readonly data: readonly TeamRow[] }) => page.data.map((row) => row.user_id);

  it('colleagues are listed for their deciders: never other people, never the deciders themselves', async () => {
    const page = await listTeam(lead);
    // By last name, then first name: Lang, Test Max, Test Ole.
    expect(ids(page)).toEqual([ada, yardLead, ole]);
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
    for (const { user_id: id, vacation_left_days: leftDays } of page.data)
      expect((await get(lead, `people/${id}/vacation?year=2026`)).body).toMatchObject({ left_days: leftDays });
    expect(ids(await listTeam(yardLead)).sort()).toEqual([ben, cem].sort());
    expect(ids(await listTeam(admin)).sort()).toEqual([ada, ben, cem, ole, lead, yardLead].sort());
    expect(await get(ada, 'team/people')).toMatchObject(refusal);
    for (const filter of [`department_id=${world.office + 1}`, `company_id=${world.sued}`])
      expect((await get(lead, `team/people?${filter}`)).status).toBe(404);
  });

  it('colleagues are found by department and name, not by hidden values, page by page', async () => {
    expect(ids(await listTeam(admin, `?department_id=${world.office + 1}`)).sort()).toEqual([ben, cem].sort());
    expect(ids(await listTeam(lead, '?search=LANG'))).toEqual([ada]);
    expect(ids(await listTeam(lead, '?search=clockproof.example'))).toEqual([]);
    const listedIds: number[] = [];
    for (let cursor = ''; ; ) {
      const page = await listTeam(lead, `?limit=1${cursor}`);
      listedIds.push(...ids(page));
      if (page.next_cursor === null) break;
      cursor = `&cursor=${page.next_cursor}`;
    }
    expect(listedIds).toEqual([ada, yardLead, ole]);
    const { next_cursor: cursor } = await listTeam(lead, '?limit=1');
    for (const [personId, query] of [
      [lead, '&search=test'],
      [admin, ''],
    ] as const)
      expect(await get(personId, `team/people?limit=1&cursor=${cursor}${query}`)).toMatchObject({ status: 400 });
  });

  it.each([
    ['presence', ['clock_state', 'absence'], ['balance']],
    ['month_reports', ['balance'], ['clock_state', 'absence']],
  ])(
    'colleagues are listed without the data of %s while the company has it off',
    async (evaluation, hiddenMembers, visibleMembers) => {
      const setEnabled = (enabled: boolean) =>
        browsers
          .get(admin)!
          .call('PUT', `/app/admin/companies/${world.nord}/evaluations/${evaluation}`, { body: { enabled } });
      expect((await setEnabled(false)).status).toBe(200);
      for (const personId of [lead, admin]) {
        const teamRow = (await listTeam(personId)).data.find((row) => row.user_id === ole)!;
        for (const member of hiddenMembers) expect(teamRow).not.toHaveProperty(member);
        for (const member of visibleMembers) expect(teamRow).toHaveProperty(member);
        expect(teamRow).toHaveProperty('vacation_left_days');
      }
      await setEnabled(true);
      for (const member of hiddenMembers)
        expect((await listTeam(lead)).data.find((row) => row.user_id === ole)).toHaveProperty(member);
    },
  );
});
