import type { Reader } from '@clockproof/platform/database/database';
import type { LocalDate } from '@clockproof/platform/time/local-date';
import type { Tables } from '../../generated/tables.js';
import type { PersonRow } from '../../people/rows.js';
import type { CompanyId, PersonId } from '../../store/ids.js';
import { type TenantScope, within } from '../../store/scope.js';
import { insert, insertReturning, removeWhere, type Writing } from '../../store/tables.js';
import type { PeopleOfCompany } from '../rows.js';

export type TimeBookingRow = Tables['time_bookings'];

/**
 * A booking with the name of its author (in a closed month as of closing; null once they were erased) and the booking
 * that cancels it.
 */
export type AuthoredBooking = TimeBookingRow & {
  readonly author: string | null;
  readonly cancelled_by: number | null;
};

export type FlexitimeLimitsRow = Tables['flexitime_limits'];

/**
 * Bookings that count: an opening balance replaces all that is dated before it, and with a booking the one that cancels
 * it.
 */
const countedBookings =
  'time_bookings b JOIN people p ON p.id = b.person_id LEFT JOIN time_bookings o ON o.id = b.cancels WHERE b.date >= p.tracking_start AND (o.id IS NULL OR o.date >= p.tracking_start)';

export function insertTimeBooking(tx: Writing, row: Omit<TimeBookingRow, 'id'>): Promise<TimeBookingRow> {
  return insertReturning(tx, 'time_bookings', row);
}

export function findTimeBooking(
  reader: Reader,
  id: number,
  person: Pick<PersonRow, 'id' | 'company_id'>,
): Promise<AuthoredBooking | undefined> {
  return reader.get<AuthoredBooking>(
    'SELECT b.*, NULL AS author, c.id AS cancelled_by FROM time_bookings b LEFT JOIN time_bookings c ON c.cancels = b.id WHERE b.id = :id AND b.person_id = :personId AND b.company_id = :companyId',
    { id, personId: person.id, companyId: person.company_id },
  );
}

/** A person's bookings that count, by date. */
export function listBookingsOfPerson(
  reader: Reader,
  personId: PersonId,
  { from, to }: { readonly from: LocalDate; readonly to: LocalDate },
): Promise<AuthoredBooking[]> {
  return reader.all<AuthoredBooking>(
    `SELECT b.*, COALESCE(n.first_name || ' ' || n.last_name, a.first_name || ' ' || a.last_name) AS author, (SELECT c.id FROM time_bookings c WHERE c.cancels = b.id) AS cancelled_by
     FROM (SELECT b.* FROM ${countedBookings} AND b.person_id = :personId AND b.date >= :from AND b.date <= :to) b LEFT JOIN people a ON a.id = b.booked_by
     LEFT JOIN closed_month_people n ON n.company_id = b.company_id AND n.month = SUBSTR(b.date, 1, 7) AND n.person_id = b.booked_by
     ORDER BY b.date, b.id`,
    { personId, from, to },
  );
}

/** A person's booked minutes, by month. */
export async function bookedByMonth(reader: Reader, personId: PersonId): Promise<Map<string, number>> {
  const rows = await reader.all<{ month: string; minutes: number }>(
    `SELECT SUBSTR(b.date, 1, 7) AS month, SUM(b.minutes) AS minutes FROM ${countedBookings} AND b.person_id = :personId GROUP BY SUBSTR(b.date, 1, 7)`,
    { personId },
  );
  return new Map(rows.map(({ month, minutes }) => [month, Number(minutes)]));
}

export interface BookedMinutes {
  /** Before the month. */
  readonly before: number;
  /** In it, up to the last day. */
  readonly within: number;
}

