/** A company's month as an evaluation of its people, which the company can switch off. Closing a month is none. */
import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import type { CompanyRow } from '../people/rows.js';
import type { PersonId } from '../store/ids.js';
import type { Permit } from '../working-time/evaluations.js';
import {
  type CalculationOptions,
  type CompanyMonthReport,
  calculateCompanyMonth,
  readCompanyMonth,
} from './company-month.js';

interface CompanyMonth {
  readonly company: CompanyRow;
  readonly month: string;
}

/** @param personIds lines of these people */
export function readMonthReport(
  reader: Reader,
  _permit: Permit<'month_reports'>,
  { company, month }: CompanyMonth,
  at: Instant,
  personIds?: ReadonlySet<PersonId>,
): Promise<CompanyMonthReport> {
  return readCompanyMonth(reader, company, month, at, personIds);
}

export async function readFindings(
  reader: Reader,
  _permit: Permit<'findings'>,
  { company, month }: CompanyMonth,
  at: Instant,
  options: Required<Pick<CalculationOptions, 'onFinding' | 'confidentiality'>>,
): Promise<void> {
  await calculateCompanyMonth(reader, company, month, at, options);
}
