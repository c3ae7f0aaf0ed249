/** Days and months of one person. */
import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { type LocalDate, lastDayOf } from '@clockproof/platform/time/local-date';
import type { Viewer } from '../absences/deciders/approver-scope.js';
import type { PersonRow } from '../people/rows.js';
import { lastClosedMonth } from '../working-time/closed-month-rows.js';
import { bookedByMonth } from './accounts/booking-rows.js';
import { type Minutes, noMinutes, type PersonDay, sumOf } from './calculated-days.js';
import { readMinutes } from './minutes.js';
import { monthsBetween } from './months.js';
import { readDays } from './people-days.js';
import { listStoredOfPerson } from './rows.js';
import { type Span, settingsFor } from './targets.js';

/**
 * Days of a person, both ends included, with the findings that everyone may know.
 * @param openUntil see {@link readDaysForViewer}
 */
export function readPersonDays(
  reader: Reader,
  person: PersonRow,
  from: LocalDate,
  to: LocalDate,
  openUntil?: Instant,
): Promise<readonly PersonDay[]> {
  return readDaysForViewer(reader, person, { from, to }, openUntil, { confidentiality: 'general', presence: true });
}

/**
 * The open entry counts on its day, up to now; months leave it out until it has ended. Findings are those of the
 * working day that began on the date.
 * @param openUntil now, to count the open entry; absent to leave it out
 * @param viewer their view of the person; without `presence`, it hides that the person is at work now
 */
export async function readDaysForViewer(
  reader: Reader,
  person: PersonRow,
  span: Span,
  openUntil: Instant | undefined,
  { confidentiality, presence }: Pick<Viewer, 'confidentiality' | 'presence'>,
): Promise<readonly PersonDay[]> {
  const options = { at: openUntil, countsOpenEntry: true, confidentiality, presence };
  for await (const { days } of readDays(reader, settingsFor(person), [person], span, options)) return days;
  return [];
}

export interface MonthOfPerson {
  readonly month: string;
  readonly sum: Minutes;
  /** Carried over from the previous month. */
  readonly carriedMinutes: number;
  /** Sum of the bookings in the account. */
  readonly bookedMinutes: number;
  /** Carried, plus difference, plus booked. */
  readonly balanceMinutes: number;
  readonly closed: boolean;
}

/**
 * A person's months from the tracking start date up to a month. Stored figures for closed months; the open ones follow
 * them and are calculated together.
 */
export async function readPersonMonths(
  reader: Reader,
  person: PersonRow,
  last: string,
  at: Instant,
): Promise<MonthOfPerson[]> {
  const months = monthsBetween(person.tracking_start.slice(0, 7), last);
  if (months.length === 0) return [];
  const [closedUntil, storedRows, bookingsByMonth] = await Promise.all([
    lastClosedMonth(reader, person.company_id),
    listStoredOfPerson(reader, person.id, person.company_id),
    bookedByMonth(reader, person.id),
  ]);
  const isClosed = (month: string) => closedUntil !== undefined && month <= closedUntil;
  const sums = new Map<string, Minutes>(storedRows.map((row) => [row.month, sumOf(row)]));
  const firstOpen = months.find((month) => !isClosed(month));
  if (firstOpen !== undefined) {
    const span = { from: `${firstOpen}-01`, to: lastDayOf(last) };
    const minutes = await readMinutes(reader, settingsFor(person), [person], span, at);
    for (const [month, sum] of minutes.get(person.id) ?? []) sums.set(month, sum);
  }
  let balance = person.opening_minutes;
  return months.map((month) => {
    // A closed month without figures of the person was closed without them.
    const sum = sums.get(month) ?? noMinutes;
    const [carriedMinutes, bookedMinutes] = [balance, bookingsByMonth.get(month) ?? 0];
    balance += sum.differenceMinutes + bookedMinutes;
    return { month, sum, carriedMinutes, bookedMinutes, balanceMinutes: balance, closed: isClosed(month) };
  });
}

/** A month in which nothing has been tracked: the balance stays the same. */
export function untrackedMonth(month: string, balanceMinutes: number): MonthOfPerson {
  return {
    month,
    sum: noMinutes,
    carriedMinutes: balanceMinutes,
    bookedMinutes: 0,
    balanceMinutes,
    closed: false,
  };
}

/** The minutes of some days of one month, as far as they are over. */
export async function sumOfDays(reader: Reader, person: PersonRow, span: Span, at: Instant): Promise<Minutes> {
  const minutes = await readMinutes(reader, settingsFor(person), [person], span, at);
  return minutes.get(person.id)?.get(span.from.slice(0, 7)) ?? noMinutes;
}
