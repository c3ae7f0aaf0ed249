/**
 * Closed months: nothing writes to them, nor to a tracked month before one. This is the one check of every change that
 * feeds the figures of a month, from every entry point.
 *
 * Writers lock before they check: a person's clock, or the company for changes that concern everyone. Closing locks the
 * company and the clocks of all its people. The second one waits and sees the commit of the first.
 */
import type { Reader } from '@clockproof/platform/database/database';
import { type LocalDate, monthOf, nextMonth } from '@clockproof/platform/time/local-date';
import type { CompanyId } from '../store/ids.js';
import { Refusal } from '../store/refusal.js';
import { closedInSpan, lastClosedMonth } from './closed-month-rows.js';

/** @throws Refusal `month_closed` the month of `date` is closed in this company, or a later one */
export function refuseClosedMonth(reader: Reader, companyId: CompanyId, date: LocalDate): Promise<void> {
  return refuseClosedSpan(reader, companyId, date, date);
}

/**
 * For changes over many months, including open-ended ones: a schedule, an employment.
 * @throws Refusal `month_closed` a month of the span is closed, or tracked and before a closed one
 */
export async function refuseClosedSpan(
  reader: Reader,
  companyId: CompanyId,
  from: LocalDate,
  to: LocalDate,
): Promise<void> {
  if (from <= to && (await closedInSpan(reader, companyId, monthOf(from), monthOf(to))))
    throw new Refusal('month_closed');
}

/** The first day that is not closed: nothing about a new person may feed earlier figures. */
export async function firstOpenDay(reader: Reader, companyId: CompanyId): Promise<LocalDate | undefined> {
  const lastMonth = await lastClosedMonth(reader, companyId);
  return lastMonth === undefined ? undefined : `${nextMonth(lastMonth)}-01`;
}
