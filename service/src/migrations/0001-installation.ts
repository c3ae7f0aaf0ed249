import type { Migration } from '@clockproof/platform/database/database';

export const installation: Migration = {
  id: '0001-installation',
  statements: (d) => [
    `CREATE TABLE installation (one ${d.integer} PRIMARY KEY CHECK (one = 1), secret ${d.bytes} NOT NULL)`,
  ],
};
