/**
 * Many writers at once, in two processes: whatever interleaves, followers miss nothing, nothing is overtaken by what
 * counts it, and the log vouches for all of it.
 */
import { type Database, DatabaseUnavailable } from '@clockproof/platform/database/database';
import { openDatabase } from '@clockproof/platform/database/open';
import { createTestDatabase, dialects, type TestDatabase } from '@clockproof/platform/testing/databases';
import { runs } from '@clockproof/platform/testing/runs';
import { hour, type Instant, minute, parseInstant } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { listEntriesChanged } from '../../src/clock/rows.js';
import { stamp } from '../../src/clock/stamp.js';
import { eventTypes } from '../../src/generated/contract.js';
import { recordCompany, saveCompanyChange } from '../../src/people/people.js';
import { closeCompanyMonth, reopenCompanyMonth } from '../../src/proofs/close-month.js';
import { verifyAll } from '../../src/store/audit/verify.js';
import { type EventRow, listEvents } from '../../src/store/event-rows.js';
import { allCompanies } from '../../src/store/every-company.js';
import { migrations } from '../../src/store/migrations/migrations.js';
import { placeBehind, type RowPlace, settledPosition } from '../../src/store/position.js';
import { Refusal } from '../../src/store/refusal.js';
import { sealAll } from '../../src/store/seal.js';
import { createStore, type Store, type Write } from '../../src/store/write.js';
import { changePersonRecord } from '../../src/working-time/change-person.js';
import { hire } from '../builders.js';
import { randomOf } from '../random.js';
import { berlin } from '../zones.js';

const system = { kind: 'system' } as const;
const began = parseInstant('2026-11-23T07:00:00Z')!;
const later = parseInstant('2026-12-02T07:00:00Z')!;
const month = '2026-11';
const writers = 20;
const writesEach = 20;
const crowd = 8;

