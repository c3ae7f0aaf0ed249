import type { Migration } from '@clockproof/platform/database/database';

export const dataKey: Migration = {
  id: '0100-data-key',
  statements: (d) => [
    `CREATE TABLE data_key_check (one ${d.integer} PRIMARY KEY CHECK (one = 1), value TEXT NOT NULL)`,
  ],
};
