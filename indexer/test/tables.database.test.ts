import { readFileSync } from 'node:fs';
import { openDatabase } from '@clockproof/platform/database/open';
import { createTestDatabase, dialects } from '@clockproof/platform/testing/databases';
import { readTables } from '@clockproof/platform/tools/read-tables';
import { tablesModule } from '@clockproof/platform/tools/tables-module';
import { describe, expect, it } from '@jest/globals';
import { migrations } from '../src/store/schema.js';
import { columnTypes } from '../tools/column-types.js';

const generatedTables = readFileSync(new URL('../src/generated/tables.ts', import.meta.url), 'utf8');

describe.each(dialects)('row types of the index on %s', (dialect) => {
  it('are those of the migrated schema: columns, kinds, nullability and defaults', async () => {
    const home = await createTestDatabase(dialect, migrations);
    const db = await openDatabase(home.settings);
    try {
      expect(tablesModule(await readTables(db), columnTypes)).toBe(generatedTables);
    } finally {
      await db.close();
      await home.drop();
    }
  });
});
