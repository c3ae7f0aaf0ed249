/**
 * Bookings of a time account: corrections, payouts and expiry by an admin, each with a reason, and the cuts of closing
 * a month. None is ever changed or deleted. A counter booking cancels one, so the account shows every step.
 */
import { type LocalDate, lastDayOf, localDateAt } from '@clockproof/platform/time/local-date';
import { keepValues } from '../../people/personal-values.js';
import { findPerson, type PersonRow } from '../../people/rows.js';
import type { CompanyId, PersonId } from '../../store/ids.js';
import { invalidField, Refusal } from '../../store/refusal.js';
import type { Write } from '../../store/write.js';
import { refuseClosedMonth } from '../../working-time/closed-months.js';
import { findTimeBooking, insertTimeBooking, listCaps, type TimeBookingRow } from './booking-rows.js';
import { aboveLimit, limitsInCompany } from './flexitime-limits.js';

export interface TimeBooking {
  readonly kind: 'correction' | 'payout' | 'expiry';
  /** Minutes added, or taken away if negative. */
  readonly minutes: number;
  /** The day from which it counts. */
  readonly date: LocalDate;
  readonly reason: string;
  readonly by: PersonId;
}

/**
 * Adds a booking.
 *
 * If the process stops before the commit, nothing is booked; after it, the booking stands with its entry.
 * @throws Refusal `invalid_request` it books nothing, adds minutes although its kind only takes them away, or its day
 * lies in the future or before the tracking start date; `month_closed`
 */
export async function addTimeBooking(write: Write, person: PersonRow, booking: TimeBooking): Promise<TimeBookingRow> {
  const { kind, minutes, date, reason, by } = booking;
  if (minutes === 0) throw invalidField('minutes', 'out_of_range', 'A booking adds or takes away minutes.');
  if (kind !== 'correction' && minutes > 0)
    throw invalidField('minutes', 'out_of_range', 'This kind only takes minutes away.');
  const { company_id: companyId, id } = await refuseDay(write, person, date);
  const row = await insertTimeBooking(write, {
    company_id: companyId,
    person_id: id,
    kind,
    date,
    minutes,
    reason,
    cancels: null,
    booked_by: by,
    booked_at: write.at,
  });
  await write.audit({
    companyId,
    action: 'time.booked',
    subject: `person ${id}`,
    details: { booking: row.id, ...(await keepValues(write, id, { kind, date, minutes })) },
  });
  return row;
}

/** @throws Refusal `invalid_request`, `month_closed`, `not_found` erased meanwhile */
async function refuseDay(write: Write, { id, company_id: companyId }: PersonRow, date: LocalDate): Promise<PersonRow> {
  // Closing a month and a new opening balance lock the person too: they come before or after.
  await write.lock({ people: [id] });
  const person = await findPerson(write, id, { company: companyId });
  if (person === undefined) throw new Refusal('not_found');
  if (date < person.tracking_start)
    throw invalidField('date', 'out_of_range', `The account begins on ${person.tracking_start}.`);
  if (date > localDateAt(write.at, person.time_zone))
    throw invalidField('date', 'in_future', 'The day lies in the future.');
  await refuseClosedMonth(write, companyId, date);
  return person;
}

/**
 * Cancels a booking by a counter booking.
 *
 * If the process stops before the commit, the booking still counts; after it, both stand and add up to nothing.
 * @param cancellation its day is not before that of the booking
 * @throws Refusal `not_found`, `booking_not_cancellable` it is cancelled already, cancels another one, or an opening
 * balance has replaced it; `invalid_request`, `month_closed`
 */
export async function reverseTimeBooking(
  write: Write,
  owner: PersonRow,
  bookingId: number,
  { date, reason, by }: Pick<TimeBooking, 'date' | 'reason' | 'by'>,
): Promise<TimeBookingRow> {
  const person = await refuseDay(write, owner, date);
  const booking = await findTimeBooking(write, bookingId, person);
  if (booking === undefined) throw new Refusal('not_found');
  if (booking.cancelled_by !== null || booking.cancels !== null || booking.date < person.tracking_start)
    throw new Refusal('booking_not_cancellable');
  if (date < booking.date) throw invalidField('date', 'before_start', 'The day lies before that of the booking.');
  return insertCancellation(write, booking, { date, reason, by });
}

async function insertCancellation(
  write: Write,
  { id, company_id: companyId, person_id: personId, minutes }: TimeBookingRow,
  { date, reason, by }: { readonly date: LocalDate; readonly reason: string; readonly by: PersonId | null },
): Promise<TimeBookingRow> {
  const row = await insertTimeBooking(write, {
    company_id: companyId,
    person_id: personId,
    kind: 'cancellation',
    date,
    minutes: -minutes,
    reason,
    cancels: id,
    booked_by: by,
    booked_at: write.at,
  });
  await write.audit({
    companyId,
    action: 'time.booking_cancelled',
    subject: `person ${personId}`,
    details: { booking: row.id, cancels: id, ...(await keepValues(write, personId, { date, minutes: -minutes })) },
  });
  return row;
}

/**
 * Cuts balances at the end of a month that is being closed. Call it in the transaction that closes the month, which
 * holds the locks.
 * @param balances at the end of the month, before anything is cut
 * @returns the number of cut balances
 */
export async function cutBalances(
  write: Write,
  { companyId, month, by }: { readonly companyId: CompanyId; readonly month: string; readonly by: PersonId | null },
  balances: () => Promise<readonly { readonly person: { readonly id: PersonId }; readonly balanceMinutes: number }[]>,
): Promise<number> {
  const limits = await limitsInCompany(write, companyId);
  if (!limits.anyCut) return 0;
  let cutCount = 0;
  for (const { person, balanceMinutes } of await balances()) {
    const minutes = aboveLimit(limits.of(person.id), balanceMinutes);
    if (minutes === 0) continue;
    await insertTimeBooking(write, {
      company_id: companyId,
      person_id: person.id,
      kind: 'cap',
      date: lastDayOf(month),
      minutes: -minutes,
      reason: null,
      cancels: null,
      booked_by: by,
      booked_at: write.at,
    });
    cutCount += 1;
  }
  return cutCount;
}

/** Cancels the cuts of closing a month, because it is open again. */
export async function cancelCaps(
  write: Write,
  {
    companyId,
    month,
    by,
    reason,
  }: {
    readonly companyId: CompanyId;
    readonly month: string;
    readonly by: PersonId | null;
    readonly reason: string;
  },
): Promise<void> {
  const date = lastDayOf(month);
  for (const cap of await listCaps(write, companyId, date)) await insertCancellation(write, cap, { date, reason, by });
}
