import type { Migration } from '@clockproof/platform/database/database';

export const monthBalances: Migration = {
  id: '0110-month-balances',
  statements: (d) => [
    `CREATE TABLE month_balances (
      company_id ${d.integer} NOT NULL REFERENCES companies (id), month TEXT NOT NULL, person_id ${d.integer} NOT NULL REFERENCES people (id), target_minutes ${d.integer} NOT NULL,
      worked_minutes ${d.integer} NOT NULL, difference_minutes ${d.integer} NOT NULL, absence_half_days ${d.integer} NOT NULL, findings ${d.integer} NOT NULL, PRIMARY KEY (company_id, month, person_id))`,
    'CREATE INDEX month_balances_by_person ON month_balances (person_id, month)',
  ],
};
