/** Days and months of one person. */
import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { addDays, type LocalDate, localDateAt, startOfDay } from '@clockproof/platform/time/local-date';
import { approvedAbsenceDays, daysBetween } from '../absences/days.js';
import { type EntryRow, findOpenEntry, lastEndBefore } from '../clocking/rows.js';
import { forgottenClockOut } from '../clocking/stamp-decision.js';
import { readBreaks, writeBreaks } from '../clocking/time-entry.js';
import { listClosedMonths } from '../months/rows.js';
import type { PersonRow } from '../people/rows.js';
import { holidaysIn } from '../working-time/holidays.js';
import { missingRecord } from '../working-time/record-duty.js';
import { readCircumstances, readSchedules } from '../working-time/rows.js';
import { type Finding, isViolation, rulesOn } from '../working-time/rules.js';
import { type Confidentiality, mustBeRecorded } from '../working-time/special-rules.js';
import { readContinuation } from '../working-time/working-days.js';
import { bookedByMonth } from './booking-rows.js';
import {
  type CalculatedDay,
  calendarOf,
  dueOn,
  emptyMonth,
  type MonthSum,
  sumMonth,
  sumOf,
} from './calculated-days.js';
import { creditedTypes } from './credited-types.js';
import { groupBy } from './grouping.js';
import { datesOf, lastDayOf, monthsBetween } from './months.js';
import { listFinalisedOfPerson, listPendingWork, listPersonWork, type WorkRow } from './rows.js';
import { calculateDay } from './work-of-day.js';

export interface PersonDay extends CalculatedDay {
  readonly breakMinutes: number;
  readonly holiday: string | undefined;
  readonly found: readonly Finding[];
}

/**
 * Days of a person, both ends included. The open entry counts on its day, up to now; months leave it out until it has
 * ended. Findings are those of the working day that began on the date.
 * @param openUntil now, to count the open entry; absent to leave it out
 * @param confidentiality what the reader may know of the person
 */
export async function readPersonDays(
  reader: Reader,
  person: PersonRow,
  from: LocalDate,
  to: LocalDate,
  openUntil?: Instant,
  confidentiality: Confidentiality = 'general',
): Promise<PersonDay[]> {
  const holidays = holidaysIn(person.country, person.region, person.language);
  const circumstances = await readCircumstances(reader, person, confidentiality);
  const schedules = await readSchedules(reader, person);
  const credited = await creditedTypes(reader, person.company_id);
  const absences = groupBy(
    await approvedAbsenceDays(reader, { companyId: person.company_id, personId: person.id, from, to }),
    (absence) => absence.date,
  );
  const timeZone = person.time_zone;
  const work = groupBy(await listPersonWork(reader, person.id, from, to), (row) => row.date);
  const open = openUntil === undefined ? undefined : await findOpenEntry(reader, person.id);
  const running = open === undefined ? undefined : closedAt(open, openUntil!);
  const withRunning = (date: LocalDate, rows: readonly WorkRow[]) =>
    running?.date === date ? [...rows, running] : rows;
  const workOn = async (date: LocalDate) =>
    withRunning(date, date <= to ? (work.get(date) ?? []) : await listPersonWork(reader, person.id, date, date));
  const pending = new Set(
    openUntil === undefined || !daysBetween(from, to).some((date) => mustBeRecorded(circumstances, date))
      ? []
      : (await listPendingWork(reader, { companyId: person.company_id, from, to }))
          .filter((row) => row.person_id === person.id)
          .map((row) => row.date),
  );
  let previousEnd = await lastEndBefore(reader, person.id, startOfDay(from, timeZone));
  const days: PersonDay[] = [];
  for (const day of calendarOf(daysBetween(from, to), holidays)) {
    const rows = withRunning(day.date, work.get(day.date) ?? []);
    const end = rows.at(-1)?.end_at;
    const later = end === undefined ? [] : await readContinuation({ date: day.date, end, timeZone }, workOn);
    const done = calculateDay(rows, {
      date: day.date,
      timeZone,
      holidays,
      rules: rulesOn(person.country, circumstances, day.date),
      previousEnd,
      later,
      ongoing: running !== undefined && running === (later.at(-1) ?? rows.at(-1)) && !running.paused,
    });
    previousEnd = done.end ?? previousEnd;
    const forgotten = open?.date === day.date ? forgottenClockOut(open.start_at, openUntil!) : [];
    const absent = (absences.get(day.date) ?? []).map((absence) => ({
      type: absence.type,
      portion: absence.portion,
      credited: credited.has(absence.type),
    }));
    const due = dueOn(person, schedules, day, absent);
    const unrecorded =
      openUntil === undefined || !mustBeRecorded(circumstances, day.date)
        ? []
        : missingRecord(
            person.country,
            {
              date: day.date,
              open: open?.date === day.date,
              complete: rows.length > 0 || pending.has(day.date),
              dueMinutes: absent.length === 0 ? due.scheduledMinutes : 0,
            },
            localDateAt(openUntil, timeZone),
          );
    const found = [...done.findings, ...forgotten, ...unrecorded];
    days.push({
      date: day.date,
      holiday: day.holiday,
      due,
      workedMinutes: done.workedMinutes,
      breakMinutes: done.breakMinutes,
      absences: absent,
      findings: found.filter(isViolation).length,
      found,
    });
  }
  return days;
}

