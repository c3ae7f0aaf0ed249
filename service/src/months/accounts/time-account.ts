/**
 * The time account of a person over some days: the difference of each month, and the bookings with their reasons. No
 * total is stored: a balance is the opening balance, the differences of the months and the bookings; it cannot drift
 * from the entries.
 */
import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { addDays, type LocalDate, lastDayOf, localDateAt } from '@clockproof/platform/time/local-date';
import type { PersonRow } from '../../people/rows.js';
import { type Minutes, minus } from '../calculated-days.js';
import { readPersonMonths, sumOfDays } from '../person-balance.js';
import { type AuthoredBooking, listBookingsOfPerson } from './booking-rows.js';
import { type FlexitimeLimits, limitsOf } from './flexitime-limits.js';

/** A change of the account, its day, and the balance after it. */
export type AccountLine = {
  readonly date: LocalDate;
  readonly minutes: number;
  readonly balanceMinutes: number;
} & (
  | { readonly kind: 'month'; readonly to: LocalDate; readonly sum: Minutes; readonly closed: boolean }
  | { readonly kind: 'booking'; readonly booking: AuthoredBooking }
);

export interface TimeAccount {
  readonly from: LocalDate;
  readonly to: LocalDate;
  /** At the end of the day before. */
  readonly openingMinutes: number;
  /** At the end of the last day, or of yesterday if that is earlier. */
  readonly balanceMinutes: number;
  readonly limits: FlexitimeLimits;
  readonly lines: readonly AccountLine[];
}

/**
 * The months of the account are those of the reports, so its balance at the end of a month is theirs. A month that is
 * shown in part is calculated from its days.
 * @param from not after `to`; the account begins with the tracking start date
 */
export async function readTimeAccount(
  reader: Reader,
  person: PersonRow,
  { from, to }: { readonly from: LocalDate; readonly to: LocalDate },
  at: Instant,
): Promise<TimeAccount> {
  const limits = await limitsOf(reader, person);
  const today = localDateAt(at, person.time_zone);
  const first = from < person.tracking_start ? person.tracking_start : from;
  const emptyAccount = {
    from,
    to,
    openingMinutes: person.opening_minutes,
    balanceMinutes: person.opening_minutes,
    limits,
  };
  if (to < first) return { ...emptyAccount, lines: [] };
  const months = (await readPersonMonths(reader, person, to.slice(0, 7), at)).filter(
    ({ month }) => month >= first.slice(0, 7),
  );
  const bookings = await listBookingsOfPerson(reader, person.id, { from: `${first.slice(0, 7)}-01`, to });
  const earlierBookings = bookings.filter(({ date }) => date < first);
  const laterBookings = bookings.filter(({ date }) => date >= first);
  const sumBefore = await sumOfDays(reader, person, { from: `${first.slice(0, 7)}-01`, to: addDays(first, -1) }, at);
  const openingMinutes = (months[0]?.carriedMinutes ?? 0) + sumBefore.differenceMinutes + minutesOf(earlierBookings);
  let balance = openingMinutes;
  const lines: AccountLine[] = [];
  for (const { month, sum: monthSum, closed: isClosed } of months) {
    const [start, end] = [`${month}-01`, lastDayOf(month)];
    const isComplete = to >= end || to >= today;
    const upTo = isComplete ? monthSum : await sumOfDays(reader, person, { from: start, to }, at);
    const sum = month === first.slice(0, 7) ? minus(upTo, sumBefore) : upTo;
    balance += sum.differenceMinutes;
    lines.push({
      kind: 'month',
      date: start < first ? first : start,
      to: to < end ? to : end,
      sum,
      closed: isClosed,
      minutes: sum.differenceMinutes,
      balanceMinutes: balance,
    });
    for (const booking of laterBookings.filter(({ date }) => date.startsWith(month))) {
      balance += booking.minutes;
      lines.push({ kind: 'booking', date: booking.date, booking, minutes: booking.minutes, balanceMinutes: balance });
    }
  }
  return { from, to, openingMinutes, balanceMinutes: balance, limits, lines };
}

const minutesOf = (bookings: readonly AuthoredBooking[]) => bookings.reduce((sum, { minutes }) => sum + minutes, 0);
