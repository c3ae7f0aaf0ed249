import type { Migration } from '@clockproof/platform/database/database';

/** Who signed off a person's month, and what it said then. Rows are never changed: whether one still holds is compared. */
export const monthSignOffs: Migration = {
  id: '1150-month-sign-offs',
  statements: (d) => [
    `CREATE TABLE month_sign_offs (
      id ${d.identity},
      company_id ${d.integer} NOT NULL REFERENCES companies (id),
      person_id ${d.integer} NOT NULL REFERENCES people (id),
      month TEXT NOT NULL,
      role TEXT NOT NULL,
      signed_by ${d.integer} NOT NULL,
      at ${d.integer} NOT NULL,
      digest TEXT NOT NULL,
      content TEXT NOT NULL)`,
    'CREATE INDEX month_sign_offs_of_person ON month_sign_offs (person_id, month)',
  ],
};
