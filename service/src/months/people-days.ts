/** Days of people of a company, judged by the rules of working time. Reads one query per table for a group of people. */
import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { type LocalDate, localDateAt } from '@clockproof/platform/time/local-date';
import { forgottenClockOut, missingClockOut, presenceLimit } from '../clock/forgotten.js';
import { readBreaks, writeBreaks } from '../clock/time-entry.js';
import { presentSince } from '../working-time/evaluations.js';
import { missingRecord } from '../working-time/record-duty.js';
import { readCircumstances, readCompanyCircumstances } from '../working-time/rows.js';
import { isViolation, rulesOn } from '../working-time/rules.js';
import { type Circumstances, type Confidentiality, mustBeRecorded } from '../working-time/special-rules.js';
import { workingDaysOf } from '../working-time/working-days.js';
import type { PersonDay } from './calculated-days.js';
import { type ClosedDay, readClosedDays } from './closed-days.js';
import { groupBy } from './grouping.js';
import { listOpenWork, listPendingWork, listWork, type OpenWorkRow, type WorkRow } from './rows.js';
import {
  type CompanySettings,
  inGroups,
  pauseBefore,
  readTargets,
  type Span,
  type Targets,
  type TrackedPerson,
} from './targets.js';
import { findingsOf, noTime, timeByDate, workSpanOf } from './work-of-day.js';

export interface DaysOptions {
  /** Now, to report forgotten clock-outs and missing records; absent to leave them out. */
  readonly at?: Instant | undefined;
  /** The open entry counts on its day, up to now. */
  readonly countsOpenEntry?: boolean;
  /** False hides presence at work from the reader; true by default. */
  readonly presence?: boolean;
  /** The reader's right to confidential facts of the people. */
  readonly confidentiality: Confidentiality;
}

/** Yields the people in their order, each with all days of the span; those of closed months are as they were closed. */
export async function* readDays<Person extends TrackedPerson>(
  reader: Reader,
  company: CompanySettings,
  people: readonly Person[],
  span: Span,
  options: DaysOptions,
): AsyncGenerator<{ readonly person: Person; readonly days: readonly PersonDay[] }> {
  if (people.length === 0) return;
  const [targets, circumstancesFor, closedDay] = await Promise.all([
    readTargets(reader, company, people, span),
    readCircumstancesOf(reader, company, people, options.confidentiality),
    readClosedDays(reader, { companyId: company.id, people }, span, options.confidentiality),
  ]);
  for (const group of inGroups(people, targets.calendar.length)) {
    const owesRecords =
      options.at !== undefined &&
      group.some(({ id }) => targets.calendar.some(({ date }) => mustBeRecorded(circumstancesFor(id), date)));
    const peopleOfCompany = { companyId: company.id, people: group };
    const [work, openWork, pendingWork] = await Promise.all([
      listWork(reader, peopleOfCompany, workSpanOf(span)),
      listOpenWork(reader, peopleOfCompany),
      owesRecords ? listPendingWork(reader, peopleOfCompany, span) : [],
    ]);
    const workOf = groupBy(work, (row) => row.person_id);
    const shownOpen = openWork.filter(
      (row) =>
        row.status === 'clock_out_missing' ||
        (options.at !== undefined && (options.presence !== false || row.start_at <= presentSince(options.at))),
    );
    const openOf = groupBy(shownOpen, (row) => row.person_id);
    const pendingDays = new Set(pendingWork.map((row) => `${row.person_id} ${row.date}`));
    for (const [index, person] of group.entries()) {
      await pauseBefore(index);
      const days = calculateDays(person, targets, {
        ...options,
        company,
        circumstances: circumstancesFor(person.id),
        withoutEnd: openOf.get(person.id) ?? [],
        isPending: (date) => pendingDays.has(`${person.id} ${date}`),
        closedDay: (date) => closedDay(person.id, date),
        work: workOf.get(person.id) ?? [],
      });
      yield { person, days };
    }
  }
}

export async function readCircumstancesOf(
  reader: Reader,
  company: CompanySettings,
  people: readonly TrackedPerson[],
  confidentiality: Confidentiality,
): Promise<(id: number) => Circumstances> {
  if (people.length > 1) return (await readCompanyCircumstances(reader, company, confidentiality)).of;
  const circumstances = await readCircumstances(reader, { ...company, id: people[0]!.id }, confidentiality);
  return () => circumstances;
}

