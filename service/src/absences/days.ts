/** The working days that an absence takes, and absences day by day, for balances and the vacation account. */
import type { Reader, Value } from '@clockproof/platform/database/database';
import { addDays, type LocalDate } from '@clockproof/platform/time/local-date';
import { isEmployed } from '../people/employment.js';
import type { PersonRow } from '../people/rows.js';
import type { AbsenceId, CompanyId, PersonId } from '../store/ids.js';
import type { HolidayPlace, Holidays } from '../working-time/holidays.js';
import { readCompanySchedules, readHolidays, readSchedules } from '../working-time/rows.js';
import { type Schedules, scheduledOn } from '../working-time/schedule.js';
import { type ClosedShares, readClosedShares } from './closed-absence-rows.js';
import type { AbsenceDraft } from './draft.js';
import { type HalfDay, type LiveHalf, listLiveHalves, maxSpanDays } from './rows.js';
import type { AbsenceStatus } from './state.js';

type Halves = 0 | 1 | 2;

/** An absence whose days are counted. One without an id is about to be recorded. */
export interface CountedAbsence {
  readonly id?: AbsenceId | undefined;
  readonly half_day: HalfDay | null;
  readonly status?: AbsenceStatus | undefined;
}

/**
 * The halves of a date on which a person has work; with an absence, the halves that it takes. Every figure of absences
 * comes from here or, of many days, from {@link shareDay}.
 */
export type Workdays = (date: LocalDate, absence?: CountedAbsence) => Halves;

/**
 * The share of each absence in the working time of a day, in halves. If only half the day is working time, of two
 * absences of half a day the first takes it. Two that share a half, such as a business trip and home office, take the
 * same one.
 * @param due halves with work
 */
export function shareDay(due: Halves, absences: readonly Pick<CountedAbsence, 'half_day'>[]): Halves[] {
  const takenHalves = new Set<HalfDay>();
  return absences.map(({ half_day: half }) => {
    if (half === null) return due;
    if (takenHalves.size >= due && !takenHalves.has(half)) return 0;
    takenHalves.add(half);
    return 1;
  });
}

/** The person's workdays: by their schedule, or the company's, without the company's holidays. */
export async function loadWorkdays(reader: Reader, person: PersonRow): Promise<Workdays> {
  const schedules = await readSchedules(reader, person);
  const holidays = await readHolidays(reader, { ...person, id: person.company_id });
  const closedShares = await readClosedShares(reader, { personId: person.id });
  return workdaysOf(person, {
    schedules,
    holidays,
    closedShares,
    halves: await listLiveHalves(reader, { person: person.id }),
  });
}

/** The same for everyone in a company and the days of a span, with as many queries as for one. */
export async function loadCompanyWorkdays(
  reader: Reader,
  company: HolidayPlace & { readonly id: CompanyId },
  { from, to }: { readonly from: LocalDate; readonly to: LocalDate },
): Promise<(person: Employed) => Workdays> {
  const schedules = await readCompanySchedules(reader, company.id);
  const holidays = await readHolidays(reader, company);
  const closedShares = await readClosedShares(reader, { companyId: company.id, from, to });
  const halves = new Map<PersonId, LiveHalf[]>();
  for (const half of await listLiveHalves(reader, { company: company.id, from, to }))
    halves.set(half.person_id, [...(halves.get(half.person_id) ?? []), half]);
  return (person) =>
    workdaysOf(person, {
      schedules: schedules.of(person.id),
      holidays,
      closedShares,
      halves: halves.get(person.id) ?? [],
    });
}

type Employed = Pick<PersonRow, 'id' | 'employment_start' | 'employment_end'>;

function workdaysOf(
  person: Employed,
  {
    schedules,
    holidays,
    closedShares,
    halves,
  }: {
    readonly schedules: Schedules;
    readonly holidays: Holidays;
    readonly closedShares: ClosedShares;
    readonly halves: readonly LiveHalf[];
  },
): Workdays {
  return (date, absence) => {
    const closedShare = absence?.id === undefined ? undefined : closedShares(absence.id, date);
    if (closedShare !== undefined) return closedShare.halves;
    const due = isEmployed(person, date) ? scheduledOn(schedules, holidays.on(date), date).halves : 0;
    if (absence === undefined || absence.half_day === null || due !== 1)
      return shareDay(due, [absence ?? wholeDay])[0]!;
    const earlierHalves = halves.filter(
      (other) => other.start_date === date && other.id !== absence.id && comesBefore(other, absence),
    );
    return shareDay(due, [...earlierHalves, absence]).at(-1)!;
  };
}

const wholeDay = { half_day: null };

/** Absences that count come before waiting ones, then the one recorded first. */
function comesBefore(other: LiveHalf, { id, status }: CountedAbsence): boolean {
  const [isOtherWaiting, isWaiting] = [other.status === 'waiting', status === 'waiting'];
  return isOtherWaiting === isWaiting ? id === undefined || other.id < id : isWaiting;
}

/** Working days in halves. */
export function countHalfDays(
  absence: Pick<AbsenceDraft, 'start_date' | 'end_date'> & CountedAbsence,
  workdays: Workdays,
): number {
  return daysBetween(absence.start_date, absence.end_date).reduce((sum, date) => sum + workdays(date, absence), 0);
}

export interface AbsenceDay {
  readonly person_id: PersonId;
  readonly date: LocalDate;
  readonly half_day: HalfDay | null;
  /** Key of the company's kind; `AbsenceType.target` is its effect on the day's target. */
  readonly type: string;
}

/**
 * Every calendar day of a period on which an absence counts (approved, or with a cancellation requested), by person and
 * absence. It includes days without work (weekend, holiday, schedule), which have no target anyway. A day appears twice if
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
  const rows = await reader.all<Omit<AbsenceDay, 'date'> & { readonly start_date: string; readonly end_date: string }>(
    `SELECT person_id, type, start_date, end_date, half_day FROM absences
     WHERE ${personId === undefined ? '' : 'person_id = :personId AND '}company_id = :companyId AND start_date >= :earliest AND start_date <= :to AND end_date >= :from
       AND status IN ('approved', 'cancellation_requested')
     ORDER BY person_id, id`,
    parameters,
  );
  return rows.flatMap((row) =>
    daysBetween(row.start_date > from ? row.start_date : from, row.end_date < to ? row.end_date : to).map((date) => ({
      person_id: row.person_id,
      date,
      half_day: row.half_day,
      type: row.type,
    })),
  );
}

/** All dates from one to another, both ends included. */
export function daysBetween(from: LocalDate, to: LocalDate): LocalDate[] {
  const days: LocalDate[] = [];
  for (let date = from; date <= to; date = addDays(date, 1)) days.push(date);
  return days;
}
