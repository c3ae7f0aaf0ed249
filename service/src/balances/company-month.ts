/** The month of everyone in a company, in one pass over its days, with the rows of one day in memory at a time. */
import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { addDays, type LocalDate, localDateAt } from '@clockproof/platform/time/local-date';
import { approvedAbsenceDays } from '../absences/calendar.js';
import { absenceTypesOf } from '../absences/types.js';
import type { CompanyId } from '../ids.js';
import { findClosedMonth, listClosedMonths } from '../months/rows.js';
import type { CompanyRow } from '../people/rows.js';
import { holidaysIn } from '../working-time/holidays.js';
import { readCompanySchedules } from '../working-time/rows.js';
import { type Finding, rulesOf } from '../working-time/rules.js';
import { type CalculatedDay, calendarOf, type DayAbsence, dueOn, type MonthSum, sumMonth } from './calculated-days.js';
import { groupBy } from './grouping.js';
import { datesOf, monthsBetween, previousMonth } from './months.js';
import {
  firstMonthKept,
  listCompanyWork,
  listFinalised,
  listPeopleOfMonth,
  type PersonOfMonth,
  sumFinalisedBefore,
} from './rows.js';
import { calculateDay, noWork } from './work-of-day.js';

export interface PersonMonth {
  readonly person: PersonOfMonth;
  readonly sum: MonthSum;
}

export interface FoundOnDay {
  readonly person: PersonOfMonth;
  readonly date: LocalDate;
  readonly finding: Finding;
}

/** After this many people, the report yields to other work, so that no stamp waits for it. */
const peopleBetweenTurns = 200;
const otherWorkFirst = () =>
  new Promise<void>((resolve) => {
    setImmediate(resolve);
  });

/** How many days to look back for the previous end of work, to calculate a rest period. */
const lookBackDays = 4;

/** Calculates a month from the entries, closed or not. Calls `onFinding` in order of date and person. */
export async function calculateCompanyMonth(
  reader: Reader,
  company: CompanyRow,
  month: string,
  at: Instant,
  onFinding: (found: FoundOnDay) => void = () => undefined,
): Promise<PersonMonth[]> {
  const today = localDateAt(at, company.time_zone);
  const dates = datesOf(month);
  const holidays = holidaysIn(company.country, company.region);
  const rules = rulesOf(company.country);
  const people = await listPeopleOfMonth(reader, company.id, month);
  const schedules = await readCompanySchedules(reader, company.id);
  const absences = await readAbsences(reader, company.id, dates[0]!, dates.at(-1)!);

  const lastEnds = new Map<number, Instant>();
  for (let back = lookBackDays; back > 0; back -= 1) {
    for (const row of await listCompanyWork(reader, company.id, addDays(dates[0]!, -back)))
      lastEnds.set(row.person_id, row.end_at);
  }
  const calculated = new Map<number, CalculatedDay[]>(people.map((person) => [person.id, []]));
  for (const day of calendarOf(dates, holidays)) {
    const work = groupBy(await listCompanyWork(reader, company.id, day.date), (row) => row.person_id);
    for (const [index, person] of people.entries()) {
      if (index % peopleBetweenTurns === 0) await otherWorkFirst();
      if (day.date < person.kept_from) continue;
      const rows = work.get(person.id);
      const done =
        rows === undefined
          ? noWork
          : calculateDay(rows, {
              date: day.date,
              timeZone: company.time_zone,
              holidays,
              rules,
              previousEnd: lastEnds.get(person.id),
            });
      if (done.end !== undefined) lastEnds.set(person.id, done.end);
      for (const finding of done.findings) onFinding({ person, date: day.date, finding });
      const absent = absences.get(`${person.id} ${day.date}`) ?? [];
      calculated.get(person.id)!.push({
        date: day.date,
        due: dueOn(person, schedules.of(person.id), day, absent),
        workedMinutes: done.workedMinutes,
        absences: absent,
        findings: done.findings.length,
      });
    }
  }
  return people.map((person) => ({ person, sum: sumMonth(calculated.get(person.id)!, today) }));
}

