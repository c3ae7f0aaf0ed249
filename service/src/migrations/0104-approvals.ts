import type { Migration } from '@clockproof/platform/database/database';

export const approvals: Migration = {
  id: '0104-approvals',
  statements: (d) => [
    `CREATE TABLE approvals (
      id ${d.identity}, company_id ${d.integer} NOT NULL REFERENCES companies (id), person_id ${d.integer} NOT NULL REFERENCES people (id), kind TEXT NOT NULL, subject_id ${d.integer} NOT NULL,
      from_date TEXT NOT NULL, to_date TEXT NOT NULL, status TEXT NOT NULL, requested_at ${d.integer} NOT NULL, decided_by ${d.integer}, decided_at ${d.integer}, comment TEXT,
      CHECK ((status = 'waiting') = (decided_at IS NULL)))`,
    "CREATE UNIQUE INDEX approvals_waiting ON approvals (kind, subject_id) WHERE status = 'waiting'",
    'CREATE INDEX approvals_by_company ON approvals (company_id, status, id)',
    'CREATE INDEX approvals_by_person ON approvals (person_id, status, id)',
    'CREATE INDEX approvals_by_subject ON approvals (kind, subject_id, id)',
  ],
};
