/** The month of everyone in a company, in one pass over its days, with the rows of one day in memory at a time. */
import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { addDays, type LocalDate, localDateAt } from '@clockproof/platform/time/local-date';
import { approvedAbsenceDays } from '../absences/days.js';
import { forgottenClockOut } from '../clocking/stamp-decision.js';
import type { CompanyId, PersonId } from '../ids.js';
import { findClosedMonth, listClosedMonths } from '../months/rows.js';
import type { CompanyRow } from '../people/rows.js';
import { holidaysIn } from '../working-time/holidays.js';
import { missingRecord } from '../working-time/record-duty.js';
import { readCompanyCircumstances, readCompanySchedules } from '../working-time/rows.js';
import { boundsOf, type Finding, isViolation, rulesOn } from '../working-time/rules.js';
import { type Confidentiality, mustBeRecorded } from '../working-time/special-rules.js';
import { continues, readContinuation } from '../working-time/working-days.js';
import { bookedInCompany } from './booking-rows.js';
import {
  type CalculatedDay,
  calendarOf,
  type DayAbsence,
  dueOn,
  type MonthSum,
  sumMonth,
  sumOf,
} from './calculated-days.js';
import { creditedTypes } from './credited-types.js';
import { groupBy } from './grouping.js';
import { datesOf, lastDayOf, monthsBetween, previousMonth } from './months.js';
import { openDifferences } from './open-months.js';
import {
  firstMonthKept,
  listCompanyWork,
  listFinalised,
  listOpenWork,
  listPendingWork,
  listPeopleOfFinalised,
  listPeopleOfMonth,
  listWorkDates,
  type PersonOfMonth,
  sumFinalisedBefore,
  type WorkRow,
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
export const lookBackDays = 4;

/**
 * Calculates a month from the entries, closed or not. Calls `onFinding` in order of date and person.
 * @param confidentiality what the reader may know; figures are those that everyone may know
 * @param only these people, which costs less than everyone
 */
export async function calculateCompanyMonth(
  reader: Reader,
  company: CompanyRow,
  month: string,
  at: Instant,
  onFinding: (found: FoundOnDay) => void = () => undefined,
  confidentiality: Confidentiality = 'general',
  only?: ReadonlySet<PersonId>,
): Promise<PersonMonth[]> {
  const today = localDateAt(at, company.time_zone);
  const dates = datesOf(month);
  const holidays = holidaysIn(company.country, company.region);
  const circumstances = await readCompanyCircumstances(reader, company, confidentiality);
  const people = (await listPeopleOfMonth(reader, company.id, month)).filter(({ id }) => only?.has(id) ?? true);
  if (people.length === 0) return [];
  const schedules = await readCompanySchedules(reader, company.id);
  const absences = await readAbsences(reader, company.id, dates[0]!, dates.at(-1)!);

  const timeZone = company.time_zone;
  const forgotten = await forgottenOf(reader, company.id, at);
  // Most days of the past have work and are read one by one; a month before a company's first entry costs one query.
  const ahead = addDays(dates.at(-1)!, lookBackDays);
  const worked = await listWorkDates(reader, company.id, addDays(dates[0]!, -lookBackDays), ahead);
  const readWork = async (date: LocalDate) =>
    date > ahead || worked.has(date) ? listCompanyWork(reader, company.id, date) : [];
  // Loaded by day; a shift after midnight looks a day ahead, and the next day finds it loaded.
  const loaded = new Map<LocalDate, Promise<Map<number, WorkRow[]>>>();
  const workOn = (date: LocalDate) => {
    const known = loaded.get(date) ?? readWork(date).then((rows) => groupBy(rows, ofPerson));
    loaded.set(date, known);
    return known;
  };
  const incomplete = people.some(({ id }) => dates.some((date) => mustBeRecorded(circumstances.of(id), date)));
  const span = { companyId: company.id, from: dates[0]!, to: dates.at(-1)! };
  const pending = new Set(
    (incomplete ? await listPendingWork(reader, span) : []).map((row) => `${row.person_id} ${row.date}`),
  );
  const lastEnds = new Map<number, Instant>();
  for (let back = lookBackDays; back > 0; back -= 1) {
    for (const row of await readWork(addDays(dates[0]!, -back))) lastEnds.set(row.person_id, row.end_at);
  }
  const calculated = new Map<number, CalculatedDay[]>(people.map((person) => [person.id, []]));
  for (const day of calendarOf(dates, holidays)) {
    const { date } = day;
    const work = await workOn(date);
    loaded.delete(date);
    for (const [index, person] of people.entries()) {
      if (index % peopleBetweenTurns === 0) await otherWorkFirst();
      const rows = work.get(person.id);
      const previousEnd = lastEnds.get(person.id);
      const end = rows?.at(-1)?.end_at;
      if (end !== undefined) lastEnds.set(person.id, end);
      if (date < person.kept_from) continue;
      const later =
        end === undefined || !continues(end, boundsOf(date, timeZone).to)
          ? []
          : await readContinuation({ date, end, timeZone }, async (next) => (await workOn(next)).get(person.id) ?? []);
      const own = circumstances.of(person.id);
      const rules = rulesOn(company.country, own, date);
      const done =
        rows === undefined ? noWork : calculateDay(rows, { date, timeZone, holidays, rules, previousEnd, later });
      const key = `${person.id} ${date}`;
      const absent = absences.get(key) ?? [];
      const due = dueOn(person, schedules.of(person.id), day, absent);
      const open = forgotten.get(key);
      const unrecorded = mustBeRecorded(own, date)
        ? missingRecord(
            company.country,
            {
              date,
              open: open !== undefined,
              complete: rows !== undefined || pending.has(key),
              dueMinutes: absent.length === 0 ? due.scheduledMinutes : 0,
            },
            today,
          )
        : [];
      const found = [...done.findings, ...(open ?? []), ...unrecorded].filter(isViolation);
      for (const finding of found) onFinding({ person, date, finding });
      calculated.get(person.id)!.push({
        date,
        due,
        workedMinutes: done.workedMinutes,
        absences: absent,
        findings: found.length,
      });
    }
  }
  return people.map((person) => ({ person, sum: sumMonth(calculated.get(person.id)!, today) }));
}

const ofPerson = (row: WorkRow) => row.person_id;

/** Who has probably forgotten to clock out, by `person date` of the open entry. */
async function forgottenOf(reader: Reader, companyId: CompanyId, at: Instant): Promise<Map<string, Finding[]>> {
  const open = await listOpenWork(reader, companyId);
  return new Map(open.map((row) => [`${row.person_id} ${row.date}`, forgottenClockOut(row.start_at, at)]));
}

export interface PersonMonthBalance extends PersonMonth {
  /** Carried over from the previous month. */
  readonly carriedMinutes: number;
  /** Sum of the bookings in the account. */
  readonly bookedMinutes: number;
  readonly balanceMinutes: number;
}

export interface CompanyMonthReport {
  readonly closed: boolean;
  readonly lines: readonly PersonMonthBalance[];
}

/**
 * The report of a month: stored figures for closed months, calculated ones for open months.
 * @param only lines of these people
 */
export async function readCompanyMonth(
  reader: Reader,
  company: CompanyRow,
  month: string,
  at: Instant,
  only?: ReadonlySet<PersonId>,
): Promise<CompanyMonthReport> {
  const closed = await findClosedMonth(reader, company.id, month);
  const lines =
    closed?.settled === 1
      ? (await storedMonth(reader, company, month)).filter(({ person }) => only?.has(person.id) ?? true)
      : await calculateCompanyMonth(reader, company, month, at, undefined, undefined, only);
  return { closed: closed !== undefined, lines: await withBalances(reader, company, month, at, lines) };
}

/** Adds what people carry over from the months before, and what is booked. */
export async function withBalances(
  reader: Reader,
  company: CompanyRow,
  month: string,
  at: Instant,
  lines: readonly PersonMonth[],
): Promise<PersonMonthBalance[]> {
  const carried = await carriedInto(reader, company, month, at);
  const booked = await bookedInCompany(reader, company.id, { month, to: lastDayOf(month) });
  return lines.map(({ person, sum }) => {
    const { before, within } = booked.get(person.id) ?? { before: 0, within: 0 };
    const carriedMinutes = person.opening_minutes + (carried.get(person.id) ?? 0) + before;
    const balanceMinutes = carriedMinutes + sum.differenceMinutes + within;
    return { person, sum, carriedMinutes, bookedMinutes: within, balanceMinutes };
  });
}

/** The lines of a finalised month are those it was closed with, whatever became of the people since. */
async function storedMonth(reader: Reader, company: CompanyRow, month: string): Promise<PersonMonth[]> {
  const sums = new Map((await listFinalised(reader, company.id, month)).map((row) => [row.person_id, sumOf(row)]));
  return (await listPeopleOfFinalised(reader, company.id, month)).flatMap((person) => {
    const sum = sums.get(person.id);
    // Erased between the two reads.
    return sum === undefined ? [] : [{ person, sum }];
  });
}

/** Everyone's differences before a month: stored for finalised months, calculated for the others. */
export async function carriedInto(
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
  const open = monthsBetween(first, previousMonth(month)).filter((one) => !finalised.has(one));
  const differences = await openDifferences(reader, company, open, at, async (one) =>
    (await calculateCompanyMonth(reader, company, one, at)).map(({ person, sum }) => ({
      person,
      minutes: sum.differenceMinutes,
    })),
  );
  for (const [id, minutes] of differences) carried.set(id, (carried.get(id) ?? 0) + minutes);
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
