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
  const counting = entries.filter((entry) => entry.status !== 'rejected' && entry.status !== 'pending');
  let free = Number.NEGATIVE_INFINITY;
  for (const one of counting) {
    expect(one.start_at).toBeGreaterThanOrEqual(free);
    free = one.end_at ?? Number.POSITIVE_INFINITY;
  }
  for (const one of entries) {
    expect((one.status === 'open') === (one.end_at === null)).toBe(true);
    let from = one.start_at;
    for (const { start, end } of readBreaks(one.breaks)) {
      expect(start).toBeGreaterThanOrEqual(from);
      from = end ?? start;
      expect(from).toBeGreaterThanOrEqual(start);
      expect(end !== undefined || one.status === 'open').toBe(true);
    }
    if (one.end_at !== null) expect(one.end_at).toBeGreaterThanOrEqual(from);
  }
  const open = entries.filter((entry) => entry.status === 'open');
  const clock = await findClock(db, personId);
  expect(open).toHaveLength(clock === undefined || clock.state === 'out' ? 0 : 1);
  if (open.length === 1)
    expect(clock).toMatchObject({
      since: open[0]!.start_at,
      state: readBreaks(open[0]!.breaks).some((interval) => interval.end === undefined) ? 'on_break' : 'in',
    });
  return counting;
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
    get open() {
      return this.log.find((entry) => entry.end === undefined);
    }
    stamp(kind: StampKind): string {
      const open = this.open;
      const onBreak = open?.breaks.at(-1)?.end === undefined && (open?.breaks.length ?? 0) > 0;
      if (kind === 'in') return open === undefined ? 'ok' : 'already_clocked_in';
      if (kind === 'break_end') return onBreak ? 'ok' : 'not_on_break';
      if (open === undefined) return 'not_clocked_in';
      return kind === 'break_start' && onBreak ? 'already_on_break' : 'ok';
    }
    overlaps(start: number, end: number, except: number | undefined): boolean {
      return this.log.some(
        (entry) => entry.id !== except && entry.start < end && (entry.end ?? Number.POSITIVE_INFINITY) > start,
      );
    }
  }

  const step = fc.oneof(
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
        which: fc.nat(5),
        back: fc.integer({ min: 0, max: 2_000 }),
        length: fc.integer({ min: 1, max: 700 }),
        pause: fc.boolean(),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), which: fc.nat(5) }) },
  );

  it('the log of a person stays legal under any sequence of stamps and corrections', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
        const person = await newcomer();
        const model = new Model();
        let now = monday + 48 * hour;
        const attempt = (effect: (write: Write) => Promise<unknown>) =>
          world.service.store.write({ actor: actorOf(adam), at: now }, effect).then(
            (value) => ({ code: 'ok', value }),
            (error: { code?: string }) => ({ code: error.code ?? String(error), value: undefined }),
          );
        for (const one of steps) {
          if (one.do === 'stamp') {
            now += one.wait * minute;
            const expected = model.stamp(one.kind);
            const { code, value } = await attempt((write) =>
              stamp(write, {
                personId: person.id,
                companyId: person.company_id,
                kind: one.kind,
                // Through an app, which is told that the person is still clocked in; see new-day.database.test.ts.
                source: { kind: 'extension' },
              }),
            );
            expect(code).toBe(expected);
            if (code !== 'ok') continue;
            const { time_entry: entry } = value as ClockResult;
            const known = model.open ?? { id: entry.id, start: now, end: undefined, breaks: [] };
            if (one.kind === 'in') model.log.push(known);
            if (one.kind === 'break_start') known.breaks.push({ start: now, end: undefined });
            if (one.kind === 'break_end') known.breaks.at(-1)!.end = now;
            if (one.kind === 'out') {
              const last = known.breaks.at(-1);
              if (last !== undefined) last.end ??= now;
              known.end = now;
            }
          } else {
            const target =
              model.log.length === 0 || one.which > 3 ? undefined : model.log[one.which % model.log.length];
            if (one.do === 'remove') {
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
            const start = now - (now % minute) - (one.back + one.length) * minute;
            const end = start + one.length * minute;
            const breaks = one.pause && one.length > 3 ? [{ start: start + minute, end: end - minute }] : [];
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
        const stored = (await expectLegal(world.db, person.id)).map((entry) => ({
          id: entry.id,
          start: entry.start_at,
          end: entry.end_at ?? undefined,
          breaks: readBreaks(entry.breaks).map(({ start, end }) => ({ start, end })),
        }));
        expect(stored.sort((a, b) => a.id - b.id)).toEqual([...model.log].sort((a, b) => a.id - b.id));
      }),
      { numRuns: runs(8), seed: 20261121 },
    );
  });

  it('the log of a person stays legal under 500 random parallel calls to two services, with corrections', async () => {
    const replica = await world.replica();
    const person = await newcomer();
    const random = fc.sample(
      fc.record({
        verb: fc.constantFrom('in', 'out', 'break/start', 'break/end', 'correct'),
        wait: fc.nat(3),
        back: fc.nat(400),
        length: fc.integer({ min: 1, max: 60 }),
      }),
      { numRuns: 500, seed: 4 },
    );
    world.set(monday + 72 * hour);
    const outcomes = await Promise.all(
      random.map(async ({ verb, wait, back, length }, index) => {
        const side = index % 2 === 0 ? world.service : replica;
        world.advance(wait * minute);
        if (verb !== 'correct') {
          const answer = await fetch(`${side.url}/api/v1/clock/${verb}`, {
            method: 'POST',
            headers: { authorization: `Bearer ${world.planner.key}`, 'content-type': 'application/json' },
            body: JSON.stringify({ user_id: person.id }),
          });
          return answer.status === 200 ? 'ok' : `${answer.status} ${((await answer.json()) as { code: string }).code}`;
        }
        const end = mondayMinute + 72 * hour - back * minute;
        return side.store
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
    const allowed = [
      'ok',
      'entry_overlap',
      '409 already_clocked_in',
      '409 not_clocked_in',
      '409 already_on_break',
      '409 not_on_break',
    ];
    expect([...new Set(outcomes)].filter((outcome) => !allowed.includes(outcome))).toEqual([]);
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