describe.each(dialects)('twenty writers in two processes on %s', (dialect) => {
  const seeds = Array.from({ length: runs(dialect === 'postgres' ? 3 : 1) }, (_, index) => index + 1);
  let home: TestDatabase;
  let opened: Database[];
  let stores: readonly Store[];
  beforeEach(async () => {
    home = await createTestDatabase(dialect, migrations);
    opened = [await openDatabase(home.settings)];
    // SQLite has one process; its writers share the connection.
    if (dialect === 'postgres') opened.push(await openDatabase(home.settings));
    stores = opened.map((db) => createStore(db));
  });
  afterEach(async () => {
    for (const db of opened) await db.close();
    await home.drop();
  });

  /** Reads on and on, as an extension does, until `over` and all is settled. */
  async function follow(reader: Database, over: () => boolean) {
    const events: EventRow[] = [];
    const entries = new Map<number, { readonly changed: number; readonly status: string }>();
    let after = 0;
    let behindEntry: RowPlace = placeBehind(0);
    for (let last = false; ; last = over()) {
      const { place } = await settledPosition(reader);
      const span = { upTo: place, since: 0 };
      for (;;) {
        const page = await listEvents(reader, allCompanies, { ...span, after, types: eventTypes, limit: 20 });
        events.push(...page);
        // As the list of events: a position never goes back.
        after = page.at(-1)?.sequence ?? Math.max(after, place);
        if (page.length === 0) break;
      }
      for (;;) {
        const page = await listEntriesChanged(reader, allCompanies, { ...span, after: behindEntry, limit: 20 });
        for (const { id, changed, status } of page) entries.set(id, { changed, status });
        behindEntry = page.at(-1) ?? placeBehind(place);
        if (page.length === 0) break;
      }
      if (last) return { events, entries };
    }
  }

  it.each(seeds)('twenty writers keep every promise of the order, seed %i', async (seed) => {
    const [store] = stores as [Store];
    const { companyId, people } = await store.write({ actor: system, at: began }, async (write) => {
      const companyId = await recordCompany(write, { name: 'Nord', timeZone: berlin, country: 'DE' });
      const people: number[] = [];
      for (let index = 0; index < crowd; index++)
        people.push(
          await hire(write, {
            companyId,
            firstName: `P${index}`,
            lastName: 'Lang',
            employmentStart: '2026-11-01',
          }),
        );
      return { companyId, people };
    });
    const random = randomOf(seed);
    let clock: Instant = began;
    const unexpected: unknown[] = [];
    /** Refusals are answers; a busy database would be one too, but for so few writers it is none. */
    const attempt = (write: Promise<unknown>) =>
      write.catch((error: unknown) => {
        if (!(error instanceof Refusal) || error instanceof DatabaseUnavailable) unexpected.push(error);
      });
    const turns = async (write: Write, count: number) => {
      for (let turn = 0; turn < count; turn++) await write.all('SELECT 1 AS one');
    };
    const act = (from: Store, choice: number, person: number): Promise<unknown> => {
      if (choice < 24) {
        const kind = (['in', 'out', 'break_start', 'break_end'] as const)[random(4)]!;
        const pause = random(5) === 0 ? 20 : 0;
        clock += minute;
        return from.write({ actor: system, at: clock }, async (write) => {
          const answer = await stamp(write, { personId: person, companyId, kind, source: { kind: 'web' } });
          await turns(write, pause);
          return answer;
        });
      }
      if (choice === 24)
        return from.write({ actor: system, at: later }, (write) => closeCompanyMonth(write, { companyId, month }));
      if (choice < 28)
        return from.write({ actor: system, at: later }, (write) =>
          reopenCompanyMonth(write, { companyId, month, reason: 'again' }),
        );
      if (choice < 31)
        return from.write({ actor: system, at: clock }, (write) =>
          changePersonRecord(write, person, companyId, { active: choice > 28 ? 1 : 0 }),
        );
      return from.write({ actor: system, at: clock }, (write) =>
        saveCompanyChange(write, companyId, { active: choice > 31 ? 1 : 0 }),
      );
    };

    let running = true;
    const following = follow(opened.at(-1)!, () => !running);
    await Promise.all(
      Array.from({ length: writers }, async (_, writer) => {
        const from = stores[writer % stores.length]!;
        for (let turn = 0; turn < writesEach; turn++)
          await attempt(act(from, random(35), people[random(people.length)]!));
      }),
    );
    running = false;
    const followed = await following;
    expect(unexpected).toEqual([]);

    // Nothing is missed, nothing comes twice, and each person's events come in the order of their writes.
    const stored = await store.all<EventRow>('SELECT * FROM events ORDER BY sequence');
    expect(followed.events.map(({ sequence }) => sequence)).toEqual(stored.map(({ sequence }) => sequence));
    expect(stored.length).toBeGreaterThan(20);
    for (const person of people) {
      let state = 'out';
      for (const { type } of followed.events.filter(
        ({ person_id, type }) => person_id === person && type.startsWith('clock.'),
      )) {
        const next = { 'clock.in': 'in', 'clock.out': 'out', 'clock.break_start': 'on_break', 'clock.break_end': 'in' }[
          type as 'clock.in'
        ];
        const before = { 'clock.in': ['out'], 'clock.out': ['in', 'on_break'], 'clock.break_start': ['in'] }[
          type as 'clock.in'
        ] ?? ['on_break'];
        expect([type, before]).toContainEqual(expect.arrayContaining([state]));
        state = next;
      }
    }
    // Lists of changes lead to the same entries as reading them.
    const entries = await store.all<{ id: number; changed: number; status: string }>(
      'SELECT id, changed, status FROM time_entries',
    );
    expect([...followed.entries].sort(([one], [other]) => one - other)).toEqual(
      entries.sort((one, other) => one.id - other.id).map(({ id, changed, status }) => [id, { changed, status }]),
    );

    // A stamp comes before a closing, a deactivation or an end that counts it, or is decided after it.
    const log = await store.all<{ action: string; subject: string; details: string | null; records: string | null }>(
      'SELECT action, subject, details, records FROM audit_entries ORDER BY sequence',
    );
    const changes = new Map(
      (await store.all<{ id: number; changes: string }>('SELECT id, changes FROM person_changes')).map((row) => [
        row.id,
        JSON.parse(row.changes) as { member: string; new: unknown }[],
      ]),
    );
    const activeIn = (values: readonly { member: string; new: unknown }[]) =>
      values.find(({ member }) => member === 'active')?.new;
    let closed = false;
    const inactive = new Set<string>();
    const steps: string[] = [];
    for (const { action, subject, details, records } of log) {
      if (action === 'month.closed' || action === 'month.reopened') closed = action === 'month.closed';
      const values =
        action === 'company.changed'
          ? (JSON.parse(details!) as { changes: { member: string; new: unknown }[] }).changes
          : (changes.get(Number(/person_changes (\d+)/.exec(records ?? '')?.[1])) ?? []);
      if (activeIn(values) === 0) inactive.add(subject);
      if (activeIn(values) === 1) inactive.delete(subject);
      if (!action.startsWith('clock.')) steps.push(action);
      else expect([closed, inactive.has(subject), inactive.has(`company ${companyId}`)]).toEqual([false, false, false]);
    }
    expect(steps).toEqual(expect.arrayContaining(['company.changed', 'person.changed']));
    // What is closed is what the entries come to.
    if (closed) {
      const sums = await store.all<{ person_id: number; worked_minutes: number }>(
        'SELECT person_id, worked_minutes FROM month_balances ORDER BY person_id',
      );
      const work = await store.all<{ person_id: number; worked: number }>(
        `SELECT person_id, sum(end_at - start_at) AS worked FROM time_entries WHERE status IN ('recorded', 'approved') GROUP BY person_id`,
      );
      for (const { person_id, worked_minutes } of sums)
        expect(worked_minutes).toBeLessThanOrEqual(
          Math.ceil((work.find((one) => one.person_id === person_id)?.worked ?? 0) / minute),
        );
    }
    await sealAll(store, () => later + hour);
    expect(await verifyAll(store)).toMatchObject({ logFaults: [], recordFaults: [] });
  });
});
