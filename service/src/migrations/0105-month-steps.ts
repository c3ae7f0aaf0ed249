import type { Migration } from '@clockproof/platform/database/database';

export const monthSteps: Migration = {
  id: '0105-month-steps',
  statements: (d) => [
    `ALTER TABLE closed_months ADD COLUMN closed_by ${d.integer}`,
    `ALTER TABLE closed_months ADD COLUMN settled ${d.integer} NOT NULL DEFAULT 0`,
    `CREATE TABLE month_steps (
      id ${d.identity}, company_id ${d.integer} NOT NULL REFERENCES companies (id), month TEXT NOT NULL, step TEXT NOT NULL, at ${d.integer} NOT NULL, person_id ${d.integer}, reason TEXT)`,
    'CREATE INDEX month_steps_by_company ON month_steps (company_id, month, id)',
    "INSERT INTO month_steps (company_id, month, step, at) SELECT company_id, month, 'closed', closed_at FROM closed_months",
  ],
};
