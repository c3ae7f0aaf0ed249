import type { Migration } from '@clockproof/platform/database/database';

/**
 * Special rules of working-time law that hold for a person for a time, and what the law allows or asks of a company's
 * branch. `valid_to` null: until further notice.
 */
export const specialRules: Migration = {
  id: '1250-special-rules',
  statements: (d) => [
    `CREATE TABLE special_rules (
      id ${d.identity},
      company_id ${d.integer} NOT NULL REFERENCES companies (id),
      person_id ${d.integer} NOT NULL REFERENCES people (id),
      kind TEXT NOT NULL,
      valid_from TEXT NOT NULL,
      valid_to TEXT,
      evening_work ${d.integer} NOT NULL,
      CHECK (valid_to IS NULL OR valid_to >= valid_from))`,
    'CREATE UNIQUE INDEX special_rules_of_person ON special_rules (person_id, kind, valid_from)',
    'CREATE INDEX special_rules_of_company ON special_rules (company_id, person_id)',
    'ALTER TABLE companies ADD COLUMN short_rest_branch TEXT',
    `ALTER TABLE companies ADD COLUMN record_duty ${d.integer} NOT NULL DEFAULT 0`,
  ],
};
