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
const start = parseInstant('2026-11-23T07:00:00Z')!;
const closingTime = parseInstant('2026-12-02T07:00:00Z')!;
const month = '2026-11';
const writers = 20;
const writesPerWriter = 20;
const peopleCount = 8;

describe.each(dialects)('twenty writers in two processes on %s', (dialect) => {
  const seeds = Array.from({ length: runs(dialect === 'postgres' ? 3 : 1) }, (_, index) => index + 1);
  let home: TestDatabase;
  let databases: Database[];
  let stores: readonly Store[];
  beforeEach(async () => {
    home = await createTestDatabase(dialect, migrations);
    databases = [await openDatabase(home.settings)];
    // SQLite has one process; its writers share the connection.
    if (dialect === 'postgres') databases.push(await openDatabase(home.settings));
    stores = databases.map((db) => createStore(db));
  });
  afterEach(async () => {
    for (const db of databases) await db.close();
    await home.drop();
  });

  /** Reads on and on, as an extension does, until `isOver` and all is settled. */
  async function follow(reader: Database, isOver: () => boolean) {
    const events: EventRow[] = [];
    const entries = new Map<number, { readonly changed: number; readonly status: string }>();
    let lastSequence = 0;
    let entryPlace: RowPlace = placeBehind(0);
    for (let isLast = false; ; isLast = isOver()) {
      const { place } = await settledPosition(reader);
      const span = { upTo: place, since: 0 };
      for (;;) {
        const page = await listEvents(reader, allCompanies, {
          ...span,
          after: lastSequence,
          types: eventTypes,
          limit: 20,
        });
        events.push(...page);
        // As the list of events: a position never goes back.
        lastSequence = page.at(-1)?.sequence ?? Math.max(lastSequence, place);
        if (page.length === 0) break;
      }
      for (;;) {
        const page = await listEntriesChanged(reader, allCompanies, { ...span, after: entryPlace, limit: 20 });
        for (const { id, changed, status } of page) entries.set(id, { changed, status });
        entryPlace = page.at(-1) ?? placeBehind(place);
        if (page.length === 0) break;
      }
      if (isLast) return { events, entries };
    }
  }

  it.each(seeds)('twenty writers keep every promise of the order, seed %i', async (seed) => {
    const [store] = stores as [Store];
    const { companyId, people } = await store.write({ actor: system, at: start }, async (write) => {
      const companyId = await recordCompany(write, { name: 'Nord', timeZone: berlin, country: 'DE' });
      const people: number[] = [];
      for (let index = 0; index < peopleCount; index++)
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
    let clock: Instant = start;
    const unexpectedErrors: unknown[] = [];
    /** Refusals are answers; a busy database would be one too, but for so few writers it is none. */
    const attempt = (write: Promise<unknown>) =>
      write.catch((error: unknown) => {
        if (!(error instanceof Refusal) || error instanceof DatabaseUnavailable) unexpectedErrors.push(error);
      });
    const waitTurns = async (write: Write, count: number) => {
      for (let turn = 0; turn < count; turn++) await write.all('SELECT 1 AS one');
    };
    const act = (writerStore: Store, choice: number, person: number): Promise<unknown> => {
      if (choice < 24) {
        const kind = (['in', 'out', 'break_start', 'break_end'] as const)[random(4)]!;
        const pause = random(5) === 0 ? 20 : 0;
        clock += minute;
        return writerStore.write({ actor: system, at: clock }, async (write) => {
          const answer = await stamp(write, { personId: person, companyId, kind, source: { kind: 'web' } });
          await waitTurns(write, pause);
          return answer;
        });
      }
      if (choice === 24)
        return writerStore.write({ actor: system, at: closingTime }, (write) =>
          closeCompanyMonth(write, { companyId, month }),
        );
      if (choice < 28)
        return writerStore.write({ actor: system, at: closingTime }, (write) =>
          reopenCompanyMonth(write, { companyId, month, reason: 'again' }),
        );
      if (choice < 31)
        return writerStore.write({ actor: system, at: clock }, (write) =>
          changePersonRecord(write, person, companyId, { active: choice > 28 ? 1 : 0 }),
        );
      return writerStore.write({ actor: system, at: clock }, (write) =>
        saveCompanyChange(write, companyId, { active: choice > 31 ? 1 : 0 }),
      );
    };

    let isRunning = true;
    const follower = follow(databases.at(-1)!, () => !isRunning);
    await Promise.all(
      Array.from({ length: writers }, async (_, writer) => {
        const writerStore = stores[writer % stores.length]!;
        for (let turn = 0; turn < writesPerWriter; turn++)
          await attempt(act(writerStore, random(35), people[random(people.length)]!));
      }),
    );
    isRunning = false;
    const feed = await follower;
    expect(unexpectedErrors).toEqual([]);

    // Nothing is missed, nothing comes twice, and each person's events come in the order of their writes.
    const storedEvents = await store.all<EventRow>('SELECT * FROM events ORDER BY sequence');
    expect(feed.events.map(({ sequence }) => sequence)).toEqual(storedEvents.map(({ sequence }) => sequence));
    expect(storedEvents.length).toBeGreaterThan(20);
    for (const person of people) {
      let state = 'out';
      for (const { type } of feed.events.filter(
        ({ person_id, type }) => person_id === person && type.startsWith('clock.'),
      )) {
        const nextState = {
          'clock.in': 'in',
          'clock.out': 'out',
          'clock.break_start': 'on_break',
          'clock.break_end': 'in',
        }[type as 'clock.in'];
        const allowedStates = { 'clock.in': ['out'], 'clock.out': ['in', 'on_break'], 'clock.break_start': ['in'] }[
          type as 'clock.in'
        ] ?? ['on_break'];
        expect([type, allowedStates]).toContainEqual(expect.arrayContaining([state]));
        state = nextState;
      }
    }
    // Lists of changes lead to the same entries as reading them.
    const entries = await store.all<{ id: number; changed: number; status: string }>(
      'SELECT id, changed, status FROM time_entries',
    );
    expect([...feed.entries].sort(([a], [b]) => a - b)).toEqual(
      entries.sort((a, b) => a.id - b.id).map(({ id, changed, status }) => [id, { changed, status }]),
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
    const activeValueIn = (values: readonly { member: string; new: unknown }[]) =>
      values.find(({ member }) => member === 'active')?.new;
    let isClosed = false;
    const inactiveSubjects = new Set<string>();
    const steps: string[] = [];
    for (const { action, subject, details, records } of log) {
      if (action === 'month.closed' || action === 'month.reopened') isClosed = action === 'month.closed';
      const values =
        action === 'company.changed'
          ? (JSON.parse(details!) as { changes: { member: string; new: unknown }[] }).changes
          : (changes.get(Number(/person_changes (\d+)/.exec(records ?? '')?.[1])) ?? []);
      if (activeValueIn(values) === 0) inactiveSubjects.add(subject);
      if (activeValueIn(values) === 1) inactiveSubjects.delete(subject);
      if (!action.startsWith('clock.')) steps.push(action);
      else
        expect([isClosed, inactiveSubjects.has(subject), inactiveSubjects.has(`company ${companyId}`)]).toEqual([
          false,
          false,
          false,
        ]);
    }
    expect(steps).toEqual(expect.arrayContaining(['company.changed', 'person.changed']));
    // What is closed is what the entries come to.
    if (isClosed) {
      const sums = await store.all<{ person_id: number; worked_minutes: number }>(
        'SELECT person_id, worked_minutes FROM month_balances ORDER BY person_id',
      );
      const work = await store.all<{ person_id: number; worked: number }>(
        `SELECT person_id, sum(end_at - start_at) AS worked FROM time_entries WHERE status IN ('recorded', 'approved') GROUP BY person_id`,
      );
      for (const { person_id, worked_minutes } of sums)
        expect(worked_minutes).toBeLessThanOrEqual(
          Math.ceil((work.find((row) => row.person_id === person_id)?.worked ?? 0) / minute),
        );
    }
    await sealAll(store, () => closingTime + hour);
    expect(await verifyAll(store)).toMatchObject({ logFaults: [], recordFaults: [] });
  });
});
