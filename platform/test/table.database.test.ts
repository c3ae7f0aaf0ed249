import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Database, Migration } from '../src/database/database.js';
import { openDatabase } from '../src/database/open.js';
import { type Change, expression, statementOf, tableWrites } from '../src/database/table.js';
import { createTestDatabase, dialects, type TestDatabase } from '../src/testing/databases.js';

interface Tables {
  readonly stamps: {
    readonly id: number;
    readonly person: number;
    readonly at: number;
    readonly note: string | null;
    readonly photo: Uint8Array | null;
    readonly state: 'new' | 'seen';
  };
}
interface Defaults {
  readonly stamps: 'id' | 'state';
}
const {
  insert,
  insertReturning,
  insertIfAbsent,
  insertFrom,
  upsert,
  update,
  updateReturning,
  updateWhere,
  updateWhereReturning,
  remove,
  removeWhere,
} = tableWrites<Tables, Defaults>();

const stamps: Migration = {
  id: '0001-stamps',
  statements: (d) => [
    `CREATE TABLE stamps (id ${d.identity}, person ${d.integer} NOT NULL UNIQUE, at ${d.integer} NOT NULL, note TEXT, photo ${d.bytes}, state TEXT NOT NULL DEFAULT 'new')`,
  ],
};

describe.each(dialects)('writes by table and row on %s', (dialect) => {
  let home: TestDatabase;
  let db: Database;
  beforeEach(async () => {
    home = await createTestDatabase(dialect);
    db = await openDatabase(home.settings);
    await db.migrate([stamps]);
  });
  afterEach(async () => {
    await db.close();
    await home.drop();
  });
  const readAll = () => db.all('SELECT * FROM stamps ORDER BY id');
  const row = { id: 1, person: 7, at: 5, note: null, photo: null, state: 'new' };

  it('an insert writes the named columns and leaves the rest to the schema', async () => {
    await db.write((tx) => insert(tx, 'stamps', { person: 7, at: 5 }));
    await db.write((tx) =>
      insert(tx, 'stamps', { person: 8, at: 6, note: "O'Neil :at", photo: Buffer.from([0, 255]), state: 'seen' }),
    );
    expect(await readAll()).toEqual([
      row,
      { id: 2, person: 8, at: 6, note: "O'Neil :at", photo: Buffer.from([0, 255]), state: 'seen' },
    ]);
  });

  it('a write returns the row as stored', async () => {
    expect(await db.write((tx) => insertReturning(tx, 'stamps', { person: 7, at: 5 }))).toEqual(row);
  });

  it('an insert says whether the row already existed', async () => {
    expect(await db.write((tx) => insertIfAbsent(tx, 'stamps', { person: 7, at: 5 }))).toBe(true);
    expect(await db.write((tx) => insertIfAbsent(tx, 'stamps', { person: 7, at: 6 }))).toBe(false);
    expect(await readAll()).toEqual([row]);
    await expect(db.write((tx) => insert(tx, 'stamps', { person: 7, at: 6 }))).rejects.toThrow(/unique/i);
  });

  it('a put replaces the row with the same key', async () => {
    await db.write((tx) => insert(tx, 'stamps', { person: 7, at: 4, note: 'kept', state: 'seen' }));
    for (const at of [5, 6]) await db.write((tx) => upsert(tx, 'stamps', ['person'], { person: 7, at, state: 'new' }));
    await db.write((tx) => upsert(tx, 'stamps', ['person'], { person: 8, at: 1 }));
    expect(await db.all('SELECT person, at, note, state FROM stamps ORDER BY person')).toEqual([
      { person: 7, at: 6, note: 'kept', state: 'new' },
      { person: 8, at: 1, note: null, state: 'new' },
    ]);
  });

  it('an update changes the rows with every value of the key, and no others', async () => {
    for (const [person, at] of [
      [7, 5],
      [8, 5],
      [9, 6],
    ] as const)
      await db.write((tx) => insert(tx, 'stamps', { person, at }));
    expect(await db.write((tx) => update(tx, 'stamps', { at: 5, person: 8 }, { at: 9, note: 'moved' }))).toBe(1);
    expect(await db.write((tx) => update(tx, 'stamps', { person: 1 }, { at: 9 }))).toBe(0);
    // A column may be found by and changed at once.
    expect(await db.write((tx) => updateReturning(tx, 'stamps', { person: 9 }, { person: 10 }))).toEqual([
      { ...row, id: 3, person: 10, at: 6 },
    ]);
    expect(await db.all('SELECT person, at, note FROM stamps ORDER BY id')).toEqual([
      { person: 7, at: 5, note: null },
      { person: 8, at: 9, note: 'moved' },
      { person: 10, at: 6, note: null },
    ]);
  });

  it('updates and deletes by condition return the rows as stored', async () => {
    await db.write(async (tx) => {
      for (const person of [7, 8, 9]) await insert(tx, 'stamps', { person, at: person });
      expect(
        await updateWhereReturning(tx, 'stamps', { at: expression('at + 1') }, 'at > :least', { least: 7 }),
      ).toMatchObject([
        { person: 8, at: 9 },
        { person: 9, at: 10 },
      ]);
      expect(await updateWhere(tx, 'stamps', { state: 'seen' }, "state = 'new' AND at < :most", { most: 10 })).toBe(2);
      expect(await removeWhere(tx, 'stamps', "state = 'seen' AND at > :least", { least: 7 })).toBe(1);
      expect(await remove(tx, 'stamps', { person: 7, at: 7 })).toBe(1);
      expect(await remove(tx, 'stamps', { person: 7 })).toBe(0);
    });
    expect(await readAll()).toEqual([{ ...row, id: 3, person: 9, at: 10 }]);
  });

  it('an insert takes the rows of a SELECT', async () => {
    await db.write(async (tx) => {
      await insert(tx, 'stamps', { person: 7, at: 5 });
      const copiedCount = await insertFrom(
        tx,
        'stamps',
        ['person', 'at'],
        'SELECT person + :by, at FROM stamps WHERE 1 = 1 ON CONFLICT DO NOTHING',
        { by: 1 },
      );
      expect(copiedCount).toBe(1);
    });
    expect(await readAll()).toEqual([row, { ...row, id: 2, person: 8 }]);
  });
});

