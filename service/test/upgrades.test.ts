import { readdirSync, readFileSync } from 'node:fs';
import type { Database, Row } from '@clockproof/platform/database/database';
import { openDatabase } from '@clockproof/platform/database/open';
import { createTestDatabase, dialects } from '@clockproof/platform/testing/databases';
import { describe, expect, it } from '@jest/globals';
import { migrations } from '../src/migrations/migrations.js';
import { describeSchema } from './schema.js';

const home = new URL('./databases/', import.meta.url);
/** Databases of earlier versions with rows in every table, frozen as SQL: `first` is the oldest schema there was. */
const versions = (dialect: string) =>
  readdirSync(home)
    .filter((name) => name.endsWith(`.${dialect}.sql`))
    .map((name) => name.slice(0, -`.${dialect}.sql`.length));

async function withDatabase(dialect: 'sqlite' | 'postgres', use: (db: Database) => Promise<void>): Promise<void> {
  const settings = await createTestDatabase(dialect);
  const db = await openDatabase(settings.settings);
  try {
    await use(db);
  } finally {
    await db.close();
    await settings.drop();
  }
}

async function load(db: Database, version: string): Promise<void> {
  const text = readFileSync(new URL(`${version}.${db.dialect.name}.sql`, home), 'utf8');
  await db.write(async (tx) => {
    for (const statement of text.split(/;\n\n/).filter((statement) => statement !== '')) await tx.run(statement);
  });
}

/** Every row of every table of the product. */
async function readAll(db: Database): Promise<ReadonlyMap<string, readonly Row[]>> {
  const names = await db.all<{ name: string }>(
    db.dialect.name === 'sqlite'
      ? "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
      : 'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()',
  );
  const tables = new Map<string, readonly Row[]>();
  for (const { name } of names) tables.set(name, await db.all(`SELECT * FROM ${name}`));
  return tables;
}

describe.each(dialects)('upgrades on %s', (dialect) => {
  it('start from at least one released version', () => {
    expect(versions(dialect)).toEqual(expect.arrayContaining(['1.2.0', 'first']));
  });

  it.each(versions(dialect))('from %s end with the schema of a fresh database, and keep every row', async (version) => {
    await withDatabase(dialect, async (fresh) => {
      await fresh.migrate(migrations);
      await withDatabase(dialect, async (db) => {
        await load(db, version);
        const before = await readAll(db);
        expect([...before].filter(([, rows]) => rows.length === 0).map(([name]) => name)).toEqual([]);

        await db.migrate(migrations);
        expect(await describeSchema(db)).toEqual(await describeSchema(fresh));
        const after = await readAll(db);
        for (const [table, rows] of before)
          expect({ table, rows: after.get(table) }).toEqual({
            table,
            rows: expect.arrayContaining(rows.map((row) => expect.objectContaining(row))),
          });
        // Ids go on behind those that were there.
        const entry = await db.write((tx) =>
          tx.get("INSERT INTO departments (company_id, name) VALUES (1, 'Added later') RETURNING id"),
        );
        expect(entry).toEqual({ id: 2 });
      });
    });
  });

  it.each([
    'CREATE TABLE more (id INTEGER)',
    'ALTER TABLE departments ADD COLUMN floor INTEGER',
    'CREATE INDEX departments_by_name ON departments (name)',
    'DROP INDEX one_open_entry',
    dialect === 'sqlite'
      ? 'DROP TRIGGER audit_entries_no_update'
      : 'DROP TRIGGER audit_entries_append_only ON audit_entries',
    ...(dialect === 'postgres'
      ? [
          'ALTER TABLE departments ALTER COLUMN name DROP NOT NULL',
          "ALTER TABLE departments ALTER COLUMN name SET DEFAULT 'x'",
          'ALTER TABLE companies ALTER COLUMN active TYPE INTEGER',
          'ALTER TABLE approvals DROP CONSTRAINT approvals_check',
          'ALTER TABLE rate_limits SET LOGGED',
        ]
      : []),
  ])('would notice %s', async (statement) => {
    await withDatabase(dialect, async (db) => {
      await db.migrate(migrations);
      const before = await describeSchema(db);
      await db.write((tx) => tx.run(statement));
      expect(await describeSchema(db)).not.toEqual(before);
    });
  });

  if (dialect === 'sqlite')
    it.each([
      [
        'nullability',
        'CREATE TABLE more (a INTEGER NOT NULL DEFAULT 1 CHECK (a > 0))',
        'CREATE TABLE more (a INTEGER DEFAULT 1 CHECK (a > 0))',
      ],
      [
        'a default',
        'CREATE TABLE more (a INTEGER NOT NULL DEFAULT 1)',
        'CREATE TABLE more (a INTEGER NOT NULL DEFAULT 2)',
      ],
      ['a type', 'CREATE TABLE more (a INTEGER)', 'CREATE TABLE more (a TEXT)'],
      ['a check', 'CREATE TABLE more (a INTEGER CHECK ((a > 0)))', 'CREATE TABLE more (a INTEGER CHECK ((a > 1)))'],
      ['a unique column', 'CREATE TABLE more (a INTEGER UNIQUE)', 'CREATE TABLE more (a INTEGER)'],
      ['a reference', 'CREATE TABLE more (a INTEGER REFERENCES people (id))', 'CREATE TABLE more (a INTEGER)'],
    ])('would notice %s', async (_, one, other) => {
      const described = [one, other].map(async (statement) => {
        let schema: readonly string[] = [];
        await withDatabase(dialect, async (db) => {
          await db.write((tx) => tx.run(statement));
          schema = await describeSchema(db);
        });
        return schema;
      });
      const [left, right] = await Promise.all(described);
      expect(left).not.toEqual(right);
    });
});