interface Facts extends DaysOptions {
  readonly company: CompanySettings;
  readonly circumstances: Circumstances;
  readonly withoutEnd: readonly OpenWorkRow[];
  readonly isPending: (date: LocalDate) => boolean;
  readonly closedDay: (date: LocalDate) => ClosedDay | undefined;
  /** In order of time, from some days before the span until some after it. */
  readonly work: readonly WorkRow[];
}

function calculateDays(
  person: TrackedPerson,
  { calendar, holidays, of }: Targets,
  { company, circumstances, withoutEnd, isPending, closedDay, work, at, countsOpenEntry }: Facts,
): PersonDay[] {
  const { country, time_zone: timeZone } = company;
  const targetOn = of(person);
  const openWork = withoutEnd.find(({ status }) => status === 'open');
  const overdueFindings =
    openWork === undefined ? [] : forgottenClockOut(openWork.start_at, at!, presenceLimit(company.new_day_after_hours));
  const runningWork =
    openWork === undefined || countsOpenEntry !== true || overdueFindings.length > 0
      ? undefined
      : endedAt(openWork, at!);
  const entries = runningWork === undefined ? work : [...work, runningWork];
  const times = timeByDate(work, openWork, runningWork);
  const recordedDates = new Set(entries.map(({ date }) => date));
  const workingDaysByDate = groupBy(workingDaysOf(entries), ({ date }) => date);
  const days: PersonDay[] = [];
  for (const day of calendar) {
    const { date } = day;
    const storedDay = closedDay(date);
    if (storedDay !== undefined) {
      days.push(storedDay);
      continue;
    }
    const dayResult = times.get(date) ?? noTime;
    const violations = findingsOf({
      timeZone,
      holidays,
      rules: rulesOn(country, circumstances, date),
      workingDays: workingDaysByDate.get(date) ?? [],
      ongoing: runningWork?.paused === false ? runningWork : undefined,
    });
    const { due, absences } = targetOn(day);
    const isOpen = openWork?.date === date;
    const lacksEnd = withoutEnd.some((row) => row.date === date && row.status === 'clock_out_missing');
    const forgottenFindings = [...(isOpen ? overdueFindings : []), ...(lacksEnd ? [missingClockOut(date)] : [])];
    // Today's minutes do not count before the day is over.
    const isIncomplete = lacksEnd || (isOpen && date < localDateAt(at!, timeZone));
    const recordFindings =
      at === undefined || !mustBeRecorded(circumstances, date)
        ? []
        : missingRecord(
            country,
            {
              date,
              open: isOpen || lacksEnd,
              complete: recordedDates.has(date) || isPending(date),
              dueMinutes: absences.length === 0 ? due.scheduledMinutes : 0,
            },
            localDateAt(at, timeZone),
          );
    const allFindings = [...violations, ...forgottenFindings, ...recordFindings];
    days.push({
      date,
      holiday: day.holiday?.name,
      due,
      workedMinutes: dayResult.workedMinutes,
      breakMinutes: dayResult.breakMinutes,
      deductedMinutes: dayResult.deductedMinutes,
      incomplete: isIncomplete,
      differenceMinutes:
        date < person.tracking_start || isIncomplete
          ? 0
          : dayResult.workedMinutes - due.scheduledMinutes + due.creditedMinutes,
      absences,
      findings: allFindings.filter(isViolation).length,
      found: allFindings,
    });
  }
  return days;
}

/** An open entry as if it ended now, together with a current break. No break is deducted from it yet. */
function endedAt(openWork: OpenWorkRow, now: Instant): WorkRow & { readonly paused: boolean } {
  const end = Math.max(now, openWork.start_at);
  const breaks = readBreaks(openWork.breaks);
  return {
    ...openWork,
    end_at: end,
    breaks: writeBreaks(breaks.map((pause) => ({ start: pause.start, end: pause.end ?? Math.max(pause.start, end) }))),
    break_rules: null,
    young: 0,
    paused: breaks.some((pause) => pause.end === undefined),
  };
}
