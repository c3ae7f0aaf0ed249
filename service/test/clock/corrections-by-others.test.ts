/** Somebody else corrects a person's time: the notice, the mark in the lists of entries, and in whose place. */
import { oneDialect } from '@clockproof/platform/testing/databases';
import { parseInstant } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser } from '../browser.js';
import { recordWork } from '../builders.js';
import { createWorld, type World } from '../world.js';

const at = (text: string) => parseInstant(text)!;

describe.each(oneDialect)('corrections by others on %s', (dialect) => {
  let world: World;
  /** Decides for the office, so for Ada. */
  let lea: number;
  /** Decides for the yard, so for Ben. */
  let max: number;
  const browsers = new Map<number, Browser>();
  beforeEach(async () => {
    world = await createWorld(dialect);
    world.set(at('2026-11-26T17:00:00Z'));
    lea = await add('Lea', world.office);
    max = await add('Max', world.office + 1);
    const personIds = [world.people.ada, world.people.ben, lea, max];
    for (const id of personIds) browsers.set(id, await world.as(id));
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
  const work = async (person_id: number, start: string, end: string) =>
    (await recordWork(world, { person_id, start_at: at(start), end_at: at(end) })).id;
  const call = (personId: number, method: string, path: string, body?: object) =>
    browsers.get(personId)!.call(method, `/app/${path}`, body === undefined ? {} : { body });
  const correct = (approverId: number, personId: number, body: object) =>
    call(approverId, 'POST', `people/${personId}/corrections`, body);
  const notices = async (personId: number) =>
    ((await call(personId, 'GET', 'notices')).body['data'] as { kind: string; corrected?: object }[])
      .filter(({ kind }) => kind === 'time_corrected')
      .map(({ corrected }) => corrected);
  const changes = async (personId: number, path: string) =>
    ((await call(personId, 'GET', `${path}?from=2026-11-01&to=2026-11-30`)).body['data'] as object[]).map((entry) =>
      'last_change' in entry ? entry.last_change : undefined,
    );
  const pendingApprovals = async (month = '2026-11') =>
    (await call(lea, 'GET', `approvals?month=${month}`)).body['data'] as { id: string }[];
  const nameSubstitute = () =>
    call(lea, 'POST', 'me/substitutes', { user_id: max, start_date: '2026-11-26', end_date: '2026-11-26' });

  it('corrections by others give the person a notice with days, author and reason', async () => {
    const { ada } = world.people;
    const id = await work(ada, '2026-11-23T07:00:00Z', '2026-11-23T15:00:00Z');
    const correction = {
      entry_id: id,
      start: '2026-11-24T07:00:00Z',
      end: '2026-11-24T15:00:00Z',
      reason: 'Wrong day',
    };
    expect((await correct(lea, ada, correction)).status).toBe(201);
    const by = { id: lea, name: 'Lea Lead' };
    const firstNotice = { by, start_date: '2026-11-23', end_date: '2026-11-24', reason: 'Wrong day' };
    expect(await notices(ada)).toEqual([firstNotice]);
    expect((await correct(lea, ada, { entry_id: id, remove: true, reason: 'Twice' })).status).toBe(201);
    const secondNotice = { by, start_date: '2026-11-24', end_date: '2026-11-24', reason: 'Twice' };
    expect(await notices(ada)).toEqual([secondNotice, firstNotice]);
  });

  it('corrections by others give no notice if they are refused, or if the person asked', async () => {
    const { ada } = world.people;
    const body = { start: '2026-11-24T07:00:00Z', end: '2026-11-24T15:00:00Z', reason: 'Forgot' };
    expect((await correct(max, ada, body)).status).toBe(404);
    await call(ada, 'POST', 'me/corrections', body);
    const [request] = (await call(lea, 'GET', 'approvals')).body['data'] as { id: string }[];
    expect((await call(lea, 'POST', `approvals/${request!.id}/approve`, {})).status).toBe(200);
    expect(await notices(ada)).toEqual([]);
  });

  it('corrections by others give each person one notice of many corrections, and one of their undo', async () => {
    const { ada } = world.people;
    const day = (date: string) => ({ user_id: ada, start: `${date}T07:00:00Z`, end: `${date}T15:00:00Z` });
    const answer = await call(lea, 'POST', 'corrections', {
      reason: 'Terminal down',
      corrections: [day('2026-11-24'), day('2026-11-20'), day('2026-11-23')],
    });
    const days = { by: { id: lea, name: 'Lea Lead' }, start_date: '2026-11-20', end_date: '2026-11-24' };
    expect(await notices(ada)).toEqual([{ ...days, reason: 'Terminal down' }]);
    const ids = (answer.body['data'] as { id: string }[]).map(({ id }) => id);
    world.advance(60_000);
    expect((await call(lea, 'POST', 'corrections/undo', { correction_ids: ids })).status).toBe(200);
    expect(await notices(ada)).toEqual([
      { ...days, reason: 'Undone: Terminal down' },
      { ...days, reason: 'Terminal down' },
    ]);
  });

  it('corrections by others reject pending requests about the entry, with their reason', async () => {
    const { ada } = world.people;
    const id = await work(ada, '2026-11-23T07:00:00Z', '2026-11-23T15:00:00Z');
    await call(ada, 'POST', 'me/corrections', {
      entry_id: id,
      start: '2026-11-23T07:00:00Z',
      end: '2026-11-23T15:12:00Z',
      reason: 'Stayed',
    });
    const [request] = (await call(lea, 'GET', 'approvals')).body['data'] as { id: string }[];
    expect(await pendingApprovals('2026-11')).toHaveLength(1);
    expect(await pendingApprovals('2026-10')).toEqual([]);
    await correct(lea, ada, {
      entry_id: id,
      start: '2026-11-23T07:00:00Z',
      end: '2026-11-23T16:00:00Z',
      reason: 'Door log',
    });
    expect((await call(ada, 'GET', 'me/corrections')).body['data']).toContainEqual(
      expect.objectContaining({ status: 'rejected', decision_reason: 'Door log', reason: 'Stayed' }),
    );
    expect((await call(lea, 'POST', `approvals/${request!.id}/approve`, {})).body).toMatchObject({
      code: 'already_decided',
    });
    expect(await pendingApprovals()).toEqual([]);
  });

  it('corrections by others cannot be undone by a request about an earlier version', async () => {
    const { ada } = world.people;
    const id = await work(ada, '2026-11-23T07:00:00Z', '2026-11-23T15:00:00Z');
    const correctionUntil = (end: string, reason: string) => ({
      entry_id: id,
      start: '2026-11-23T07:00:00Z',
      end,
      reason,
    });
    const correction = await correct(lea, ada, correctionUntil('2026-11-23T16:00:00Z', 'Door log'));
    await call(ada, 'POST', 'me/corrections', correctionUntil('2026-11-23T16:12:00Z', 'Stayed'));
    world.advance(60_000);
    await call(lea, 'POST', 'corrections/undo', { correction_ids: [correction.body['id']] });
    const [request] = await pendingApprovals();
    expect((await call(lea, 'POST', `approvals/${request!.id}/approve`, {})).body).toMatchObject({
      code: 'entry_changed',
    });
    expect((await call(lea, 'POST', `approvals/${request!.id}/reject`, { comment: 'Ask again' })).status).toBe(200);
  });

  it('corrections by others mark the entry in the lists of the person and of the deciders', async () => {
    const { ada } = world.people;
    await work(ada, '2026-11-20T07:00:00Z', '2026-11-20T15:00:00Z');
    const id = await work(ada, '2026-11-23T07:00:00Z', '2026-11-23T15:00:00Z');
    const correction = {
      entry_id: id,
      start: '2026-11-23T07:00:00Z',
      end: '2026-11-23T14:00:00Z',
      reason: 'Left early',
    };
    await correct(lea, ada, correction);
    const lastChange = { by: 'Lea Lead', at: expect.any(String), change: 'corrected', reason: 'Left early' };
    for (const [personId, path] of [[ada, 'me/entries'] as const, [lea, `people/${ada}/entries`] as const])
      expect(await changes(personId, path)).toEqual([undefined, lastChange]);
    world.advance(60_000);
    await correct(lea, ada, { entry_id: id, remove: true, reason: 'Was away' });
    expect(await changes(ada, 'me/entries')).toEqual([
      undefined,
      { ...lastChange, change: 'struck_out', reason: 'Was away' },
    ]);
  });

  it('a substitute makes corrections on their days, and the record names the approver', async () => {
    const { ada } = world.people;
    const id = await work(ada, '2026-11-23T07:00:00Z', '2026-11-23T15:00:00Z');
    const body = { entry_id: id, start: '2026-11-23T07:00:00Z', end: '2026-11-23T14:00:00Z', reason: 'Left early' };
    const listPersonIds = async () =>
      (
        (await call(max, 'GET', 'team/entries?from=2026-11-01&to=2026-11-30')).body['data'] as {
          person: { id: number };
        }[]
      ).map(({ person }) => person.id);
    expect([(await correct(max, ada, body)).status, await listPersonIds()]).toEqual([404, []]);
    await work(lea, '2026-11-23T07:00:00Z', '2026-11-23T15:00:00Z');
    expect((await nameSubstitute()).status).toBe(201);
    // Neither the approver's own time nor that of the substitute.
    expect(await listPersonIds()).toEqual([ada]);
    expect((await correct(max, lea, { ...body, entry_id: undefined })).status).toBe(404);
    expect((await correct(max, max, { ...body, entry_id: undefined })).body).toMatchObject({ code: 'own_request' });
    const times = { start: body.start, end: body.end };
    const preview = await call(max, 'POST', 'corrections/preview', {
      corrections: [{ user_id: ada, entry_id: id, ...times }],
    });
    expect(preview.body['data']).toMatchObject([{ worked_minutes: 420 }]);
    const correction = await correct(max, ada, body);
    expect(correction.status).toBe(201);
    world.advance(60_000);
    expect((await call(max, 'POST', 'corrections/undo', { correction_ids: [correction.body['id']] })).status).toBe(200);
    const auditEntries = await world.db.all<{ actor_id: string; details: string }>(
      "SELECT actor_id, details FROM audit_entries WHERE action = 'entry.corrected' ORDER BY sequence",
    );
    expect(auditEntries.map(({ actor_id, details }) => [actor_id, JSON.parse(details)])).toEqual([
      [String(max), { entry: id, on_behalf_of: lea }],
      [String(max), { entry: id, because: 'undone', on_behalf_of: lea }],
    ]);
    world.set(at('2026-11-27T08:00:00Z'));
    browsers.set(max, await world.as(max));
    expect((await correct(max, ada, body)).status).toBe(404);
  });

  it('the list of corrections finds one person of the team', async () => {
    const { ada, ben } = world.people;
    const findPeople = async (id: number) => (await call(lea, 'GET', `team/people?user_id=${id}`)).body['data'];
    expect(await findPeople(ada)).toMatchObject([{ user_id: ada, first_name: 'Ada' }]);
    expect(await findPeople(ben)).toEqual([]);
    expect(await findPeople(lea)).toEqual([]);
    await world.db.write((tx) => tx.run('UPDATE people SET active = 0 WHERE id = :ada', { ada }));
    expect(await findPeople(ada)).toMatchObject([{ user_id: ada }]);
    expect((await call(lea, 'GET', 'team/people')).body['data']).toEqual([]);
  });
});
