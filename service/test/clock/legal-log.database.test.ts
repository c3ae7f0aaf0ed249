import type { Database } from '@clockproof/platform/database/database';
import { dialects } from '@clockproof/platform/testing/databases';
import { runs } from '@clockproof/platform/testing/runs';
import { hour } from '@clockproof/platform/time/instant';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { StampKind } from '../../src/clock/clock-state.js';
import { correctWithNotice, type EntryDraft } from '../../src/clock/corrections.js';
import { type EntryRow, findClock } from '../../src/clock/rows.js';
import { type ClockResult, stamp } from '../../src/clock/stamp.js';
import { readBreaks } from '../../src/clock/time-entry.js';
import { actorOf } from '../../src/people/actor.js';
import { findPerson, type PersonRow } from '../../src/people/rows.js';
import { allCompanies } from '../../src/store/every-company.js';
import type { Write } from '../../src/store/write.js';
import { hire } from '../builders.js';
import { createWorld, minute, monday, mondayMinute, type World } from '../world.js';

const system = { kind: 'system' } as const;

/** What must hold of a person's log, whatever was done to it. */
async function expectLegal(db: Database, personId: number): Promise<EntryRow[]> {
  const entries = await db.all<EntryRow>(
    'SELECT * FROM time_entries WHERE person_id = :personId ORDER BY start_at, id',
    { personId },
  );
  const countedEntries = entries.filter((entry) => entry.status !== 'rejected' && entry.status !== 'pending');
  let previousEnd = Number.NEGATIVE_INFINITY;
  for (const entry of countedEntries) {
    expect(entry.start_at).toBeGreaterThanOrEqual(previousEnd);
    previousEnd = entry.end_at ?? Number.POSITIVE_INFINITY;
  }
  for (const entry of entries) {
    expect((entry.status === 'open') === (entry.end_at === null)).toBe(true);
    let from = entry.start_at;
    for (const { start, end } of readBreaks(entry.breaks)) {
      expect(start).toBeGreaterThanOrEqual(from);
      from = end ?? start;
      expect(from).toBeGreaterThanOrEqual(start);
      expect(end !== undefined || entry.status === 'open').toBe(true);
    }
    if (entry.end_at !== null) expect(entry.end_at).toBeGreaterThanOrEqual(from);
  }
  const openEntries = entries.filter((entry) => entry.status === 'open');
  const clock = await findClock(db, personId);
  expect(openEntries).toHaveLength(clock === undefined || clock.state === 'out' ? 0 : 1);
  if (openEntries.length === 1)
    expect(clock).toMatchObject({
      since: openEntries[0]!.start_at,
      state: readBreaks(openEntries[0]!.breaks).some((interval) => interval.end === undefined) ? 'on_break' : 'in',
    });
  return countedEntries;
}