/** An open entry as if it ended now, together with a current break. No break is deducted from it yet. */
function closedAt(open: EntryRow, now: Instant): WorkRow & { readonly paused: boolean } {
  const end = Math.max(now, open.start_at);
  const breaks = readBreaks(open.breaks);
  return {
    ...open,
    end_at: end,
    breaks: writeBreaks(breaks.map((one) => ({ start: one.start, end: one.end ?? Math.max(one.start, end) }))),
    break_rules: null,
    paused: breaks.some((one) => one.end === undefined),
  };
}

export interface MonthOfPerson {
  readonly month: string;
  readonly sum: MonthSum;
  /** Carried over from the previous month. */
  readonly carriedMinutes: number;
  /** Sum of the bookings in the account. */
  readonly bookedMinutes: number;
  /** Carried, plus difference, plus booked. */
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
  const closedRows = await listClosedMonths(reader, person.company_id, first, last);
  const closed = new Set(closedRows.map((row) => row.month));
  // A finalised month without a row of the person was closed without them.
  const sums = new Map<string, MonthSum>(
    closedRows.filter((row) => row.settled === 1).map((row) => [row.month, emptyMonth]),
  );
  for (const row of await listFinalisedOfPerson(reader, person.id, person.company_id)) sums.set(row.month, sumOf(row));
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
  const booked = await bookedByMonth(reader, person.id);
  let balance = person.opening_minutes;
  return months.map((month) => {
    const sum = sums.get(month) ?? emptyMonth;
    const [carriedMinutes, bookedMinutes] = [balance, booked.get(month) ?? 0];
    balance += sum.differenceMinutes + bookedMinutes;
    return { month, sum, carriedMinutes, bookedMinutes, balanceMinutes: balance, closed: closed.has(month) };
  });
}

/** A month in which nothing has been tracked: the balance stays what it was. */
export function untrackedMonth(month: string, balanceMinutes: number): MonthOfPerson {
  return {
    month,
    sum: emptyMonth,
    carriedMinutes: balanceMinutes,
    bookedMinutes: 0,
    balanceMinutes,
    closed: false,
  };
}

/** The sum of some days of a month, as far as they are over. */
export async function sumOfDays(
  reader: Reader,
  person: PersonRow,
  { from, to }: { readonly from: LocalDate; readonly to: LocalDate },
  at: Instant,
): Promise<MonthSum> {
  const days = to < from ? [] : await readPersonDays(reader, person, from, to);
  return sumMonth(
    days.filter((day) => day.date >= person.kept_from),
    localDateAt(at, person.time_zone),
  );
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
