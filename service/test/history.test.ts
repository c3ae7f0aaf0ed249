/** Pages that tell what was: whatever is changed later, an answer about the past stays the same. */
import { hour, parseInstant } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sealAll } from '../src/store/seal.js';
import type { Browser } from './browser.js';
import { offlineStamp, recordWork } from './builders.js';
import { type Answer, createWorld, type World } from './world.js';

const at = (text: string) => parseInstant(text)!;

type Row = Readonly<Record<string, unknown>>;
const rows = ({ body }: Answer) => body['data'] as Row[];

describe('histories', () => {
  let world: World;
  let admin: number;
  const browsers = new Map<number, Browser>();
  const enter = async (text: string) => {
    world.set(at(text));
    for (const id of [world.people.ada, admin]) browsers.set(id, await world.as(id));
  };
  beforeEach(async () => {
    world = await createWorld('sqlite');
    admin = await world.hire({ firstName: 'Tom', email: 'tom@clockproof.example', role: 'company_admin' });
  });
  afterEach(() => world.close());
  const call = async (person: number, method: string, path: string, body?: unknown) => {
    const answer = await browsers.get(person)!.call(method, `/app/${path}`, body === undefined ? {} : { body });
    expect([method, path, answer.status < 300]).toEqual([method, path, true]);
    return answer;
  };
  const work = async (day: string, more: object = {}) => {
    const times = { start_at: at(`${day}T06:05:00Z`), end_at: at(`${day}T13:40:00Z`) };
    return (await recordWork(world, { person_id: world.people.ada, ...times, ...more })).id;
  };
  const approveAll = async () => {
    for (const { id } of rows(await call(admin, 'GET', 'approvals')))
      await call(admin, 'POST', `approvals/${id}/approve`, {});
  };
  const times = (day: string, from: string, to: string) => ({
    start: `${day}T${from}:00Z`,
    end: `${day}T${to}:00Z`,
    breaks: [],
  });

  it('a decided record stays as it was after later changes', async () => {
    const { ada } = world.people;
    await enter('2026-11-20T09:00:00Z');
    await call(admin, 'PATCH', `admin/companies/${world.nord}`, { deduct_breaks: true });
    await enter('2026-12-02T10:00:00Z');
    const stampedEntry = await work('2026-11-24', { break_rules: 'DE' });
    const offlineEntry = await work('2026-11-25', { ...offlineStamp, break_rules: 'DE' });
    const correctionBody = {
      entry_id: stampedEntry,
      ...times('2026-11-24', '06:05', '18:30'),
      reason: 'Stayed longer',
    };
    await call(ada, 'POST', 'me/corrections', correctionBody);
    await call(ada, 'POST', 'me/corrections', { ...times('2026-11-26', '07:00', '15:00'), reason: 'Not stamped' });
    const vacation = { type: 'vacation', start_date: '2026-12-14', end_date: '2026-12-16' };
    await call(ada, 'POST', 'me/absences', vacation);
    await approveAll();
    const [absence] = rows(await call(ada, 'GET', 'me/absences?from=2026-12-01&to=2026-12-31'));
    await call(ada, 'POST', 'me/corrections', { entry_id: stampedEntry, remove: true, reason: 'Mistake' });
    const [request] = rows(await call(admin, 'GET', 'approvals'));
    await call(admin, 'POST', `approvals/${request!['id']}/reject`, { comment: 'No' });

    const places: Readonly<Record<string, readonly [who: number, path: string, key: string]>> = {
      'my corrections': [ada, 'me/corrections', 'id'],
      'decided requests': [admin, 'approvals?state=decided', 'id'],
      'versions of an entry': [ada, `me/entries/${stampedEntry}/history`, 'version'],
      'versions of a stamp without a connection': [admin, `entries/${offlineEntry}/history`, 'version'],
      'my notices': [ada, 'notices', 'id'],
      'audit log': [admin, 'admin/audit?from=2026-12-02&to=2026-12-02&limit=200', 'sequence'],
    };
    const read = async () => {
      const rowsByPlace = new Map<string, ReadonlyMap<unknown, Row>>();
      for (const [place, [person, path, key]] of Object.entries(places)) {
        const { body } = await call(person, 'GET', path);
        const list = body['data'] as Row[];
        rowsByPlace.set(place, new Map(list.map((row) => [row[key], row])));
      }
      return rowsByPlace;
    };
    // Their places in the sealed log are part of what was.
    await sealAll(world.service.store, world.now);
    const rowsBefore = await read();
    const decidedRequests = [...rowsBefore.get('decided requests')!.values()];
    expect(decidedRequests.map(({ correction, absence: days }) => correction ?? days).filter(Boolean)).toMatchObject([
      { status: 'rejected', remove: true, entry: { end: '2026-11-24T18:30:00Z' } },
      { status: 'approved', days: 3 },
      { status: 'approved', start: '2026-11-26T07:00:00Z' },
      { status: 'approved', entry: { start: '2026-11-24T06:05:00Z', end: '2026-11-24T13:40:00Z' } },
    ]);
    expect(decidedRequests[2]!['correction']).not.toHaveProperty('entry');

    // Each of them, and the rules by which they were counted, changes once more.
    await enter('2026-12-03T09:00:00Z');
    await call(admin, 'PATCH', `admin/companies/${world.nord}`, { deduct_breaks: false });
    for (const [id, day] of [
      [stampedEntry, '2026-11-24'],
      [offlineEntry, '2026-11-25'],
    ] as const)
      await call(admin, 'POST', `people/${ada}/corrections`, {
        entry_id: id,
        ...times(day, '09:00', '17:00'),
        reason: 'Plan',
      });
    await call(admin, 'POST', `people/${ada}/corrections`, {
      entry_id: stampedEntry,
      ...times('2026-12-03', '00:00', '07:00'),
      reason: 'Moved',
    });
    await call(admin, 'PATCH', `absences/${absence!['id']}`, { end_date: '2026-12-14' });
    const now = await read();
    for (const [place, rowsByKey] of rowsBefore)
      expect([place, ...[...rowsByKey.keys()].map((key) => now.get(place)!.get(key))]).toEqual([
        place,
        ...rowsByKey.values(),
      ]);
  });

  it('the old record stays with a request that a later correction has overtaken', async () => {
    const { ada } = world.people;
    await enter('2026-12-02T09:00:00Z');
    const id = await work('2026-11-24');
    await call(ada, 'POST', 'me/corrections', {
      entry_id: id,
      ...times('2026-11-24', '06:05', '16:12'),
      reason: 'Late',
    });
    // Below those that others have made since.
    const readCorrection = async () => rows(await call(ada, 'GET', 'me/corrections')).at(-1)!;
    expect(await readCorrection()).not.toHaveProperty('present_entry');
    world.advance(hour / 4);
    await call(admin, 'POST', `people/${ada}/corrections`, {
      entry_id: id,
      ...times('2026-11-24', '06:05', '16:00'),
      reason: 'Plan',
    });
    // What it was about, not what has replaced it.
    expect(await readCorrection()).toMatchObject({
      status: 'rejected',
      entry_id: id,
      entry: { end: '2026-11-24T13:40:00Z' },
    });
    expect(await readCorrection()).not.toHaveProperty('present_entry');
    await approveAll();
    expect(await readCorrection()).toMatchObject({ status: 'rejected' });
  });

  it('a pending request about an earlier version shows the old and the present record', async () => {
    const { ada } = world.people;
    await enter('2026-12-02T09:00:00Z');
    const id = await work('2026-11-24');
    for (const end of ['16:00', '16:12'])
      await call(ada, 'POST', 'me/corrections', {
        entry_id: id,
        ...times('2026-11-24', '06:05', end),
        reason: `Stayed until ${end}`,
      });
    const [first, second] = rows(await call(admin, 'GET', 'approvals'));
    expect((await call(admin, 'POST', `approvals/${first!['id']}/approve`, {})).status).toBe(200);
    const correction = rows(await call(ada, 'GET', 'me/corrections')).find(({ status }) => status === 'waiting');
    expect(correction).toMatchObject({
      entry: { end: '2026-11-24T13:40:00Z' },
      present_entry: { end: '2026-11-24T16:00:00Z' },
    });
    const refusal = await browsers.get(admin)!.call('POST', `/app/approvals/${second!['id']}/approve`, { body: {} });
    expect(refusal.body).toMatchObject({ code: 'entry_changed' });
  });
});
