/** The vacation account of a year, line by line. */
import type { Reader } from '@clockproof/platform/database/database';
import { formatInstant, type Instant } from '@clockproof/platform/time/instant';
import { addDays, type LocalDate } from '@clockproof/platform/time/local-date';
import type { components } from '../../generated/app-types.js';
import { erasedPersonName } from '../../people/actor.js';
import type { PersonRow } from '../../people/rows.js';
import type { PersonId } from '../../store/ids.js';
import { type AbsenceRow, listVacationBookings, type VacationBookingRow } from '../rows.js';
import { absenceTypesOf, labelFor } from '../types.js';
import {
  type DayOfAbsence,
  entitlementOf,
  noEntitlement,
  type VacationAccount,
  vacationAccount,
  vacationDays,
} from './vacation-account.js';

/** One line: a change of the account, its day, and the number of days. */
export type StatementLine = { readonly date: LocalDate; readonly days: number } & (
  | { readonly kind: 'entitlement' | 'carried_over' | 'carry_over_expired' }
  | { readonly kind: 'absence'; readonly absence: AbsenceRow; readonly last: LocalDate }
  | { readonly kind: 'booking'; readonly booking: VacationBookingRow }
);

/** Every line, by date. Their sum is the remaining days. Pure. */
export function statementLines(
  year: number,
  account: VacationAccount,
  days: readonly DayOfAbsence[],
  bookings: readonly VacationBookingRow[],
): StatementLine[] {
  const first = `${year}-01-01`;
  const lines: StatementLine[] = [{ kind: 'entitlement', date: first, days: account.days }];
  if (account.carriedDays > 0) lines.push({ kind: 'carried_over', date: first, days: account.carriedDays });
  if (account.expiredDays > 0)
    lines.push({ kind: 'carry_over_expired', date: addDays(account.carriedUntil!, 1), days: -account.expiredDays });
  for (const booking of bookings)
    lines.push({ kind: 'booking', date: booking.date, days: booking.half_days / 2, booking });
  const daysByAbsence = new Map<number, DayOfAbsence[]>();
  for (const day of days.filter(({ waiting }) => !waiting))
    daysByAbsence.set(day.absence.id, [...(daysByAbsence.get(day.absence.id) ?? []), day]);
  for (const absenceDays of daysByAbsence.values())
    lines.push({
      kind: 'absence',
      date: absenceDays[0]!.date,
      last: absenceDays.at(-1)!.date,
      days: -absenceDays.reduce((sum, day) => sum + day.portion, 0),
      absence: absenceDays[0]!.absence,
    });
  return lines.sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0));
}

/**
 * @param today carried-over days expire by it
 * @param language of the reader
 */
export async function readVacationStatement(
  reader: Reader,
  person: PersonRow,
  year: number,
  { today, language }: { readonly today: LocalDate; readonly language: string },
): Promise<components['schemas']['VacationStatement']> {
  const days = await vacationDays(reader, person, year);
  const bookings = await listVacationBookings(reader, person.id, year);
  const dayBookings = bookings.map((row) => ({ date: row.date, days: row.half_days / 2 }));
  const entitlement = (await entitlementOf(reader, person, year)) ?? noEntitlement;
  const account = vacationAccount(entitlement, days, dayBookings, today);
  const types = new Map((await absenceTypesOf(reader, person.company_id)).map((type) => [type.key, type]));
  const labelOf = (key: string) => {
    const type = types.get(key);
    return type === undefined ? key : labelFor(type, language);
  };
  let balance = 0;
  return {
    year,
    left_days: account.remainingDays,
    lines: statementLines(year, account, days, bookings).map((line) => {
      balance += line.days;
      const common = { date: line.date, days: line.days, balance_days: balance };
      if (line.kind === 'absence') {
        const { id, type } = line.absence;
        return { kind: line.kind, ...common, absence: { id, type_label: labelOf(type), end_date: line.last } };
      }
      if (line.kind === 'booking') {
        const { kind, reason } = line.booking;
        return { kind, ...common, reason, ...presentAuthor(line.booking) };
      }
      return { kind: line.kind, ...common };
    }),
  };
}

/** The author and the time of a booking. It has no author if the service made it. */
export function presentAuthor({
  booked_by: by,
  author,
  booked_at: at,
}: {
  readonly booked_by: PersonId | null;
  readonly author: string | null;
  readonly booked_at: Instant;
}): Pick<components['schemas']['VacationLine'], 'booked_by' | 'booked_at'> {
  return {
    booked_by: by === null ? undefined : { id: by, name: author ?? erasedPersonName },
    booked_at: formatInstant(at),
  };
}
