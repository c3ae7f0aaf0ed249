import type { Migration } from '@clockproof/platform/database/database';

/** What a company exports for payroll: its wage types, and the columns of the file. */
export const payrollSettings: Migration = {
  id: '1170-payroll-settings',
  statements: (d) => [
    `CREATE TABLE payroll_settings (
      company_id ${d.integer} PRIMARY KEY REFERENCES companies (id),
      wage_types TEXT NOT NULL,
      columns TEXT NOT NULL,
      decimal_mark TEXT NOT NULL)`,
  ],
};
