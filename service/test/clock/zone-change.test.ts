/** Another time zone of a company: what was recorded belongs to the day on which it began there. */
import { oneDialect } from '@clockproof/platform/testing/databases';
import { parseInstant } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { addSuperAdmin, type Browser } from '../browser.js';
import { closeMonth, offlineStamp, recordWork } from '../builders.js';
import { createWorld, type World } from '../world.js';

const at = (text: string) => parseInstant(text)!;

describe.each(oneDialect)('another time zone of a company on %s', (dialect) => {
  let world: World;
  let root: Browser;
  beforeEach(async () => {
    world = await createWorld(dialect);
    world.set(at('2026-12-02T08:00:00Z'));
    root = await world.as(await addSuperAdmin(world));
    await world.db.write((tx) => tx.run("UPDATE people SET tracking_start = '2026-10-01'"));
    expect((await moveTo('UTC')).status).toBe(200);
  });
  afterEach(() => world.close());

  const moveTo = (time_zone: string) =>
    root.call('PATCH', `/app/admin/companies/${world.nord}`, { body: { time_zone } });
  /** Half an hour of work, by the date on which it began in UTC. */
  const record = async (start: string, fields: object = {}) => {
    const times = { start_at: at(start), end_at: at(start) + 1_800_000 };
    return (await recordWork(world, { person_id: world.people.ada, ...times, ...fields })).id;
  };
  const dates = async () =>
    (await world.db.all<{ date: string }>('SELECT date FROM time_entries ORDER BY id')).map(({ date }) => date);
  const closeOctober = () => closeMonth(world, { month: '2026-10' });

  it('another time zone moves entries, pending stamps and pending corrections of open months, and back', async () => {
    const entry = await record('2026-11-18T23:30:00Z');
    await record('2026-11-19T23:30:00Z', offlineStamp);
    const { ada: id } = world.people;
    const times = { start: '2026-11-18T23:31:00Z', end: '2026-11-18T23:59:00Z', breaks: [] };
    const person = await world.db.get<{ id: number }>('SELECT id FROM people WHERE id = :id', { id });
    expect(person).toBeDefined();
    const correction = await root.call('POST', `/app/people/${id}/corrections`, {
      body: { entry_id: entry, ...times, reason: 'Late' },
    });
    expect(correction.status).toBe(201);
    const spans = async () =>
      (await world.db.all('SELECT from_date, to_date FROM approvals')).map((row) => Object.values(row));
    for (const [zone, first, second] of [
      ['Europe/Berlin', '2026-11-19', '2026-11-20'],
      ['America/New_York', '2026-11-18', '2026-11-19'],
    ] as const) {
      expect((await moveTo(zone)).status).toBe(200);
      expect([await dates(), await spans()]).toEqual([[first, second], [[second, second]]]);
    }
    // What an approver takes back begins on the day of the present zone.
    expect((await moveTo('Europe/Berlin')).status).toBe(200);
    const undoAnswer = await root.call('POST', '/app/corrections/undo', {
      body: { correction_ids: [correction.body['id']] },
    });
    expect([undoAnswer.status, await dates()]).toEqual([200, ['2026-11-19', '2026-11-20']]);
  });

  it('another time zone leaves closed months alone, and is refused if an entry would move into one', async () => {
    await record('2026-10-31T23:30:00Z');
    await closeOctober();
    expect((await moveTo('Europe/Berlin')).status).toBe(200);
    expect(await dates()).toEqual(['2026-10-31']);
    await record('2026-10-31T23:10:00Z', { date: '2026-11-01', person_id: world.people.ben });
    expect(await moveTo('UTC')).toMatchObject({ status: 409, body: { code: 'month_closed' } });
    expect(await dates()).toEqual(['2026-10-31', '2026-11-01']);
  });
});
