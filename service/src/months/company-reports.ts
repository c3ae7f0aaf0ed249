/** A company's month as an evaluation of its people, which the company can switch off. Closing a month is none. */
import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import type { CompanyRow } from '../people/rows.js';
import type { PersonId } from '../store/ids.js';
import type { Permit } from '../working-time/evaluations.js';
import type { Confidentiality } from '../working-time/special-rules.js';
import { type CompanyMonthReport, calculateCompanyMonth, type FoundOnDay, readCompanyMonth } from './company-month.js';

/** @param only lines of these people */
export function readMonthReport(
  reader: Reader,
  _permit: Permit<'month_reports'>,
  company: CompanyRow,
  month: string,
  at: Instant,
  only?: ReadonlySet<PersonId>,
): Promise<CompanyMonthReport> {
  return readCompanyMonth(reader, company, month, at, only);
}

/** Calls `onFinding` in order of date and person. */
export async function readFindings(
  reader: Reader,
  _permit: Permit<'findings'>,
  { company, month }: { readonly company: CompanyRow; readonly month: string },
  at: Instant,
  onFinding: (found: FoundOnDay) => void,
  confidentiality: Confidentiality,
): Promise<void> {
  await calculateCompanyMonth(reader, company, month, at, onFinding, confidentiality);
}
