import type { Migration } from '@clockproof/platform/database/database';

/** What open months came to, as `balances/open-months.ts` last calculated them: a start need not begin from nothing. */
export const rememberedMonths: Migration = {
  id: '1190-remembered-months',
  statements: (d) => [
    `CREATE TABLE remembered_months (
      company_id ${d.integer} PRIMARY KEY REFERENCES companies (id),
      sequence ${d.integer} NOT NULL,
      settings TEXT NOT NULL,
      figures TEXT NOT NULL)`,
  ],
};
