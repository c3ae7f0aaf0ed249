/** Closed months: no door writes into them. */
import type { Migration, Reader } from '@clockproof/platform/database/database';
import { monthOf, type LocalDate } from '@clockproof/platform/time/local-date';
import { Refusal } from '../refusal.js';

export const monthMigrations: readonly Migration[] = [{
  id: '0060-months',
  statements: (d) => [
    `CREATE TABLE closed_months (company_id ${d.integer} NOT NULL REFERENCES companies (id), month TEXT NOT NULL, closed_at ${d.integer} NOT NULL, PRIMARY KEY (company_id, month))`,
  ],
}];

/** @throws Refusal `month_closed` the month of `date` is closed in this company */
export async function refuseClosedMonth(reader: Reader, companyId: number, date: LocalDate): Promise<void> {
  if (await reader.get('SELECT 1 AS closed FROM closed_months WHERE company_id = :companyId AND month = :month', { companyId, month: monthOf(date) })) throw new Refusal('month_closed');
}
