import type { Migration } from '@clockproof/platform/database/database';

export const removals: Migration = {
  id: '0200-removals',
  statements: (d) => [
    // `person_id` only while the person exists: a personal link sees what was removed of its own person.
    `CREATE TABLE removals (
      kind TEXT NOT NULL, id ${d.integer} NOT NULL, company_id ${d.integer} NOT NULL, person_id ${d.integer}, removed_at ${d.integer} NOT NULL, changed ${d.integer} NOT NULL,
      PRIMARY KEY (kind, id))`,
    'CREATE INDEX removals_by_change ON removals (kind, changed, id)',
    'CREATE INDEX removals_by_age ON removals (removed_at)',
  ],
};