describe.each(dialects)('the log of a person on %s', (dialect) => {
  let world: World;
  let adam: PersonRow;
  beforeAll(async () => {
    // On a busy machine, those who wait for the person's clock may wait for a connection for longer than five seconds.
    world = await createWorld(dialect);
    const id = await world.hire({ firstName: 'Adam', lastName: 'Nord', role: 'company_admin' });
    adam = (await findPerson(world.db, id, allCompanies))!;
  });
  afterAll(() => world.close());
  const newcomer = async () =>
    (await findPerson(
      world.db,
      await world.service.store.write({ actor: system, at: monday }, (write) =>
        hire(write, {
          companyId: world.nord,
          firstName: 'New',
          lastName: 'Comer',
        }),
      ),
      allCompanies,
    ))!;

  interface Stretch {
    id: number;
    start: number;
    end: number | undefined;
    breaks: { start: number; end: number | undefined }[];
  }
  /** The rules once more, over a plain list: what each step must answer. */
  class Model {
    readonly log: Stretch[] = [];
    get openEntry() {
      return this.log.find((entry) => entry.end === undefined);
    }
    stamp(kind: StampKind): string {
      const openEntry = this.openEntry;
      const onBreak = openEntry?.breaks.at(-1)?.end === undefined && (openEntry?.breaks.length ?? 0) > 0;
      if (kind === 'in') return openEntry === undefined ? 'ok' : 'already_clocked_in';
      if (kind === 'break_end') return onBreak ? 'ok' : 'not_on_break';
      if (openEntry === undefined) return 'not_clocked_in';
      return kind === 'break_start' && onBreak ? 'already_on_break' : 'ok';
    }
    overlaps(start: number, end: number, exceptId: number | undefined): boolean {
      return this.log.some(
        (entry) => entry.id !== exceptId && entry.start < end && (entry.end ?? Number.POSITIVE_INFINITY) > start,
      );
    }
  }

  const stepArbitrary = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant('stamp' as const),
        kind: fc.constantFrom<StampKind>('in', 'out', 'break_start', 'break_end'),
        wait: fc.integer({ min: 0, max: 300 }),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('correct' as const),
        index: fc.nat(5),
        minutesAgo: fc.integer({ min: 0, max: 2_000 }),
        length: fc.integer({ min: 1, max: 700 }),
        pause: fc.boolean(),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), index: fc.nat(5) }) },
  );

  it('the log of a person stays legal under any sequence of stamps and corrections', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(stepArbitrary, { minLength: 5, maxLength: 30 }), async (steps) => {
        const person = await newcomer();
        const model = new Model();
        let now = monday + 48 * hour;
        const attempt = (effect: (write: Write) => Promise<unknown>) =>
          world.service.store.write({ actor: actorOf(adam), at: now }, effect).then(
            (value) => ({ code: 'ok', value }),
            (error: { code?: string }) => ({ code: error.code ?? String(error), value: undefined }),
          );
        for (const step of steps) {
          if (step.do === 'stamp') {
            now += step.wait * minute;
            const expectedCode = model.stamp(step.kind);
            const { code, value } = await attempt((write) =>
              stamp(write, {
                personId: person.id,
                companyId: person.company_id,
                kind: step.kind,
                // Through an app, which is told that the person is still clocked in; see new-day.database.test.ts.
                source: { kind: 'extension' },
              }),
            );
            expect(code).toBe(expectedCode);
            if (code !== 'ok') continue;
            const { time_entry: entry } = value as ClockResult;
            const stretch = model.openEntry ?? { id: entry.id, start: now, end: undefined, breaks: [] };
            if (step.kind === 'in') model.log.push(stretch);
            if (step.kind === 'break_start') stretch.breaks.push({ start: now, end: undefined });
            if (step.kind === 'break_end') stretch.breaks.at(-1)!.end = now;
            if (step.kind === 'out') {
              const lastBreak = stretch.breaks.at(-1);
              if (lastBreak !== undefined) lastBreak.end ??= now;
              stretch.end = now;
            }
          } else {
            const target =
              model.log.length === 0 || step.index > 3 ? undefined : model.log[step.index % model.log.length];
            if (step.do === 'remove') {
              if (target === undefined) continue;
              expect(
                (
                  await attempt((write) =>
                    correctWithNotice(write, {
                      person,
                      by: adam,
                      draft: { entryId: target.id, remove: true },
                      reason: 'Never',
                    }),
                  )
                ).code,
              ).toBe('ok');
              model.log.splice(model.log.indexOf(target), 1);
              continue;
            }
            const start = now - (now % minute) - (step.minutesAgo + step.length) * minute;
            const end = start + step.length * minute;
            const breaks = step.pause && step.length > 3 ? [{ start: start + minute, end: end - minute }] : [];
            const draft: EntryDraft = { entryId: target?.id, times: { start, end, breaks } };
            const { code, value } = await attempt((write) =>
              correctWithNotice(write, { person, by: adam, draft, reason: 'Was so' }),
            );
            expect(code).toBe(model.overlaps(start, end, target?.id) ? 'entry_overlap' : 'ok');
            if (code !== 'ok') continue;
            const { entry_id: id } = value as { entry_id: number };
            if (target !== undefined) model.log.splice(model.log.indexOf(target), 1);
            model.log.push({ id, start, end, breaks });
          }
        }
        const entries = (await expectLegal(world.db, person.id)).map((entry) => ({
          id: entry.id,
          start: entry.start_at,
          end: entry.end_at ?? undefined,
          breaks: readBreaks(entry.breaks).map(({ start, end }) => ({ start, end })),
        }));
        expect(entries.sort((a, b) => a.id - b.id)).toEqual([...model.log].sort((a, b) => a.id - b.id));
      }),
      { numRuns: runs(8), seed: 20261121 },
    );
  });

  it('the log of a person stays legal under 500 random parallel calls to two services, with corrections', async () => {
    const replica = await world.replica();
    const person = await newcomer();
    const calls = fc.sample(
      fc.record({
        verb: fc.constantFrom('in', 'out', 'break/start', 'break/end', 'correct'),
        wait: fc.nat(3),
        minutesAgo: fc.nat(400),
        length: fc.integer({ min: 1, max: 60 }),
      }),
      { numRuns: 500, seed: 4 },
    );
    world.set(monday + 72 * hour);
    const outcomes = await Promise.all(
      calls.map(async ({ verb, wait, minutesAgo, length }, index) => {
        const service = index % 2 === 0 ? world.service : replica;
        world.advance(wait * minute);
        if (verb !== 'correct') {
          const answer = await fetch(`${service.url}/api/v1/clock/${verb}`, {
            method: 'POST',
            headers: { authorization: `Bearer ${world.planner.key}`, 'content-type': 'application/json' },
            body: JSON.stringify({ user_id: person.id }),
          });
          return answer.status === 200 ? 'ok' : `${answer.status} ${((await answer.json()) as { code: string }).code}`;
        }
        const end = mondayMinute + 72 * hour - minutesAgo * minute;
        return service.store
          .write({ actor: system, at: world.now() }, (write) =>
            correctWithNotice(write, {
              person,
              by: adam,
              draft: { times: { start: end - length * minute, end, breaks: [] } },
              reason: 'Race',
            }),
          )
          .then(
            () => 'ok',
            (error: { code: string }) => error.code,
          );
      }),
    );
    const allowedOutcomes = [
      'ok',
      'entry_overlap',
      '409 already_clocked_in',
      '409 not_clocked_in',
      '409 already_on_break',
      '409 not_on_break',
    ];
    expect([...new Set(outcomes)].filter((outcome) => !allowedOutcomes.includes(outcome))).toEqual([]);
    // Most of 500 calls at once are decided from one and the same state, and refused.
    expect(outcomes.filter((outcome) => outcome === 'ok').length).toBeGreaterThan(5);
    await expectLegal(world.db, person.id);
    // The feed tells the same story: replayed in its order every stamp is allowed.
    const feed = await world.db.all<{ type: string; payload: string }>(
      "SELECT type, payload FROM events WHERE person_id = :id AND type LIKE 'clock.%' ORDER BY sequence",
      { id: person.id },
    );
    const model = new Model();
    for (const { type, payload } of feed) {
      expect(model.stamp(type.slice(6) as StampKind)).toBe('ok');
      const { state } = (JSON.parse(payload) as { data: { clock_state: { state: string } } }).data.clock_state;
      model.log.length = 0;
      if (state !== 'out')
        model.log.push({
          id: 0,
          start: 0,
          end: undefined,
          breaks: state === 'on_break' ? [{ start: 0, end: undefined }] : [],
        });
    }
    expect(outcomes.filter((outcome) => outcome === 'ok').length).toBeGreaterThanOrEqual(feed.length);
  });
});
