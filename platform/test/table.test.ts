import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Database, Migration } from '../src/database/database.js';
import { openDatabase } from '../src/database/open.js';
import { tableWrites } from '../src/database/table.js';
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
const { insert, insertReturning, insertIfAbsent, upsert, update, updateReturning, insertStatement, updateStatement } =
  tableWrites<Tables, Defaults>();

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
  const all = () => db.all('SELECT * FROM stamps ORDER BY id');
  const row = { id: 1, person: 7, at: 5, note: null, photo: null, state: 'new' };

  it('insert what is named and leave the rest to the schema', async () => {
    await db.write((tx) => insert(tx, 'stamps', { person: 7, at: 5 }));
    await db.write((tx) =>
      insert(tx, 'stamps', { person: 8, at: 6, note: "O'Neil :at", photo: Buffer.from([0, 255]), state: 'seen' }),
    );
    expect(await all()).toEqual([
      row,
      { id: 2, person: 8, at: 6, note: "O'Neil :at", photo: Buffer.from([0, 255]), state: 'seen' },
    ]);
  });

  it('answer the row as stored', async () => {
    expect(await db.write((tx) => insertReturning(tx, 'stamps', { person: 7, at: 5 }))).toEqual(row);
  });

  it('say whether an insert met a row that was there', async () => {
    expect(await db.write((tx) => insertIfAbsent(tx, 'stamps', { person: 7, at: 5 }))).toBe(true);
    expect(await db.write((tx) => insertIfAbsent(tx, 'stamps', { person: 7, at: 6 }))).toBe(false);
    expect(await all()).toEqual([row]);
    await expect(db.write((tx) => insert(tx, 'stamps', { person: 7, at: 6 }))).rejects.toThrow(/unique/i);
  });

  it('put a row in the place of the one with the same key', async () => {
    await db.write((tx) => insert(tx, 'stamps', { person: 7, at: 4, note: 'kept', state: 'seen' }));
    for (const at of [5, 6]) await db.write((tx) => upsert(tx, 'stamps', ['person'], { person: 7, at, state: 'new' }));
    await db.write((tx) => upsert(tx, 'stamps', ['person'], { person: 8, at: 1 }));
    expect(await db.all('SELECT person, at, note, state FROM stamps ORDER BY person')).toEqual([
      { person: 7, at: 6, note: 'kept', state: 'new' },
      { person: 8, at: 1, note: null, state: 'new' },
    ]);
  });

  it('update the rows that have every value of the key, and no others', async () => {
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

  it('hand out the statement they would run', async () => {
    const statements = [
      insertStatement('stamps', { person: 7, at: 5 }),
      updateStatement('stamps', { person: 7 }, { at: 6 }),
    ];
    await db.write(async (tx) => {
      for (const { sql, parameters } of statements) await tx.run(sql, parameters);
    });
    expect(await all()).toEqual([{ ...row, at: 6 }]);
  });
});

describe('the statements of writes', () => {
  it('have one text for a table and its columns, so that they stay prepared', () => {
    expect(insertStatement('stamps', { person: 1, at: 2 })).toEqual({
      sql: 'INSERT INTO stamps (person, at) VALUES (:person, :at)',
      parameters: { person: 1, at: 2 },
    });
    expect(updateStatement('stamps', { person: 1 }, { at: 2, note: null })).toEqual({
      sql: 'UPDATE stamps SET at = :at, note = :note WHERE person = :key_person',
      parameters: { key_person: 1, at: 2, note: null },
    });
  });

  const anything = tableWrites<Record<string, Record<string, number>>, Record<string, string>>();
  it.each([
    ['a column that is no identifier', () => anything.insertStatement('stamps', { 'at) VALUES (1); --': 1 })],
    ['a table that is no identifier', () => anything.insertStatement('stamps; --', { at: 1 })],
    ['a key that is no identifier', () => anything.updateStatement('stamps', { '1 = 1 OR at': 1 }, { at: 1 })],
    ['a changed column that is no identifier', () => anything.updateStatement('stamps', { at: 1 }, { 'at = 2 --': 1 })],
    ['an empty row', () => anything.insertStatement('stamps', {})],
    ['an update of every row', () => anything.updateStatement('stamps', {}, { at: 1 })],
    ['an update of nothing', () => anything.updateStatement('stamps', { at: 1 }, {})],
  ])('refuse %s', (_, compose) => {
    expect(compose).toThrow(TypeError);
  });
});
