/** Bookings of a vacation account: corrections, payouts and expiry, each with a reason. */
import { formatInstant } from '@clockproof/platform/time/instant';
import type { LocalDate } from '@clockproof/platform/time/local-date';
import { keepValues } from '../../people/personal-values.js';
import type { PersonRow } from '../../people/rows.js';
import type { PersonId } from '../../store/ids.js';
import { invalidField } from '../../store/refusal.js';
import type { Write } from '../../store/write.js';
import { insertVacationBooking, lockAbsences, type VacationBookingRow } from '../rows.js';

export interface VacationBooking {
  readonly kind: VacationBookingRow['kind'];
  /** Days added, or taken away if negative, in steps of .5. */
  readonly days: number;
  /** The day from which it counts. Its year is the year of the account. */
  readonly date: LocalDate;
  readonly reason: string;
  readonly by: PersonId;
}

/**
 * Adds a booking. None is ever changed or deleted: another one corrects it, so the account shows every step.
 *
 * If the process stops before the commit, nothing is booked; after it, the booking stands with its entry.
 * @throws Refusal `invalid_request` it books nothing, adds days although its kind only takes them away, or belongs to a
 * year that has no account
 */
export async function addVacationBooking(
  write: Write,
  person: PersonRow,
  { kind, days, date, reason, by }: VacationBooking,
): Promise<void> {
  if (days === 0) throw invalidField('days', 'out_of_range', 'A booking adds or takes away days.');
  if (kind !== 'correction' && days > 0) throw invalidField('days', 'out_of_range', 'This kind only takes days away.');
  const year = Number(date.slice(0, 4));
  if (year < 2000 || year > 2199) throw invalidField('date', 'out_of_range', 'Accounts are kept from 2000 to 2199.');
  // A request that is decided at the same time comes before or after, and sees or does not see these days.
  await lockAbsences(write, person.id);
  const companyId = person.company_id;
  const { id } = await insertVacationBooking(write, {
    company_id: companyId,
    person_id: person.id,
    kind,
    date,
    half_days: days * 2,
    reason,
    booked_by: by,
    booked_at: write.at,
  });
  // The reason may name circumstances of the person: it stays in the account.
  const data = { id, user_id: person.id, company_id: companyId, kind, days, date, booked_at: formatInstant(write.at) };
  await write.event({ type: 'vacation.booked', companyId, personId: person.id, data });
  await write.audit({
    companyId,
    action: 'vacation.booked',
    subject: `person ${person.id}`,
    details: { booking: id, ...(await keepValues(write, person.id, { kind, date, days })) },
  });
}
