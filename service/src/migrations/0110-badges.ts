import type { Migration } from '@clockproof/platform/database/database';

export const badges: Migration = {
  id: '0110-badges',
  statements: (d) => [
    `CREATE TABLE company_card_keys (
      company_id ${d.integer} NOT NULL REFERENCES companies (id), version ${d.integer} NOT NULL, sealed ${d.bytes} NOT NULL, created_at ${d.integer} NOT NULL, PRIMARY KEY (company_id, version))`,
    `CREATE TABLE badges (
      id TEXT PRIMARY KEY, company_id ${d.integer} NOT NULL REFERENCES companies (id), person_id ${d.integer} NOT NULL REFERENCES people (id), uid_hash TEXT NOT NULL, state TEXT NOT NULL,
      family TEXT, aid TEXT, key_number ${d.integer} NOT NULL, key_version ${d.integer} NOT NULL, pin_tries ${d.integer} NOT NULL DEFAULT 0, pin_locked_until ${d.integer},
      created_at ${d.integer} NOT NULL, issued_at ${d.integer}, UNIQUE (company_id, uid_hash))`,
    'CREATE INDEX badges_by_person ON badges (person_id)',
    `CREATE TABLE pins (person_id ${d.integer} PRIMARY KEY REFERENCES people (id), hash TEXT NOT NULL, updated_at ${d.integer} NOT NULL)`,
  ],
};
