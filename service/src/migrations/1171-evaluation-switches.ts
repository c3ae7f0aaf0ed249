import type { Migration } from '@clockproof/platform/database/database';

/** Which evaluations of people's data a company has switched off or on again; without a row one is on. */
export const evaluationSwitches: Migration = {
  id: '1171-evaluation-switches',
  statements: (d) => [
    `CREATE TABLE evaluation_switches (
      company_id ${d.integer} NOT NULL REFERENCES companies (id),
      evaluation TEXT NOT NULL,
      enabled ${d.integer} NOT NULL,
      changed_at ${d.integer} NOT NULL,
      changed_by ${d.integer} NOT NULL,
      PRIMARY KEY (company_id, evaluation))`,
  ],
};