describe('the statements of changes', () => {
  it('the statements of a table and its columns have one text, so that they stay prepared', () => {
    expect(statementOf({ verb: 'insert', table: 'stamps', row: { person: 1, at: 2 } })).toEqual({
      sql: 'INSERT INTO stamps (person, at) VALUES (:person, :at)',
      parameters: { person: 1, at: 2 },
    });
    expect(
      statementOf({ verb: 'update', table: 'stamps', patch: { at: 2, note: null }, where: { key: { person: 1 } } }),
    ).toEqual({
      sql: 'UPDATE stamps SET at = :at, note = :note WHERE person = :key_person',
      parameters: { key_person: 1, at: 2, note: null },
    });
  });

  const [table, patch] = ['stamps', { at: 1 }];
  it.each<[string, Change]>([
    ['a column that is no identifier', { verb: 'insert', table, row: { 'at) VALUES (1); --': 1 } }],
    ['a table that is no identifier', { verb: 'insert', table: 'stamps; --', row: patch }],
    ['a key that is no identifier', { verb: 'update', table, patch, where: { key: { '1 = 1 OR at': 1 } } }],
    [
      'a changed column that is no identifier',
      { verb: 'update', table, patch: { 'at = 2 --': 1 }, where: { key: patch } },
    ],
    ['an empty row', { verb: 'insert', table, row: {} }],
    ['an update of every row', { verb: 'update', table, patch, where: { key: {} } }],
    ['an update of nothing', { verb: 'update', table, patch: {}, where: { key: patch } }],
    ['a removal of every row', { verb: 'remove', table, where: { key: {} } }],
    [
      'a parameter with the name of a changed column',
      { verb: 'update', table, patch, where: { condition: 'at > :at', parameters: { at: 2 } } },
    ],
  ])('a table write refuses %s', (_, change) => {
    expect(() => statementOf(change)).toThrow(TypeError);
  });
});
