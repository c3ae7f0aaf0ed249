import type { Migration } from '@clockproof/platform/database/database';

/** Who decides requests in the place of an approver: on some days, or (without days) while the approver is away. */
export const substitutes: Migration = {
  id: '0750-substitutes',
  statements: (d) => [
    `CREATE TABLE approval_substitutes (
      id ${d.identity},
      company_id ${d.integer} NOT NULL REFERENCES companies (id),
      person_id ${d.integer} NOT NULL REFERENCES people (id),
      substitute_id ${d.integer} NOT NULL REFERENCES people (id),
      from_date TEXT,
      to_date TEXT,
      created_at ${d.integer} NOT NULL,
      CHECK ((from_date IS NULL) = (to_date IS NULL)))`,
    'CREATE INDEX approval_substitutes_of_person ON approval_substitutes (person_id)',
    'CREATE INDEX approval_substitutes_by_substitute ON approval_substitutes (substitute_id)',
    // Beside the record, whose hashes in the audit log stay as they are; the entry of the decision names the approver too.
    `CREATE TABLE approvals_decided_for (
      approval_id ${d.integer} PRIMARY KEY REFERENCES approvals (id) ON DELETE CASCADE,
      decided_for ${d.integer} NOT NULL)`,
  ],
};
