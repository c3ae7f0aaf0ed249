/** How many working days an absence takes, and absences day by day, for balances and the vacation account. */
import type { Reader, Value } from '@clockproof/platform/database/database';
import { addDays, type LocalDate } from '@clockproof/platform/time/local-date';
import type { PersonRow } from '../people/rows.js';
import type { CompanyId, PersonId } from '../store/ids.js';
import type { HolidayPlace } from '../working-time/holidays.js';
import { readCompanySchedules, readHolidays, readSchedules } from '../working-time/rows.js';
import { scheduledOn } from '../working-time/schedule.js';
import type { AbsenceDraft } from './draft.js';
import { type HalfDay, maxSpanDays } from './rows.js';

/** How many halves of a date a person has work on. */
export type Workdays = (date: LocalDate) => 0 | 1 | 2;

/** The person's workdays: by their schedule, or the company's, without the company's holidays. */
export async function loadWorkdays(reader: Reader, person: PersonRow): Promise<Workdays> {
  const schedules = await readSchedules(reader, person);
  const holidays = await readHolidays(reader, { ...person, id: person.company_id });
  return (date) => scheduledOn(schedules, holidays.on(date), date).halves;
}

/** The same for everyone in a company, read in one query. */
export async function loadCompanyWorkdays(
  reader: Reader,
  company: HolidayPlace & { readonly id: CompanyId },
): Promise<(personId: PersonId) => Workdays> {
  const schedules = await readCompanySchedules(reader, company.id);
  const holidays = await readHolidays(reader, company);
  return (personId) => {
    const own = schedules.of(personId);
    return (date) => scheduledOn(own, holidays.on(date), date).halves;
  };
}

/** Working days in halves: of a date at most as many as there is work on, and one if the absence is half a day. */
export function countHalfDays(
  { start_date, end_date, half_day }: Pick<AbsenceDraft, 'start_date' | 'end_date' | 'half_day'>,
  workdays: Workdays,
): number {
  return daysBetween(start_date, end_date).reduce((sum, date) => sum + absentHalvesOn(date, half_day, workdays), 0);
}

/** The halves of a date that an absence takes. */
export const absentHalvesOn = (date: LocalDate, halfDay: HalfDay | null, workdays: Workdays): number =>
  Math.min(halfDay === null ? 2 : 1, workdays(date));

export interface AbsenceDay {
  readonly person_id: PersonId;
  readonly date: LocalDate;
  /** How much of the day. */
  readonly portion: 1 | 0.5;
  /** Key of the company's kind; what it does to the day's target is `AbsenceType.target`. */
  readonly type: string;
}

/**
 * Every calendar day of a period on which an absence counts (approved, or with a cancellation requested), by person and
 * date. It includes days without work (weekend, holiday, schedule), which have no target anyway. A day appears twice if
 * two halves, or home office on a trip, share it.
 * @param from first day, included
 * @param to last day, included
 */
export async function approvedAbsenceDays(
  reader: Reader,
  {
    companyId,
    personId,
    from,
    to,
  }: {
    readonly companyId: CompanyId;
    readonly personId?: PersonId | undefined;
    readonly from: LocalDate;
    readonly to: LocalDate;
  },
): Promise<AbsenceDay[]> {
  const parameters: Record<string, Value> = { companyId, from, to, earliest: addDays(from, 1 - maxSpanDays) };
  if (personId !== undefined) parameters['personId'] = personId;
  const rows = await reader.all<{
    person_id: PersonId;
    type: string;
    start_date: string;
    end_date: string;
    half_day: HalfDay | null;
  }>(
    `SELECT person_id, type, start_date, end_date, half_day FROM absences
     WHERE ${personId === undefined ? '' : 'person_id = :personId AND '}company_id = :companyId AND start_date >= :earliest AND start_date <= :to AND end_date >= :from
       AND status IN ('approved', 'cancellation_requested')
     ORDER BY person_id, start_date, id`,
    parameters,
  );
  return rows.flatMap((row) =>
    daysBetween(row.start_date > from ? row.start_date : from, row.end_date < to ? row.end_date : to).map(
      (date) => ({ person_id: row.person_id, date, portion: row.half_day === null ? 1 : 0.5, type: row.type }) as const,
    ),
  );
}

/** All dates from one to another, both ends included. */
export function daysBetween(from: LocalDate, to: LocalDate): LocalDate[] {
  const days: LocalDate[] = [];
  for (let date = from; date <= to; date = addDays(date, 1)) days.push(date);
  return days;
}
