import type { Migration } from '@clockproof/platform/database/database';

export const months: Migration = {
  id: '0060-months',
  statements: (d) => [
    `CREATE TABLE closed_months (company_id ${d.integer} NOT NULL REFERENCES companies (id), month TEXT NOT NULL, closed_at ${d.integer} NOT NULL, PRIMARY KEY (company_id, month))`,
  ],
};
