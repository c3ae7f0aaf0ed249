import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Batch, columnOf, jsonPieces, oneMoreThan, type Step, textOf } from '../src/database/batch.js';
import { type Database, DatabaseUnavailable, type Reader } from '../src/database/database.js';
import { openDatabase } from '../src/database/open.js';
import { openPostgres } from '../src/database/postgres.js';
import { createTestDatabase, dialects, type TestDatabase } from '../src/testing/databases.js';

describe.each(dialects)('a batch of writes on %s', (dialect) => {
  let home: TestDatabase;
  let db: Database;
  beforeAll(async () => {
    home = await createTestDatabase(dialect);
    db = await openDatabase(home.settings);
    await db.write(async (tx) => {
      const { integer, identity } = tx.dialect;
      await tx.run(`CREATE TABLE heads (one ${integer} PRIMARY KEY, sequence ${integer} NOT NULL)`);
      await tx.run(
        `CREATE TABLE clocks (person ${integer} PRIMARY KEY, state TEXT NOT NULL, revision ${integer} NOT NULL)`,
      );
      await tx.run(`CREATE TABLE entries (id ${identity}, person ${integer} NOT NULL, changed ${integer} NOT NULL)`);
      await tx.run(`CREATE TABLE notes (key TEXT PRIMARY KEY, text TEXT, sequence ${integer})`);
    });
  });
  beforeEach(() =>
    db.write(async (tx) => {
      for (const table of ['heads', 'clocks', 'entries', 'notes']) await tx.run(`DELETE FROM ${table}`);
      await tx.run('INSERT INTO heads (one, sequence) VALUES (1, 41)');
      await tx.run("INSERT INTO clocks (person, state, revision) VALUES (7, 'out', 0)");
    }),
  );
  afterAll(async () => {
    await db.close();
    await home.drop();
  });

  const stamp = (revision: number, key = 'first'): Batch => ({
    locks: [
      {
        name: 'clock',
        table: 'clocks',
        where: 'person = :person AND revision = :revision',
        parameters: { person: 7, revision },
        read: ['revision'],
      },
      { name: 'head', table: 'heads', where: 'one = 1', parameters: {}, read: ['sequence'] },
    ],
    steps: [
      {
        name: 'entry',
        insert: 'entries',
        row: { person: 7, changed: oneMoreThan('head', 'sequence') },
        returning: ['id'],
      },
      { name: 'moved', update: 'heads', set: { sequence: oneMoreThan('head', 'sequence') }, where: { one: 1 } },
      {
        name: 'turned',
        update: 'clocks',
        set: { state: 'in', revision: oneMoreThan('clock', 'revision') },
        where: { person: 7 },
      },
      {
        name: 'note',
        insert: 'notes',
        row: {
          key,
          text: textOf([
            ...jsonPieces({ entry: columnOf('entry', 'id'), said: 'it\'s "entry.id"' }),
            ' ',
            { of: oneMoreThan('head', 'sequence'), pad: 6 },
          ]),
          sequence: oneMoreThan('head', 'sequence'),
        },
      },
    ],
  });
  const stored = async () => ({
    head: (await db.get<{ sequence: number }>('SELECT sequence FROM heads'))!.sequence,
    clock: await db.get('SELECT state, revision FROM clocks WHERE person = 7'),
    entries: (await db.all('SELECT id FROM entries')).length,
    notes: await db.all<{ key: string; text: string; sequence: number }>('SELECT key, text, sequence FROM notes'),
  });
  const untouched = { head: 41, clock: { state: 'out', revision: 0 }, entries: 0, notes: [] };

  it('writes every step, with what earlier steps gave', async () => {
    const results = await db.batch(stamp(0));
    const id = results!['entry']!['id'] as number;
    expect(results).toMatchObject({ clock: { revision: 0 }, head: { sequence: 41 } });
    expect(await stored()).toEqual({
      head: 42,
      clock: { state: 'in', revision: 1 },
      entries: 1,
      notes: [
        { key: 'first', text: `${JSON.stringify({ entry: id, said: 'it\'s "entry.id"' })} 000042`, sequence: 42 },
      ],
    });
  });

  it('writes nothing where a locked row is not as it was read', async () => {
    expect(await db.batch(stamp(3))).toBeUndefined();
    expect(await stored()).toEqual(untouched);
  });

  it('writes nothing where the last lock fails, though the values come from the first', async () => {
    const { locks } = stamp(0);
    const row = { key: 'x', sequence: columnOf('clock', 'revision') };
    const failing = { ...locks[1]!, where: 'one = 1 AND sequence = 99' };
    expect(
      await db.batch({ locks: [locks[0]!, failing], steps: [{ name: 'note', insert: 'notes', row }] }),
    ).toBeUndefined();
    expect(await stored()).toEqual(untouched);
  });

  it('writes nothing where somebody inserted the same key first', async () => {
    await db.write((tx) => tx.run("INSERT INTO notes (key) VALUES ('first')"));
    expect(await db.batch(stamp(0))).toBeUndefined();
    expect(await stored()).toMatchObject({ head: 41, clock: { state: 'out' }, entries: 0 });
  });

  it('lets one of fifty at once through, and none of the others leave anything', async () => {
    const results = await Promise.all(Array.from({ length: 50 }, (_, index) => db.batch(stamp(0, `key ${index}`))));
    expect(results.filter((result) => result !== undefined)).toHaveLength(1);
    expect(await stored()).toMatchObject({ head: 42, clock: { state: 'in', revision: 1 }, entries: 1 });
  });

  describe('with others', () => {
    /** As a stamp above, of any person, with the number of its entry known before. */
    const one = (person: number, { revision = 0, sequence = 41, key = `note of ${person}` } = {}): Batch => ({
      locks: [
        {
          ...stamp(revision).locks[0]!,
          parameters: { person, revision },
          exact: { key: { person }, was: { revision } },
        },
        { ...stamp(0).locks[1]!, exact: { key: { one: 1 }, was: { sequence }, moving: true } },
      ],
      steps: [
        {
          name: 'entry',
          insert: 'entries',
          row: { id: 1_000 + person, person, changed: oneMoreThan('head', 'sequence') },
        },
        { name: 'moved', update: 'heads', set: { sequence: oneMoreThan('head', 'sequence') }, where: { one: 1 } },
        {
          name: 'turned',
          update: 'clocks',
          set: { state: `in "${person}"`, revision: oneMoreThan('clock', 'revision') },
          where: { person },
        },
        { name: 'note', insert: 'notes', row: { key, text: null, sequence: columnOf('entry', 'changed') } },
      ],
    });
    const everything = async () => ({
      head: (await db.get<{ sequence: number }>('SELECT sequence FROM heads'))!.sequence,
      clocks: (await db.all<{ state: string }>('SELECT state FROM clocks ORDER BY person')).map(({ state }) => state),
      entries: await db.all('SELECT id, changed FROM entries ORDER BY id'),
      notes: (await db.all<{ key: string }>('SELECT key FROM notes ORDER BY key')).map(({ key }) => key),
    });
    const nothing = { head: 41, clocks: ['out', 'out', 'out'], entries: [], notes: [] };
    beforeEach(() =>
      db.write((tx) => tx.run("INSERT INTO clocks (person, state, revision) VALUES (8, 'out', 0), (9, 'out', 4)")),
    );

    it('is written with them, one after the other', async () => {
      expect(await db.together([one(9, { revision: 4 }), one(7), one(8)])).toBe(true);
      expect(await everything()).toEqual({
        head: 44,
        clocks: ['in "7"', 'in "8"', 'in "9"'],
        entries: [
          { id: 1_007, changed: 43 },
          { id: 1_008, changed: 44 },
          { id: 1_009, changed: 42 },
        ],
        notes: ['note of 7', 'note of 8', 'note of 9'],
      });
      expect(await db.all('SELECT person, revision FROM clocks WHERE person >= 8 ORDER BY person')).toEqual([
        { person: 8, revision: 1 },
        { person: 9, revision: 5 },
      ]);
    });

    it.each([
      ['the row of one is not as it was read', () => [one(7), one(8, { revision: 3 })]],
      ['the row of one is gone', () => [one(7), one(10)]],
      ['the row that all move has moved', () => [one(7, { sequence: 40 }), one(8, { sequence: 40 })]],
    ])('is not written, nor are they, where %s', async (_, batches) => {
      expect(await db.together(batches())).toBe(false);
      expect(await everything()).toEqual(nothing);
    });

    it('is not written, nor are they, where somebody inserted the same key first', async () => {
      await db.write((tx) => tx.run("INSERT INTO notes (key) VALUES ('note of 8')"));
      expect(await db.together([one(7), one(8)])).toBe(false);
      expect(await everything()).toEqual({ ...nothing, notes: ['note of 8'] });
    });

    it('rests on rows that no other one rests on', async () => {
      await expect((async () => db.together([one(7), one(7)]))()).rejects.toThrow(TypeError);
      await expect((async () => db.together([stamp(0)]))()).rejects.toThrow(TypeError);
      expect(await everything()).toEqual(nothing);
    });

    if (dialect === 'postgres')
      it('does not wait for the row of one that somebody has locked', async () => {
        await db.write(async (tx) => {
          await tx.run('UPDATE clocks SET state = state WHERE person = 8');
          expect(await db.together([one(7), one(8)])).toBe(false);
        });
        expect(await everything()).toEqual(nothing);
      });
  });

  it('lets each of many at once succeed or fail alone', async () => {
    await db.write((tx) => tx.run("INSERT INTO notes (key) VALUES ('note 3')"));
    const note = (key: string, text: string | null): Batch => ({
      locks: [{ name: 'head', table: 'heads', where: 'one = 1', parameters: {}, read: ['sequence'] }],
      steps: [
        { name: 'moved', update: 'heads', set: { sequence: oneMoreThan('head', 'sequence') }, where: { one: 1 } },
        { name: 'entry', insert: 'entries', row: { person: text as unknown as number, changed: 1 }, returning: ['id'] },
        { name: 'note', insert: 'notes', row: { key, text: 'x' } },
      ],
    });
    const outcomes = await Promise.allSettled(
      // A missing value breaks a rule of the table, and no retry helps.
      Array.from({ length: 12 }, (_, index) => db.batch(note(`note ${index}`, index === 5 ? null : '7'))),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(
      Array.from({ length: 12 }, (_, index) => (index === 5 ? 'rejected' : 'fulfilled')),
    );
    expect(outcomes[3]).toEqual({ status: 'fulfilled', value: undefined });
    expect(await stored()).toMatchObject({ head: 41 + 10, entries: 10 });
  });

  if (dialect === 'postgres')
    it('has a connection that plans a statement once, also where none of the others becomes free in time', async () => {
      const small = await openPostgres(home.settings.dsn, { poolSize: 1, poolWaitMilliseconds: 500 });
      const settings = "SELECT current_setting('plan_cache_mode') AS plans, pg_backend_pid() AS process";
      const pooled = await small.get<{ process: number }>(settings);
      await small.write(async () => {
        await expect(small.get('SELECT 1 AS one')).rejects.toThrow(DatabaseUnavailable);
        expect(await small.batch(stamp(0))).toBeDefined();
        const line = await small.line.get<{ process: number }>(settings);
        expect(line).toEqual({ plans: 'force_generic_plan', process: expect.any(Number) });
        expect(line!.process).not.toBe(pooled!.process);
      });
      expect(pooled).toMatchObject({ plans: 'auto' });
      // A read that it was ended with is asked again, on another.
      expect(
        await small.line.get(
          "SELECT CASE current_setting('plan_cache_mode') WHEN 'force_generic_plan' THEN pg_terminate_backend(pg_backend_pid()) END AS ended",
        ),
      ).toEqual({ ended: null });
      await small.close();
    });

  if (dialect === 'postgres')
    it('finds rows by their keys on the connection of the batches, however small a table is', async () => {
      const plan = await db.line.all<{ 'QUERY PLAN': string }>(
        `EXPLAIN SELECT 1 FROM (SELECT * FROM json_populate_recordset(NULL::heads, '[{"one":1}]') LIMIT 16) r JOIN heads t ON t.one = r.one FOR UPDATE OF t`,
      );
      const steps = plan.map((line) => line['QUERY PLAN'].trim()).join('\n');
      expect(steps).toMatch(/Index Scan using \w+ on heads/);
      expect(steps).not.toMatch(/Seq Scan|Hash/);
    });

  if (dialect === 'postgres')
    it('goes on after the server has ended every connection', async () => {
      const other = await openDatabase(home.settings);
      await other.write(async (tx) => {
        await tx.get('SELECT one FROM heads FOR UPDATE');
        const waiting = Array.from({ length: 5 }, (_, index) => db.batch(stamp(0, `gone ${index}`)));
        const ended = Promise.all(waiting.map((one) => expect(one).rejects.toThrow(DatabaseUnavailable)));
        await untilLocked(other);
        await tx.all(
          'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
        );
        await ended;
      });
      await other.close();
      expect(await stored()).toEqual(untouched);
      expect(await db.batch(stamp(0))).toBeDefined();
    });

  it('shares a statement between rows of one table, each with its own values', async () => {
    const row = (key: string) => ({ key, text: key.toUpperCase(), sequence: columnOf('head', 'sequence') });
    await db.batch({
      locks: [{ name: 'head', table: 'heads', where: 'one = 1', parameters: {}, read: ['sequence'] }],
      steps: ['a', 'b', 'c'].map((key) => ({ name: `note_${key}`, insert: 'notes', row: row(key) })),
    });
    expect((await stored()).notes).toEqual(['a', 'b', 'c'].map((key) => ({ ...row(key), sequence: 41 })));
  });

  it('writes texts that look like what it puts values into', async () => {
    const odd = { entry: columnOf('entry', 'id'), said: "$1 :b0 \u0001 \\1 %s '' \u0000" };
    const batch = stamp(0);
    const [entry, ...rest] = batch.steps as [Step, ...Step[]];
    const steps = rest.map((step) =>
      step.name === 'note' && 'insert' in step
        ? { ...step, row: { ...step.row, text: textOf(jsonPieces(odd)) } }
        : step,
    );
    const results = await db.batch({ ...batch, steps: [entry, ...steps] });
    const { text } = (await stored()).notes[0]!;
    expect(JSON.parse(text)).toEqual({ ...odd, entry: results!['entry']!['id'] });
  });

  it('takes part in a transaction, and goes with it', async () => {
    await expect(
      db.write(async (tx) => {
        await tx.batch(stamp(0));
        throw new Error('taken back');
      }),
    ).rejects.toThrow('taken back');
    expect(await stored()).toEqual(untouched);
  });

  if (dialect === 'sqlite')
    it('fails where a step meets no row, and leaves nothing', async () => {
      const batch = stamp(0);
      const lost = { name: 'lost', update: 'clocks', set: { state: 'in' }, where: { person: 8 } };
      await expect(db.batch({ ...batch, steps: [...batch.steps, lost] })).rejects.toThrow('wrote nothing');
      expect(await stored()).toEqual(untouched);
    });

  it('refuses a name that is no identifier', async () => {
    const batch = stamp(0);
    await expect(
      db.batch({ ...batch, steps: [{ name: 'x', insert: 'notes; --', row: { key: 'a' } }] }),
    ).rejects.toThrow('not an identifier');
  });

  it('shares a commit with effects that wait, of which a failing one takes only itself back', async () => {
    const note = (key: string, fails: boolean) =>
      db.write(async (tx) => {
        await tx.run('INSERT INTO notes (key) VALUES (:key)', { key });
        if (fails) throw new Error(`no ${key}`);
        return key;
      });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) => note(`note ${index}`, index % 3 === 0)),
    );
    expect(outcomes.map((outcome) => outcome.status)).toEqual(
      Array.from({ length: 20 }, (_, index) => (index % 3 === 0 ? 'rejected' : 'fulfilled')),
    );
    const kept = await db.all<{ key: string }>('SELECT key FROM notes');
    expect(kept.map((row) => row.key).sort()).toEqual(
      outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : [])).sort(),
    );
  });
});

/** Until a statement waits for a lock. In a transaction, pg_stat_activity stays as it was at the first look. */
async function untilLocked(reader: Reader): Promise<void> {
  const waiting =
    "SELECT 1 AS one FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  while ((await reader.get(waiting)) === undefined);
}
