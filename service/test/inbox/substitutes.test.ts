/** Approvers name who decides in their place. */
import { parseInstant } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser } from '../browser.js';
import { sendAbsence } from '../builders.js';
import { createWorld, type World } from '../world.js';

describe('substitutes of approvers', () => {
  let world: World;
  let lea: number;
  let max: number;
  const browsers = new Map<number, Browser>();
  beforeEach(async () => {
    world = await createWorld('sqlite');
    lea = await add('Lea', world.office);
    max = await add('Max', world.office + 1);
    const ids = [world.people.ada, lea, max];
    for (const id of ids) browsers.set(id, await world.as(id));
  });
  afterEach(() => world.close());
  const add = (firstName: string, departmentId: number) =>
    world.hire({
      firstName,
      lastName: 'Lead',
      email: `${firstName.toLowerCase()}@clockproof.example`,
      role: 'approver',
      departmentId,
    });
  const call = (personId: number, method: string, path: string, body?: object) =>
    browsers.get(personId)!.call(method, `/app/${path}`, body === undefined ? {} : { body });
  const inbox = async (personId: number) =>
    (await call(personId, 'GET', 'approvals')).body['data'] as { id: string; person: { id: number } }[];
  const listTeam = async (personId: number) =>
    (await call(personId, 'GET', 'team/people')).body['data'] as { user_id: number; waiting_requests: number }[];
  const requestAbsence = async (personId: number, from: string, to = from) => {
    expect(
      (await call(personId, 'POST', 'me/absences', { type: 'vacation', start_date: from, end_date: to })).status,
    ).toBe(201);
  };

  it('substitutes get the requests on their days, and the record names the represented approver', async () => {
    const { ada } = world.people;
    await requestAbsence(ada, '2026-12-14');
    await requestAbsence(lea, '2026-12-15');
    expect(await inbox(max)).toEqual([]);
    expect((await call(max, 'GET', `people/${ada}/vacation?year=2026`)).status).toBe(404);
    expect((await call(lea, 'GET', 'me/substitute-candidates')).body['data']).toContainEqual({
      id: max,
      name: 'Max Lead',
    });
    const substitution = await call(lea, 'POST', 'me/substitutes', {
      user_id: max,
      start_date: '2026-11-23',
      end_date: '2026-11-24',
    });
    expect(substitution).toMatchObject({
      status: 201,
      body: { in_force: true, substitute: { id: max, name: 'Max Lead' } },
    });
    // Ada's, and not Lea's own: her rights never decide about herself.
    const [request, ...rest] = await inbox(max);
    expect([request!.person.id, rest]).toEqual([ada, []]);
    // So do the people: those of both, and neither of the two.
    const team = await listTeam(max);
    const { ben, cem } = world.people;
    expect(team.map((person) => person.user_id).sort()).toEqual([ada, ben, cem].sort());
    expect(team.find((person) => person.user_id === ada)).toMatchObject({ waiting_requests: 1 });
    const [leasInboxItem] = (await browsers.get(lea)!.call('GET', '/app/approvals')).body['data'] as { id: string }[];
    expect(leasInboxItem).toMatchObject({ id: request!.id });
    const leasRequest = await world.db.get<{ id: number }>('SELECT id FROM approvals WHERE person_id = :lea', { lea });
    expect((await call(max, 'POST', `approvals/apr_${leasRequest!.id}/approve`, {})).status).toBe(404);
    expect((await call(max, 'GET', `people/${ada}/vacation?year=2026`)).status).toBe(200);
    // No other right comes with it.
    expect(
      (
        await call(max, 'POST', `people/${ada}/absences`, {
          type: 'other',
          start_date: '2026-12-01',
          end_date: '2026-12-01',
        })
      ).status,
    ).toBe(404);
    expect(await call(max, 'POST', `approvals/${request!.id}/approve`, {})).toMatchObject({
      status: 200,
      body: { decided_by: { id: max }, decided_for: { id: lea, name: 'Lea Lead' } },
    });
    const entry = await world.db.get<{ actor_id: string; details: string }>(
      "SELECT actor_id, details FROM audit_entries WHERE action = 'absence.approved'",
    );
    expect([entry!.actor_id, JSON.parse(entry!.details)]).toMatchObject([String(max), { on_behalf_of: lea }]);
    // The day after, nothing reaches Max any more.
    await requestAbsence(ada, '2026-12-16');
    world.set(parseInstant('2026-11-25T07:00:00Z')!);
    browsers.set(max, await world.as(max));
    expect(await inbox(max)).toEqual([]);
    expect((await listTeam(max)).map((person) => person.user_id).sort()).toEqual([ben, cem].sort());
  });

  it('substitutes without days decide only while the approver is away, until they are removed', async () => {
    const { ada } = world.people;
    await requestAbsence(ada, '2026-12-14');
    const { body } = await call(lea, 'POST', 'me/substitutes', { user_id: max });
    expect([body['in_force'], await inbox(max)]).toEqual([false, []]);
    await sendAbsence(world, { user_id: lea, type: 'home_office', start_date: '2026-11-23' });
    await world.db.write((tx) => tx.run("UPDATE absences SET status = 'approved' WHERE type = 'home_office'"));
    expect(await inbox(max)).toEqual([]);
    await world.db.write((tx) => tx.run("UPDATE absences SET type = 'sickness' WHERE type = 'home_office'"));
    expect(await inbox(max)).toHaveLength(1);
    expect((await call(max, 'DELETE', `me/substitutes/${body['id'] as string}`)).status).toBe(404);
    expect((await call(lea, 'DELETE', `me/substitutes/${body['id'] as string}`)).status).toBe(204);
    expect(await inbox(max)).toEqual([]);
    expect((await call(lea, 'GET', 'me/substitutes')).body).toEqual({ data: [] });
  });

  it('substitutes need no role, decide in that time, and see the requests alone', async () => {
    const { ada, ben } = world.people;
    browsers.set(ben, await world.as(ben));
    const isSubstitute = async () => (await call(ben, 'GET', 'session')).body['substitute'];
    await requestAbsence(ada, '2026-12-14');
    expect([await isSubstitute(), (await call(ben, 'GET', 'approvals')).status]).toEqual([false, 403]);
    const span = { start_date: '2026-11-23', end_date: '2026-11-24' };
    expect((await call(lea, 'POST', 'me/substitutes', { user_id: ben, ...span })).status).toBe(201);
    expect(await isSubstitute()).toBe(true);
    const [request, ...rest] = await inbox(ben);
    expect([request!.person.id, rest]).toEqual([ada, []]);
    for (const path of [
      'team/people',
      `people/${ada}/vacation?year=2026`,
      `people/${ada}/absences?from=2026-12-01&to=2026-12-31`,
      `people/${ada}/days?from=2026-11-01&to=2026-11-30`,
      'team/entries?from=2026-11-01&to=2026-11-30',
      'me/substitutes',
    ])
      expect([path, (await call(ben, 'GET', path)).status]).toEqual([path, 403]);
    for (const path of [`people/${ada}/sheets/2026-11`, `people/${ada}/time-account?from=2026-11-01&to=2026-11-30`])
      expect([path, (await call(ben, 'GET', path)).status]).toEqual([path, 404]);
    expect(await call(ben, 'POST', `approvals/${request!.id}/approve`, {})).toMatchObject({
      status: 200,
      body: { decided_by: { id: ben }, decided_for: { id: lea } },
    });
    world.set(parseInstant('2026-11-25T07:00:00Z')!);
    browsers.set(ben, await world.as(ben));
    expect([await isSubstitute(), (await call(ben, 'GET', 'approvals')).status]).toEqual([false, 403]);
    expect((await call(ben, 'POST', `approvals/${request!.id}/reject`, { comment: 'late' })).status).toBe(404);
  });

  it('substitutes belong to the company, on days to come', async () => {
    const { ada, zoe } = world.people;
    const fields = async (body: object) => {
      const answer = await call(lea, 'POST', 'me/substitutes', body);
      return [answer.status, (answer.body['details'] as { field: string }[]).map(({ field }) => field)];
    };
    for (const user_id of [zoe, lea]) expect(await fields({ user_id })).toEqual([400, ['user_id']]);
    expect(await fields({ user_id: max, start_date: '2026-12-01' })).toEqual([400, ['end_date']]);
    expect(await fields({ user_id: max, start_date: '2026-12-02', end_date: '2026-12-01' })).toEqual([
      400,
      ['end_date'],
    ]);
    expect(await fields({ user_id: max, start_date: '2026-11-01', end_date: '2026-11-22' })).toEqual([
      400,
      ['end_date'],
    ]);
    expect((await call(ada, 'GET', 'me/substitutes')).status).toBe(403);
    const [kim, nora] = [await add('Kim', world.office), await add('Nora', world.office)];
    const candidates = (await call(lea, 'GET', 'me/substitute-candidates')).body['data'] as { id: number }[];
    const { ben, cem } = world.people;
    expect(candidates.map(({ id }) => id).sort()).toEqual([ada, ben, cem, kim, max, nora].sort());
  });
});
