/**
 * Closed months: nothing writes to them.
 *
 * Writers check *after* allocating their number in the commit sequence (`allocateSequence`), and so does closing. Both hold
 * it until they commit, so a write either comes before the closing or sees the month closed; none slips in between.
 */
import type { Reader } from '@clockproof/platform/database/database';
import { type LocalDate, monthOf } from '@clockproof/platform/time/local-date';
import type { CompanyId } from '../ids.js';
import { Refusal } from '../refusal.js';
import { closedInSpan, findClosedMonth } from './rows.js';

/** @throws Refusal `month_closed` the month of `date` is closed in this company */
export async function refuseClosedMonth(reader: Reader, companyId: CompanyId, date: LocalDate): Promise<void> {
  if ((await findClosedMonth(reader, companyId, monthOf(date))) !== undefined) throw new Refusal('month_closed');
}

/**
 * For changes over many months, including open-ended ones: a schedule, an employment.
 * @throws Refusal `month_closed` a month of the span is closed
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
