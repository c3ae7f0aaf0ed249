import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Batch, columnOf, jsonPieces, oneMoreThan, textOf } from '../src/database/batch.js';
import type { Database } from '../src/database/database.js';
import { openDatabase } from '../src/database/open.js';
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
