import { readFileSync } from 'node:fs';
import { openDatabase } from '@clockproof/platform/database/open';
import { createTestDatabase, dialects } from '@clockproof/platform/testing/databases';
import { type Column, readTables, type Table } from '@clockproof/platform/tools/read-tables';
import { tablesModule } from '@clockproof/platform/tools/tables-module';
import { describe, expect, it } from '@jest/globals';
import { migrations } from '../../src/store/migrations/migrations.js';
import { columnTypes } from '../../tools/column-types.js';

const generatedModule = readFileSync(new URL('../../src/generated/tables.ts', import.meta.url), 'utf8');

async function migratedTables(dialect: (typeof dialects)[number]): Promise<readonly Table[]> {
  const home = await createTestDatabase(dialect, migrations);
  const db = await openDatabase(home.settings);
  try {
    return await readTables(db);
  } finally {
    await db.close();
    await home.drop();
  }
}

describe.each(dialects)('row types on %s', (dialect) => {
  it('row types are those of the migrated schema: columns, kinds, nullability and defaults', async () => {
    expect(tablesModule(await migratedTables(dialect), columnTypes)).toBe(generatedModule);
  });

  it('a hand-written row type for a missing column, or of another kind, is refused', async () => {
    const tables = await migratedTables(dialect);
    const changeValidFrom = (change: (column: Column) => Column[]) =>
      tables.map((table) => ({
        ...table,
        columns: table.columns.flatMap((column) => (column.name === 'valid_from' ? change(column) : [column])),
      }));
    expect(() =>
      tablesModule(
        changeValidFrom((column) => [{ ...column, kind: 'integer' }]),
        columnTypes,
      ),
    ).toThrow('schedules.valid_from is integer, LocalDate is text');
    expect(() =>
      tablesModule(
        changeValidFrom((column) => [{ ...column, name: 'begins' }]),
        columnTypes,
      ),
    ).toThrow('column-types.ts names what is not in the schema: valid_from');
  });
});
