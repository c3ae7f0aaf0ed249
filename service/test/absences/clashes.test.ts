/** Who else of the department is away during an absence, and how many are left: for the person and for the approver. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { draftOf } from '../../src/absences/draft.js';
import { requestAbsence } from '../../src/absences/request-absence.js';
import type { Browser } from '../browser.js';
import { hire } from '../builders.js';
import { createWorld, type World } from '../world.js';

const system = { kind: 'system' } as const;

describe('absent colleagues', () => {
  let world: World;
  let uli: number;
  const browsers = new Map<number, Browser>();
  let lead: number;
  beforeAll(async () => {
    world = await createWorld('sqlite');
    const add = (firstName: string, lastName: string, role: 'employee' | 'approver', employmentEnd?: string) =>
      world.hire({
        firstName,
        lastName,
        email: `${firstName.toLowerCase()}@clockproof.example`,
        role,
        departmentId: world.office,
        ...(employmentEnd === undefined ? {} : { employmentEnd }),
      });
    lead = await add('Lea', 'Dorn', 'approver');
    uli = await add('Uli', 'Neu', 'employee');
    await add('Old', 'Hand', 'employee', '2026-12-15');
    const people = [world.people.ada, uli, lead];
    for (const id of people) browsers.set(id, await world.as(id));
  });
  afterAll(() => world.close());
  const call = (personId: number, method: string, path: string, body?: object) =>
    browsers.get(personId)!.call(method, `/app/${path}`, body === undefined ? {} : { body });
  const preview = async (fields: object = {}) =>
    (
      await call(world.people.ada, 'POST', 'me/absence-preview', {
        type: 'vacation',
        start_date: '2026-12-12',
        end_date: '2026-12-17',
        ...fields,
      })
    ).body;

  it('a person sees colleagues and days away, never the kind, and so does the deciding approver', async () => {
    const { ada } = world.people;
    // Ada, Lea, Uli and, until Tuesday, Old: on Wednesday two are left.
    expect((await preview())['clash']).toEqual({
      people: 4,
      fewest_left: 2,
      fewest_left_on: '2026-12-16',
      colleagues: [],
      colleagues_total: 0,
    });
    const sickness = { type: 'sickness', start_date: '2026-12-17', end_date: '2026-12-18' };
    expect((await call(lead, 'POST', `people/${uli}/absences`, sickness)).status).toBe(201);
    const pendingVacation = { type: 'vacation', start_date: '2026-12-17', end_date: '2026-12-17', half_day: 'morning' };
    expect((await call(lead, 'POST', 'me/absences', pendingVacation)).status).toBe(201);
    const homeOffice = { type: 'home_office', start_date: '2026-12-16', end_date: '2026-12-16' };
    expect((await call(lead, 'POST', 'me/absences', homeOffice)).status).toBe(201);
    const clash = {
      people: 4,
      fewest_left: 1,
      fewest_left_on: '2026-12-17',
      colleagues: [
        { person: { id: uli, name: 'Uli Neu' }, start_date: '2026-12-17', end_date: '2026-12-18', waiting: false },
        {
          person: { id: lead, name: 'Lea Dorn' },
          start_date: '2026-12-17',
          end_date: '2026-12-17',
          half_day: 'morning',
          waiting: true,
        },
      ],
      colleagues_total: 2,
    };
    // Exactly this: nothing says that Uli is sick.
    expect((await preview())['clash']).toEqual(clash);
    // Weekend days are nobody's working days; working elsewhere clashes with nothing.
    const weekend = (await preview({ end_date: '2026-12-13' }))['clash'];
    expect(weekend).toEqual({ people: 4, colleagues: [], colleagues_total: 0 });
    expect(await preview({ type: 'home_office' })).not.toHaveProperty('clash');
    const vacation = { type: 'vacation', start_date: '2026-12-14', end_date: '2026-12-17' };
    const { body } = await call(ada, 'POST', 'me/absences', vacation);
    const list = async (state: string) =>
      (await call(lead, 'GET', `approvals?state=${state}`)).body['data'] as Record<string, unknown>[];
    const approval = (await list('waiting')).find(({ absence }) => (absence as { id: number }).id === body['id']);
    // Lea's own half day is part of it: she decides about Ada, not about herself.
    expect(approval!['clash']).toEqual(clash);
    expect((await call(lead, 'POST', `approvals/${approval!['id'] as string}/approve`, {})).status).toBe(200);
    expect((await list('decided'))[0]).not.toHaveProperty('clash');
    // The calendar of the team names the department, too.
    const team = await call(uli, 'GET', 'team/absences?from=2026-12-17&to=2026-12-17');
    expect(team.body['data']).toMatchObject([
      { person: { id: ada }, department: { id: world.office } },
      { person: { id: uli }, department: { id: world.office } },
      { person: { id: lead }, department: { id: world.office } },
    ]);
  });

  it('the list of absent colleagues has ten, each once, and says how many there are', async () => {
    const { store } = world.service;
    const period = { company: world.nord, start: '2027-03-01', end: '2027-03-02' };
    await store.write({ actor: system, at: world.now() }, async (write) => {
      for (let index = 0; index < 12; index++) {
        const personId = await hire(write, {
          companyId: world.nord,
          firstName: `Colleague${index}`,
          lastName: 'Away',
          email: `away${index}@clockproof.example`,
          departmentId: world.office,
          // Later than the days of the other test.
          employmentStart: '2027-02-01',
        });
        for (const day of [period.start, period.end])
          await requestAbsence(write, {
            personId,
            companyId: world.nord,
            draft: draftOf({ type: 'vacation', start_date: day, end_date: day }),
            author: { kind: 'person', personId },
          });
      }
    });
    const { clash } = (await preview({ start_date: period.start, end_date: period.end })) as {
      clash: { colleagues: { person: { id: number }; start_date: string }[]; colleagues_total: number };
    };
    expect(clash.colleagues_total).toBe(12);
    expect(new Set(clash.colleagues.map(({ person }) => person.id)).size).toBe(10);
    expect(clash.colleagues.map(({ start_date }) => start_date)).toEqual(Array(10).fill(period.start));
  });
});
