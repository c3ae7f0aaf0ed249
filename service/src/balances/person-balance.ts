/** Days and months of one person. */
import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { addDays, type LocalDate, localDateAt, startOfDay } from '@clockproof/platform/time/local-date';
import { approvedAbsenceDays, daysBetween } from '../absences/calendar.js';
import { type EntryRow, findOpenEntry, lastEndBefore } from '../clocking/rows.js';
import { listClosedMonths } from '../months/rows.js';
import type { PersonRow } from '../people/rows.js';
import { holidaysIn } from '../working-time/holidays.js';
import { readSchedules } from '../working-time/rows.js';
import { type Finding, rulesOf } from '../working-time/rules.js';
import { type CalculatedDay, calendarOf, dueOn, emptyMonth, type MonthSum, sumMonth } from './calculated-days.js';
import { creditedTypes } from './company-month.js';
import { groupBy } from './grouping.js';
import { datesOf, lastDayOf, monthsBetween } from './months.js';
import { listFinalisedOfPerson, listPersonWork } from './rows.js';
import { calculateDay } from './work-of-day.js';

export interface PersonDay extends CalculatedDay {
  readonly breakMinutes: number;
  readonly holiday: string | undefined;
  readonly found: readonly Finding[];
}

/**
 * Days of a person, both ends included. The open entry counts on its day, up to now; months leave it out until it has
 * ended.
 * @param openUntil now, to count the open entry; absent to leave it out
 */
export async function readPersonDays(
  reader: Reader,
  person: PersonRow,
  from: LocalDate,
  to: LocalDate,
  openUntil?: Instant,
): Promise<PersonDay[]> {
  const holidays = holidaysIn(person.country, person.region, person.language);
  const rules = rulesOf(person.country);
  const schedules = await readSchedules(reader, person);
  const credited = await creditedTypes(reader, person.company_id);
  const absences = groupBy(
    await approvedAbsenceDays(reader, { companyId: person.company_id, personId: person.id, from, to }),
    (absence) => absence.date,
  );
  const work = groupBy(await listPersonWork(reader, person.id, from, to), (row) => row.date);
  const open = openUntil === undefined ? undefined : await findOpenEntry(reader, person.id);
  if (open !== undefined) work.set(open.date, [...(work.get(open.date) ?? []), closedAt(open, openUntil!)]);
  let previousEnd = await lastEndBefore(reader, person.id, startOfDay(from, person.time_zone));
  return calendarOf(daysBetween(from, to), holidays).map((day) => {
    const done = calculateDay(work.get(day.date) ?? [], {
      date: day.date,
      timeZone: person.time_zone,
      holidays,
      rules,
      previousEnd,
    });
    previousEnd = done.end ?? previousEnd;
    const absent = (absences.get(day.date) ?? []).map((absence) => ({
      type: absence.type,
      portion: absence.portion,
      credited: credited.has(absence.type),
    }));
    return {
      date: day.date,
      holiday: day.holiday,
      due: dueOn(person, schedules, day, absent),
      workedMinutes: done.workedMinutes,
      breakMinutes: done.breakMinutes,
      absences: absent,
      findings: done.findings.length,
      found: done.findings,
    };
  });
}

/** An open entry as if it ended now, together with a current break. No break is deducted from it yet. */
function closedAt(open: EntryRow, now: Instant): EntryRow & { readonly end_at: number } {
  const end = Math.max(now, open.start_at);
  const breaks = (JSON.parse(open.breaks) as [number, number | null][]).map(([start, ended]) => [
    start,
    ended ?? Math.max(start, end),
  ]);
  return { ...open, end_at: end, breaks: JSON.stringify(breaks), break_rules: null };
}

export interface MonthOfPerson {
  readonly month: string;
  readonly sum: MonthSum;
  /** Carried over from the previous month. */
  readonly carriedMinutes: number;
  readonly balanceMinutes: number;
  readonly closed: boolean;
}

/**
 * A person's months from the tracking start date up to a month. Stored figures for closed months; the others are
 * calculated in one pass.
 */
export async function readPersonMonths(
  reader: Reader,
  person: PersonRow,
  last: string,
  at: Instant,
): Promise<MonthOfPerson[]> {
  const today = localDateAt(at, person.time_zone);
  const months = monthsBetween(person.kept_from.slice(0, 7), last);
  const [first] = months;
  if (first === undefined) return [];
  const closed = new Set((await listClosedMonths(reader, person.company_id, first, last)).map((row) => row.month));
  const sums = new Map<string, MonthSum>(
    (await listFinalisedOfPerson(reader, person.id, person.company_id)).map((row) => [
      row.month,
      {
        targetMinutes: row.target_minutes,
        workedMinutes: row.worked_minutes,
        differenceMinutes: row.difference_minutes,
        absenceHalfDays: row.absence_half_days,
        findings: row.findings,
      },
    ]),
  );
  for (const [from, to] of runsOf(months.filter((month) => !sums.has(month)))) {
    const days = groupBy(await readPersonDays(reader, person, `${from}-01`, lastDayOf(to)), (day) =>
      day.date.slice(0, 7),
    );
    for (const [month, list] of days)
      sums.set(
        month,
        sumMonth(
          list.filter((day) => day.date >= person.kept_from),
          today,
        ),
      );
  }
  let balance = person.opening_minutes;
  return months.map((month) => {
    const sum = sums.get(month) ?? emptyMonth;
    const carriedMinutes = balance;
    balance += sum.differenceMinutes;
    return { month, sum, carriedMinutes, balanceMinutes: balance, closed: closed.has(month) };
  });
}

/** Runs of consecutive months as `[first, last]`, so that each is read at once. */
function runsOf(months: readonly string[]): [string, string][] {
  const runs: [string, string][] = [];
  for (const month of months) {
    const run = runs.at(-1);
    if (run !== undefined && addDays(lastDayOf(run[1]), 1) === datesOf(month)[0]) run[1] = month;
    else runs.push([month, month]);
  }
  return runs;
}
