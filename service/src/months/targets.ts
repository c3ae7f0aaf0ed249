/** The basis of the targets of a company's people, read with one query per table for everyone and the whole span. */
import type { Reader } from '@clockproof/platform/database/database';
import type { LocalDate } from '@clockproof/platform/time/local-date';
import { type AbsenceDay, approvedAbsenceDays, daysBetween } from '../absences/days.js';
import { absenceTypesOf } from '../absences/types.js';
import type { CompanyRow, PersonRow } from '../people/rows.js';
import type { PersonId } from '../store/ids.js';
import type { Holidays } from '../working-time/holidays.js';
import { readCompanySchedules, readHolidays, readSchedules } from '../working-time/rows.js';
import type { Schedules } from '../working-time/schedule.js';
import { type CalendarDay, calendarOf, type Target, targetOn } from './calculated-days.js';
import { groupBy } from './grouping.js';

/** The settings of a company that affect the days of its people. */
export type CompanySettings = Pick<
  CompanyRow,
  | 'id'
  | 'time_zone'
  | 'country'
  | 'region'
  | 'local_holidays'
  | 'short_rest_branch'
  | 'record_duty'
  | 'new_day_after_hours'
>;

export type TrackedPerson = Pick<PersonRow, 'id' | 'tracking_start' | 'employment_start' | 'employment_end'>;

/** A span of days, both ends included. */
export interface Span {
  readonly from: LocalDate;
  readonly to: LocalDate;
}

export interface Targets {
  readonly calendar: readonly CalendarDay[];
  readonly holidays: Holidays;
  readonly schedulesOf: (personId: PersonId) => Schedules;
  /** @returns the target by day of the calendar */
  of(person: TrackedPerson): (day: CalendarDay) => Target;
}

export async function readTargets(
  reader: Reader,
  company: CompanySettings,
  people: readonly TrackedPerson[],
  { from, to }: Span,
): Promise<Targets> {
  const { id: companyId } = company;
  const single = people.length === 1 ? people[0]!.id : undefined;
  const [schedulesOf, holidays, types, absences] = await Promise.all([
    readSchedulesOf(reader, company, single),
    readHolidays(reader, company),
    absenceTypesOf(reader, companyId),
    approvedAbsenceDays(reader, { companyId, from, to, personId: single }),
  ]);
  const absencesOf = groupBy(absences, (absence) => absence.person_id);
  const absenceOf = ({ type: key, half_day }: AbsenceDay) => {
    const type = types.find((absenceType) => absenceType.key === key);
    return { type: key, label: type?.label ?? { de: key, en: key }, half_day, credited: type?.target === 'credited' };
  };
  return {
    calendar: calendarOf(daysBetween(from, to), holidays),
    holidays,
    schedulesOf,
    of(person) {
      const applicable = schedulesOf(person.id);
      const absencesByDate = groupBy(absencesOf.get(person.id) ?? [], ({ date }) => date);
      return (day) => targetOn(person, applicable, day, absencesByDate.get(day.date)?.map(absenceOf) ?? []);
    },
  };
}

async function readSchedulesOf(reader: Reader, { id }: CompanySettings, personId: PersonId | undefined) {
  if (personId === undefined) {
    const schedules = await readCompanySchedules(reader, id);
    return (person: PersonId) => schedules.of(person);
  }
  const schedules = await readSchedules(reader, { id: personId, company_id: id });
  return () => schedules;
}

/** The settings of a person's company, which every row of a person carries. */
export function settingsFor(person: PersonRow): CompanySettings {
  const {
    company_id: id,
    time_zone,
    country,
    region,
    local_holidays,
    short_rest_branch,
    record_duty,
    new_day_after_hours,
  } = person;
  return { id, time_zone, country, region, local_holidays, short_rest_branch, record_duty, new_day_after_hours };
}

/** Days of one person are read together; those of more people than fit in memory one group after the other. */
const personDaysInMemory = 30_000;
/** Up to this many people are read one by one, each by their own index. */
const fewPeople = 3;

/** @param people by id */
export function inGroups<Person>(people: readonly Person[], days: number): Person[][] {
  const size = people.length <= fewPeople ? 1 : Math.max(1, Math.floor(personDaysInMemory / Math.max(1, days)));
  return Array.from({ length: Math.ceil(people.length / size) }, (_, index) =>
    people.slice(index * size, (index + 1) * size),
  );
}

/** After this many people a report yields to other requests. */
const peopleBetweenPauses = 25;

/** Call it before each person of a long calculation. */
export async function pauseBefore(index: number): Promise<void> {
  if (index % peopleBetweenPauses === peopleBetweenPauses - 1) await new Promise(setImmediate);
}
