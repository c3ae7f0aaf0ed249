import { dialects } from '@clockproof/platform/testing/databases';
import { minute, parseInstant } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { StampKind } from '../../src/clock/clock-state.js';
import { presentVersions } from '../../src/clock/present-correction.js';
import { findEntry } from '../../src/clock/rows.js';
import { type Source, stamp } from '../../src/clock/stamp.js';
import { presentEntry } from '../../src/clock/time-entry.js';
import { historyOf } from '../../src/clock/versions.js';
import { allCompanies } from '../../src/store/every-company.js';
import { correctTime, sendStamp } from '../builders.js';
import { createWorld, type World } from '../world.js';

const at = (text: string) => parseInstant(text)!;
const hall: Source = { kind: 'terminal', id: 'trm_HALL', name: 'Eingang Halle 2' };
const gate: Source = { kind: 'terminal', id: 'trm_GATE', name: 'Tor' };
const web: Source = { kind: 'web' };

describe.each(dialects)('every stamp of an entry on %s', (dialect) => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld(dialect);
  });
  afterEach(() => world.close());
  const stampThrough = async (source: Source, time: string, kind: StampKind, proof?: 'badge' | 'badge_pin') => {
    world.set(at(time));
    return world.write((write) =>
      stamp(write, {
        personId: world.people.ada,
        companyId: world.nord,
        kind,
        source,
        ...(proof === undefined ? {} : { proof }),
      }),
    );
  };
  /** In with badge and PIN, a break through the web and the gate, out through the key of the planner. */
  const recordDay = async () => {
    await stampThrough(hall, '2026-11-23T06:58:40Z', 'in', 'badge_pin');
    await stampThrough(web, '2026-11-23T11:02:05Z', 'break_start');
    await stampThrough(gate, '2026-11-23T11:33:09Z', 'break_end', 'badge');
    world.set(at('2026-11-23T15:31:12Z'));
    const { id, stamps } = (await sendStamp(world, 'out')).time_entry;
    return { id, stamps: stamps! };
  };
  const listEntries = async () =>
    (await world.call('GET', '/api/v1/time/entries?from=2026-11-23&to=2026-11-23', { key: world.reader.key })).body[
      'data'
    ] as Record<string, unknown>[];
  const correct = async (entryId: number | undefined, start: string, end: string, ...breaks: [string, string][]) => {
    await correctTime(world, {
      person: world.people.ada,
      by: await world.hire({ firstName: 'Tom', lastName: 'Chef', role: 'company_admin' }),
      entryId,
      start: at(start),
      end: at(end),
      breaks: breaks.map(([from, to]) => ({ start: at(from), end: at(to) })),
    });
  };

  it('every stamp of an entry has its own source and its own proof', async () => {
    const entry = await recordDay();
    expect(entry.stamps).toEqual([
      { action: 'in', at: '2026-11-23T06:58:40Z', source: hall, proof: 'badge_pin' },
      { action: 'break_start', at: '2026-11-23T11:02:05Z', source: web },
      { action: 'break_end', at: '2026-11-23T11:33:09Z', source: gate, proof: 'badge' },
      {
        action: 'out',
        at: '2026-11-23T15:31:12Z',
        source: { kind: 'extension', id: world.planner.id, name: 'Planner' },
      },
    ]);
    // The entry's own source and proof stay those of clocking in.
    expect(await listEntries()).toMatchObject([{ stamps: entry.stamps, source: hall, proof: 'badge_pin' }]);
    const { payload } = (await world.db.get<{ payload: string }>(
      "SELECT payload FROM events WHERE type = 'clock.out'",
    ))!;
    expect(JSON.parse(payload)).toMatchObject({ data: { time_entry: { stamps: entry.stamps } } });
  });

  it('an open entry shows its stamps, and clocking out on a break is one stamp', async () => {
    const clockIn = await stampThrough(hall, '2026-11-23T06:58:40Z', 'in', 'badge');
    expect(clockIn.time_entry.stamps).toEqual([
      { action: 'in', at: '2026-11-23T06:58:40Z', source: hall, proof: 'badge' },
    ]);
    await stampThrough(web, '2026-11-23T11:00:00Z', 'break_start');
    const clockOut = await stampThrough(gate, '2026-11-23T11:30:00Z', 'out', 'badge');
    expect(clockOut.time_entry.breaks).toEqual([{ start: '2026-11-23T11:00:00Z', end: '2026-11-23T11:30:00Z' }]);
    expect(clockOut.time_entry.stamps?.map(({ action, source }) => [action, source])).toEqual([
      ['in', hall],
      ['break_start', web],
      ['out', gate],
    ]);
  });

  it('two stamps of a kind in one minute keep their own sources', async () => {
    await stampThrough(hall, '2026-11-23T07:00:00Z', 'in', 'badge');
    await stampThrough(web, '2026-11-23T09:00:05Z', 'break_start');
    await stampThrough(gate, '2026-11-23T09:00:20Z', 'break_end', 'badge');
    await stampThrough(gate, '2026-11-23T09:00:40Z', 'break_start', 'badge');
    const breakEnd = await stampThrough(web, '2026-11-23T09:15:00Z', 'break_end');
    expect(breakEnd.time_entry.stamps?.map(({ at: time, source }) => [time.slice(14, 19), source?.name])).toEqual([
      ['00:00', hall.name],
      ['00:05', undefined],
      ['00:20', gate.name],
      ['00:40', gate.name],
      ['15:00', undefined],
    ]);
  });

  it('a correction keeps the stamp of an unchanged time, and marks the others as corrected', async () => {
    const { id, stamps } = await recordDay();
    world.set(at('2026-11-23T18:00:00Z'));
    await correct(
      id,
      '2026-11-23T06:58:40Z',
      '2026-11-23T16:00:00Z',
      ['2026-11-23T09:00:00Z', '2026-11-23T09:15:00Z'],
      ['2026-11-23T11:02:05Z', '2026-11-23T11:33:09Z'],
    );
    const correctedStamps = [
      stamps[0],
      { action: 'break_start', at: '2026-11-23T09:00:00Z', corrected: true },
      { action: 'break_end', at: '2026-11-23T09:15:00Z', corrected: true },
      stamps[1],
      stamps[2],
      { action: 'out', at: '2026-11-23T16:00:00Z', corrected: true },
    ];
    expect(await listEntries()).toMatchObject([{ start: '2026-11-23T06:58:40Z', stamps: correctedStamps }]);
    const entry = (await findEntry(world.db, id, allCompanies))!;
    expect(
      (await presentVersions(world.db, entry, await historyOf(world.db, entry))).map((version) => version.entry.stamps),
    ).toEqual([stamps, correctedStamps]);
  });

  it('an entry that was never stamped has a correction as its source', async () => {
    world.set(at('2026-11-23T18:00:00Z'));
    await correct(undefined, '2026-11-23T07:00:00Z', '2026-11-23T15:00:00Z');
    expect(await listEntries()).toMatchObject([
      {
        stamps: [
          { action: 'in', at: '2026-11-23T07:00:00Z', corrected: true },
          { action: 'out', at: '2026-11-23T15:00:00Z', corrected: true },
        ],
      },
    ]);
  });

  it('a stamp has no source where an earlier version kept only that of clocking in', async () => {
    const { id, stamps } = await recordDay();
    await world.db.write((tx) => tx.run('UPDATE time_entries SET stamps = NULL WHERE id = :id', { id }));
    const bareStamp = (action: string, time: string) => ({ action, at: `2026-11-23T${time}Z` });
    const [start, end] = [bareStamp('break_start', '11:02:05'), bareStamp('break_end', '11:33:09')];
    expect((await listEntries())[0]!['stamps']).toEqual([stamps[0], start, end, bareStamp('out', '15:31:12')]);
    world.set(at('2026-11-23T18:00:00Z'));
    await correct(id, '2026-11-23T06:58:40Z', '2026-11-23T16:00:00Z', ['2026-11-23T11:02:05Z', '2026-11-23T11:33:09Z']);
    const clockOut = { ...bareStamp('out', '16:00:00'), corrected: true };
    expect((await listEntries())[0]!['stamps']).toEqual([stamps[0], start, end, clockOut]);
  });

  it("a stamp of an earlier version's open entry is added to the known ones", async () => {
    const { time_entry: entry } = await stampThrough(hall, '2026-11-23T06:58:40Z', 'in', 'badge');
    await world.db.write((tx) => tx.run('UPDATE time_entries SET stamps = NULL WHERE id = :id', { id: entry.id }));
    world.advance(minute);
    const clockOut = await stampThrough(web, '2026-11-23T07:30:00Z', 'out');
    expect(clockOut.time_entry.stamps?.map((stamp) => stamp.source)).toEqual([hall, web]);
    const row = (await findEntry(world.db, entry.id, allCompanies))!;
    expect(presentEntry(row).stamps).toEqual(clockOut.time_entry.stamps);
  });
});