export interface PersonMonthBalance extends PersonMonth {
  /** Carried over from the previous month. */
  readonly carriedMinutes: number;
  readonly balanceMinutes: number;
}

export interface CompanyMonthReport {
  readonly closed: boolean;
  readonly lines: readonly PersonMonthBalance[];
}

/** The report of a month: stored figures for closed months, calculated ones for open months. */
export async function readCompanyMonth(
  reader: Reader,
  company: CompanyRow,
  month: string,
  at: Instant,
): Promise<CompanyMonthReport> {
  const closed = await findClosedMonth(reader, company.id, month);
  const lines =
    closed?.settled === 1
      ? await storedMonth(reader, company, month)
      : await calculateCompanyMonth(reader, company, month, at);
  const carried = await carriedInto(reader, company, month, at);
  return {
    closed: closed !== undefined,
    lines: lines.map(({ person, sum }) => {
      const carriedMinutes = person.opening_minutes + (carried.get(person.id) ?? 0);
      return { person, sum, carriedMinutes, balanceMinutes: carriedMinutes + sum.differenceMinutes };
    }),
  };
}

async function storedMonth(reader: Reader, company: CompanyRow, month: string): Promise<PersonMonth[]> {
  const rows = new Map((await listFinalised(reader, company.id, month)).map((row) => [row.person_id, row]));
  return (await listPeopleOfMonth(reader, company.id, month)).flatMap((person) => {
    const row = rows.get(person.id);
    if (row === undefined) return [];
    return [
      {
        person,
        sum: {
          targetMinutes: row.target_minutes,
          workedMinutes: row.worked_minutes,
          differenceMinutes: row.difference_minutes,
          absenceHalfDays: row.absence_half_days,
          findings: row.findings,
        },
      },
    ];
  });
}

/** Everyone's differences before a month: stored for finalised months, calculated for the others. */
async function carriedInto(
  reader: Reader,
  company: CompanyRow,
  month: string,
  at: Instant,
): Promise<Map<number, number>> {
  const first = await firstMonthKept(reader, company.id);
  const carried = new Map(
    (await sumFinalisedBefore(reader, company.id, month)).map((row) => [row.person_id, Number(row.minutes)]),
  );
  if (first === undefined || first >= month) return carried;
  const finalised = new Set(
    (await listClosedMonths(reader, company.id, first, previousMonth(month)))
      .filter((row) => row.settled === 1)
      .map((row) => row.month),
  );
  for (const open of monthsBetween(first, previousMonth(month)).filter((month) => !finalised.has(month))) {
    for (const { person, sum } of await calculateCompanyMonth(reader, company, open, at))
      carried.set(person.id, (carried.get(person.id) ?? 0) + sum.differenceMinutes);
  }
  return carried;
}

/** Absences of a span by `person date`. */
async function readAbsences(
  reader: Reader,
  companyId: CompanyId,
  from: LocalDate,
  to: LocalDate,
): Promise<Map<string, DayAbsence[]>> {
  const credited = await creditedTypes(reader, companyId);
  const days = await approvedAbsenceDays(reader, { companyId, from, to });
  const byDay = groupBy(days, ({ person_id, date }) => `${person_id} ${date}`);
  return new Map(
    [...byDay].map(([key, list]) => [
      key,
      list.map(({ type, portion }) => ({ type, portion, credited: credited.has(type) })),
    ]),
  );
}

/** Kinds of absence that remove the day's target; the others keep it. */
export async function creditedTypes(reader: Reader, companyId: CompanyId): Promise<ReadonlySet<string>> {
  return new Set(
    (await absenceTypesOf(reader, companyId)).filter((type) => type.target === 'credited').map((type) => type.key),
  );
}
