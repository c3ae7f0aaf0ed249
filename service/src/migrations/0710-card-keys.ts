import type { Migration } from '@clockproof/platform/database/database';

/** Replacing the card key of a company, and cards whose master key is the company's. */
export const cardKeys: Migration = {
  id: '0710-card-keys',
  statements: (d) => [
    `ALTER TABLE badges ADD COLUMN locked ${d.integer} NOT NULL DEFAULT 0`,
    `ALTER TABLE badges ADD COLUMN renewing_to ${d.integer}`,
    `CREATE TABLE card_settings (company_id ${d.integer} PRIMARY KEY REFERENCES companies (id), lock_cards ${d.integer} NOT NULL)`,
  ],
};
