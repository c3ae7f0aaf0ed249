/**
 * Following changes misses nothing, however long transactions take and in whatever order they commit.
 *
 * By default a small run, so that it stays a matter of seconds. The full one: SYNC_CHANGES=100000 SYNC_HOLD_MS=2000 (20
 * writers, transactions of 0 to 2 seconds).
 */

import { DatabaseUnavailable } from '@clockproof/platform/database/database';
import { dialects } from '@clockproof/platform/testing/databases';
import { addDays } from '@clockproof/platform/time/local-date';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { changeAbsence } from '../src/absences/change-absence.js';
import { draftOf } from '../src/absences/draft.js';
import { requestAbsence } from '../src/absences/request-absence.js';
import { createStore } from '../src/store/write.js';
import { hire, sendStamp } from './builders.js';
import { createWorld, monday, type World } from './world.js';

const changes = Number(process.env['SYNC_CHANGES'] ?? 400);
const holdMilliseconds = Number(process.env['SYNC_HOLD_MS'] ?? 100);
const writers = 20;
const changesPerTransaction = changes >= 100_000 ? 100 : 10;
const system = { kind: 'system' } as const;
const pause = (milliseconds: number) =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });

type Copy = Map<number, Record<string, unknown>>;

if (dialects.includes('postgres'))
  describe('a horizon that goes back for a moment', () => {
    let world: World;
    beforeEach(async () => {
      world = await createWorld('postgres');
    });
    afterEach(() => world.close());

    const lists: readonly (readonly [path: string, asked: string, given: string])[] = [
      ['users', 'updated_since', 'next_updated_since'],
      ['time/entries', 'updated_since', 'next_updated_since'],
      ['time/leaves', 'updated_since', 'next_updated_since'],
      ['users/removed', 'since', 'next_since'],
      ['events', 'after', 'next_after'],
    ];
    // A transaction of another database that ends between the snapshot and the look-up is taken for one of this database.
    it('a horizon that goes back for a moment refuses no earlier position, and continues from it', async () => {
      const { key } = world.auditor;
      const ask = async (path: string, query: string) => {
        const { status, body } = await world.call('GET', `/api/v1/${path}?${query}&limit=500`, { key });
        return { status, ...(body as Record<string, unknown>) } as Record<string, unknown>;
      };
      const horizon = (await world.db.get<{ number: number }>('SELECT * FROM horizon() AS number'))!.number;
      await sendStamp(world, 'in');
      const positions = await Promise.all(
        lists.map(
          async ([path, parameter, member]) =>
            (await ask(path, parameter === 'after' ? '' : `${parameter}=2026-11-01`))[member],
        ),
      );
      await world.db.write((tx) =>
        tx.run(
          `CREATE OR REPLACE FUNCTION horizon() RETURNS SETOF bigint LANGUAGE sql STABLE ROWS 1 AS $$ SELECT ${horizon}::bigint $$`,
        ),
      );
      for (const [index, [path, parameter, member]] of lists.entries()) {
        const secondAnswer = await ask(path, `${parameter}=${positions[index]}`);
        expect({ path, status: secondAnswer['status'], data: secondAnswer['data'] }).toEqual({
          path,
          status: 200,
          data: [],
        });
        // Without the instant at which it was given.
        const place = (position: unknown) => String(position).slice(0, 26);
        expect(place(secondAnswer[member])).toBe(place(positions[index]));
      }
    });
  });