/** The booked minutes of people up to a day, by person; for more than one, of everyone in the company. */
export async function bookedMinutes(
  reader: Reader,
  { companyId, people }: PeopleOfCompany,
  { month, to }: { readonly month: string; readonly to: LocalDate },
): Promise<Map<PersonId, BookedMinutes>> {
  const rows = await reader.all<{ person_id: PersonId; before: number; within: number }>(
    `SELECT b.person_id, SUM(CASE WHEN b.date < :first THEN b.minutes ELSE 0 END) AS before, SUM(CASE WHEN b.date < :first THEN 0 ELSE b.minutes END) AS within
     FROM ${countedBookings} AND ${people.length === 1 ? 'b.person_id = :personId' : 'b.company_id = :companyId'} AND b.date <= :to GROUP BY b.person_id`,
    { companyId, personId: people[0]!.id, first: `${month}-01`, to },
  );
  return new Map(rows.map((row) => [row.person_id, { before: Number(row.before), within: Number(row.within) }]));
}

/** Caps of a month that still stand. */
export function listCaps(reader: Reader, companyId: CompanyId, lastDay: LocalDate): Promise<TimeBookingRow[]> {
  return reader.all<TimeBookingRow>(
    `SELECT b.* FROM time_bookings b WHERE b.company_id = :companyId AND b.date = :lastDay AND b.kind = 'cap'
     AND NOT EXISTS (SELECT 1 FROM time_bookings c WHERE c.cancels = b.id) ORDER BY b.id`,
    { companyId, lastDay },
  );
}

/** A booking with the names that lists show. */
export type ListedBooking = TimeBookingRow & { readonly user_name: string; readonly company_name: string };

/** Bookings that count, of a span of days, by day and id. */
export function listBookingRows(
  reader: Reader,
  scope: TenantScope,
  {
    from,
    to,
    after,
    limit,
  }: {
    readonly from: LocalDate;
    readonly to: LocalDate;
    readonly after: { readonly date: LocalDate; readonly id: number } | undefined;
    readonly limit: number;
  },
): Promise<ListedBooking[]> {
  const { sql, parameters } = within(scope, {
    company: 'b.company_id',
    person: 'b.person_id',
    department: 'p.department_id',
  });
  return reader.all<ListedBooking>(
    `SELECT b.*, p.first_name || ' ' || p.last_name AS user_name, (SELECT name FROM companies WHERE id = b.company_id) AS company_name
     FROM ${countedBookings} AND b.date >= :from AND b.date <= :to AND (b.date, b.id) > (:afterDate, :afterId) ${sql} ORDER BY b.date, b.id LIMIT :limit`,
    { from, to, afterDate: after?.date ?? from, afterId: after?.id ?? 0, limit, ...parameters },
  );
}

/** The limits of a company and of its people. */
export function listFlexitimeLimits(reader: Reader, companyId: CompanyId): Promise<FlexitimeLimitsRow[]> {
  return reader.all<FlexitimeLimitsRow>('SELECT * FROM flexitime_limits WHERE company_id = :companyId', { companyId });
}

/** @param personId null for the limits of the company */
export function findFlexitimeLimits(
  reader: Reader,
  companyId: CompanyId,
  personId: PersonId | null,
): Promise<FlexitimeLimitsRow | undefined> {
  return reader.get<FlexitimeLimitsRow>(
    `SELECT * FROM flexitime_limits WHERE company_id = :companyId AND person_id ${personId === null ? 'IS NULL' : '= :personId'}`,
    { companyId, personId },
  );
}

/** Replaces the limits of a person, or those of the company. */
export async function saveFlexitimeLimits(
  tx: Writing,
  { company_id: companyId, person_id: personId }: Pick<FlexitimeLimitsRow, 'company_id' | 'person_id'>,
  limits: Pick<FlexitimeLimitsRow, 'upper_minutes' | 'at_upper' | 'lower_minutes'> | undefined,
): Promise<void> {
  await removeWhere(
    tx,
    'flexitime_limits',
    `company_id = :companyId AND person_id ${personId === null ? 'IS NULL' : '= :personId'}`,
    { companyId, personId },
  );
  if (limits !== undefined)
    await insert(tx, 'flexitime_limits', { company_id: companyId, person_id: personId, ...limits });
}
