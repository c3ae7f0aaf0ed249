import type { Migration } from '@clockproof/platform/database/database';

/** The keys of this database, each sealed with `DATA_KEY` (`sealing/data-keys.ts`). */
export const dataKeys: Migration = {
  id: '0610-data-keys',
  statements: (d) => [
    `CREATE TABLE data_keys (name TEXT PRIMARY KEY, sealed ${d.bytes} NOT NULL, created_at ${d.integer} NOT NULL)`,
  ],
};