describe.each(dialects)('the change feed on %s', (dialect) => {
  let world: World;
  let people: number[];
  beforeEach(async () => {
    world = await createWorld(dialect);
    people = await world.service.store.write({ actor: system, at: monday }, async (write) => {
      const ids: number[] = [];
      for (let index = 0; index < writers; index++)
        ids.push(
          await hire(write, {
            companyId: world.nord,
            firstName: `Writer${index}`,
            lastName: 'Fleißig',
            language: 'de',
          }),
        );
      return ids;
    });
  });
  afterEach(() => world.close());

  const author = () =>
    ({ kind: 'extension', extension: { id: world.planner.id, name: 'Planner', leading: true } }) as const;
  const record = (tx: Parameters<typeof requestAbsence>[0], personId: number, date: string) =>
    requestAbsence(tx, {
      personId,
      companyId: world.nord,
      draft: draftOf({ type: 'sickness', start_date: date, end_date: date, comment: 'new' }),
      author: author(),
    });
  const list = async (query: string) => {
    const { body } = await world.call('GET', `/api/v1/time/leaves?${query}`, { key: world.auditor.key });
    return body as unknown as {
      data: { id: number }[];
      has_more: boolean;
      next_cursor: string;
      next_updated_since: string;
    };
  };
  /** One synchronisation: every page, then the value for the next one. */
  async function follow(since: string, copy: Copy): Promise<string> {
    let page = await list(`updated_since=${since}&limit=500`);
    for (; ; page = await list(`updated_since=${since}&limit=500&cursor=${page.next_cursor}`)) {
      for (const row of page.data) copy.set(row.id, row);
      if (!page.has_more) return page.next_updated_since;
    }
  }
  /** What an ordinary list would do: everything with an instant behind the newest one seen. */
  async function followByInstant(since: number, ids: Set<number>): Promise<number> {
    const rows = await world.db.all<{ id: number; updated_at: number }>(
      'SELECT id, updated_at FROM absences WHERE updated_at > :since',
      { since },
    );
    for (const row of rows) ids.add(row.id);
    return Math.max(since, ...rows.map((row) => row.updated_at));
  }
  async function notIn(copy: Copy): Promise<number[]> {
    const truth: Copy = new Map();
    await follow('1970-01-01', truth);
    const rows = (await world.db.all<{ id: number }>('SELECT id FROM absences')).map((row) => row.id);
    expect(truth.size).toBe(rows.length);
    return rows.filter((id) => JSON.stringify(copy.get(id)) !== JSON.stringify(truth.get(id)));
  }

  it('the change feed sees a late commit that a list ordered by instants misses', async () => {
    const copy: Copy = new Map();
    const byInstant = new Set<number>();
    const earlierInstant = world.now() + 1;
    const laterInstant = world.now() + 2;
    let openGate!: () => void;
    let begin!: () => void;
    const gate = new Promise<void>((resolve) => {
      openGate = resolve;
    });
    const beginning = new Promise<void>((resolve) => {
      begin = resolve;
    });
    // PostgreSQL lets another transaction commit meanwhile; on SQLite, with one writer at a time, the slow one has
    // taken its instant and waits for its turn.
    const slowWrite = (async () => {
      if (dialect === 'sqlite') {
        begin();
        await gate;
      }
      return world.service.store.write({ actor: system, at: earlierInstant }, async (tx) => {
        await tx.get('SELECT 1 AS one');
        begin();
        await gate;
        return record(tx, people[0]!, '2026-06-01');
      });
    })();
    await beginning;
    const quickWrite = await world.service.store.write({ actor: system, at: laterInstant }, (tx) =>
      record(tx, people[1]!, '2026-06-01'),
    );
    const token = await follow('1970-01-01', copy);
    const instant = await followByInstant(0, byInstant);
    expect([[...copy.keys()], [...byInstant]]).toEqual([[quickWrite.absence.id], [quickWrite.absence.id]]);
    openGate();
    const { absence } = await slowWrite;
    await follow(token, copy);
    await followByInstant(instant, byInstant);
    expect(copy.has(absence.id)).toBe(true);
    expect(byInstant.has(absence.id)).toBe(false);
  });

  it(
    `the change feed misses none of ${changes} changes of ${writers} writers within ${holdMilliseconds} ms`,
    async () => {
      const copy: Copy = new Map();
      let token = await follow('1970-01-01', copy);
      let writerCount = writers;
      let committedCount = 0;
      // Two further processes write, ten connections each, so that on PostgreSQL all twenty transactions are open at
      // the same time.
      const stores = [(await world.replica()).db, (await world.replica()).db];
      const hold = dialect === 'sqlite' && holdMilliseconds < 1_000 ? holdMilliseconds / 10 : holdMilliseconds;
      const write = async (writer: number) => {
        const db = stores[writer % stores.length]!;
        let random = writer + 1;
        const next = () => {
          random = (random * 48_271) % 2_147_483_647;
          return random / 2_147_483_647;
        };
        const ownIds: number[] = [];
        for (let writtenCount = 0; writtenCount < changes / writers; writtenCount += changesPerTransaction) {
          world.advance(1);
          const at = world.now();
          for (;;) {
            try {
              const createdIds = await createStore(db).write({ actor: system, at }, async (write) => {
                const ids: number[] = [];
                await pause(next() * hold);
                for (let index = writtenCount; index < writtenCount + changesPerTransaction; index++) {
                  if ((index - writtenCount) % 3 === 2)
                    await changeAbsence(write, {
                      id: ids.at(-1)!,
                      access: {
                        by: 'extension',
                        extensionId: world.planner.id,
                        scope: { company: world.nord },
                        leading: true,
                      },
                      patch: { comment: `change ${index}` },
                    });
                  else ids.push((await record(write, people[writer]!, addDays('2030-01-01', index))).absence.id);
                }
                return ids;
              });
              ownIds.push(...createdIds);
              break;
            } catch (error) {
              // The service answers 503 and the caller comes again.
              if (!(error instanceof DatabaseUnavailable)) throw error;
            }
          }
          committedCount += changesPerTransaction;
          // An older record of a transaction that is long over changes too.
          await createStore(db)
            .write({ actor: system, at }, (write) =>
              changeAbsence(write, {
                id: ownIds[0]!,
                access: {
                  by: 'extension',
                  extensionId: world.planner.id,
                  scope: { company: world.nord },
                  leading: true,
                },
                patch: { comment: `again ${writtenCount}` },
              }),
            )
            .catch((error) => {
              if (!(error instanceof DatabaseUnavailable)) throw error;
            });
        }
        writerCount -= 1;
      };
      const all = Promise.all(people.map((_, writer) => write(writer)));
      let rounds = 0;
      for (; writerCount > 0; rounds++) {
        token = await follow(token, copy);
        await Promise.race([all, pause(20)]);
      }
      await all;
      await follow(token, copy);
      expect(committedCount).toBe(changes);
      expect(rounds).toBeGreaterThan(3);
      expect(await notIn(copy)).toEqual([]);
    },
    // On a busy machine the writers are refused and come again many times.
    Math.max(360_000, changes * 60),
  );
});
