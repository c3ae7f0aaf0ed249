/** Calculates and evaluates one person's work of one date. Pure. */
import { minute } from '@clockproof/platform/time/instant';
import { addDays, type LocalDate } from '@clockproof/platform/time/local-date';
import type { ZoneName } from '@clockproof/platform/time/zone';
import { timeOf, workOf } from '../clock/time-entry.js';
import { type BreakRules, deductedMinutes } from '../working-time/break-deduction.js';
import type { Holidays } from '../working-time/holidays.js';
import { evaluateDay, type Finding, type WorkingTimeRules } from '../working-time/rules.js';
import { continues, type WorkingDay, workingDaysOf } from '../working-time/working-days.js';
import { groupBy } from './grouping.js';
import type { OpenWorkRow, WorkRow } from './rows.js';
import type { Span } from './targets.js';

export interface DayContext {
  readonly timeZone: ZoneName;
  readonly holidays: Holidays;
  readonly rules: WorkingTimeRules | undefined;
  /** The working days that began on the date. */
  readonly workingDays: readonly WorkingDay<WorkRow>[];
  /** The open entry, while the person is at work. */
  readonly ongoing?: WorkRow | undefined;
}

/** The findings of the working days that began on a date: a night shift in two entries has its findings on the evening. */
export function findingsOf({ rules, workingDays, ongoing, ...day }: DayContext): readonly Finding[] {
  if (rules === undefined) return [];
  return workingDays.flatMap(({ date, rows: entries, previousEnd }) =>
    evaluateDay(rules, {
      ...day,
      date,
      work: entries.map((row) => workOf(row, row.end_at)),
      previousEnd,
      ongoing: ongoing !== undefined && entries.at(-1) === ongoing,
    }),
  );
}

/** Days to look back for the beginning of a working day, and for the end of the work before it. */
const lookBackDays = 4;
/** The last entry of a working day begins within 24 hours: on the next date, or after one of 23 hours. */
const lookAheadDays = 2;

/** The days whose entries the time and the findings of a span depend on. */
export const workSpanOf = ({ from, to }: Span): Span => ({
  from: addDays(from, -lookBackDays),
  to: addDays(to, lookAheadDays),
});

/** The time of the entries that began on a date. */
export interface TimeOfDay {
  /** Without breaks, stamped and deducted. */
  readonly workedMinutes: number;
  /** Stamped and deducted. */
  readonly breakMinutes: number;
  readonly deductedMinutes: number;
}

export const noTime: TimeOfDay = { workedMinutes: 0, breakMinutes: 0, deductedMinutes: 0 };

/**
 * The worked time of a person by date: the one function for all figures. Seconds of the entries of a date are added and
 * cut once, so that many short entries lose no more than one long one. Breaks are deducted per working day; while the
 * person is at work, the break may still come.
 * @param rows finished entries in order of time, of {@link workSpanOf} the dates that are asked for
 * @param open the entry without an end
 * @param runningWork the same with the time up to now, if that counts
 */
export function timeByDate(
  rows: readonly WorkRow[],
  open?: Pick<OpenWorkRow, 'date' | 'start_at'>,
  runningWork?: WorkRow,
): ReadonlyMap<LocalDate, TimeOfDay> {
  const deductedByDate = new Map<LocalDate, number>();
  for (const { rows: entries } of workingDaysOf(rows)) {
    const [first, last] = [entries[0]!, entries.at(-1)!];
    const { break_rules: country, date, young } = first;
    const workSpan = { date, start_at: first.start_at, end_at: last.end_at };
    const isOngoing = open !== undefined && continues(workSpan, { ...open, end_at: open.start_at });
    if (country === null || isOngoing) continue;
    for (const [onDate, deducted] of deductBreaks({ country, date, young: young === 1 }, entries))
      deductedByDate.set(onDate, (deductedByDate.get(onDate) ?? 0) + deducted);
  }
  const times = new Map<LocalDate, TimeOfDay>();
  for (const [date, onDate] of groupBy(runningWork === undefined ? rows : [...rows, runningWork], (row) => row.date)) {
    const { worked, paused } = sumOf(onDate);
    const deducted = deductedByDate.get(date) ?? 0;
    times.set(date, {
      workedMinutes: Math.floor(worked / minute) - deducted,
      breakMinutes: Math.floor(paused / minute) + deducted,
      deductedMinutes: deducted,
    });
  }
  return times;
}

/**
 * The minutes that a working day lacks in breaks, by date. Each date bears what was missing with the entries up to it
 * and was not missing before: entries after midnight add nothing to the date before, whose month may be closed. Only a
 * pause after it that counts as a break takes minutes back from it.
 */
function deductBreaks(rules: BreakRules, entries: readonly WorkRow[]): ReadonlyMap<LocalDate, number> {
  const portions = new Map<LocalDate, number>();
  const dates = [...groupBy(entries, (row) => row.date)];
  let deducted = 0;
  for (const index of dates.keys()) {
    const soFar = dates.slice(0, index + 1);
    const work = soFar.flatMap(([, onDate]) => onDate.map((row) => workOf(row, row.end_at)));
    let change = deductedMinutes(rules, work) - deducted;
    deducted += change;
    for (const [date, onDate] of soFar.toReversed()) {
      const before = portions.get(date) ?? 0;
      const worked = Math.floor(sumOf(onDate).worked / minute);
      const after = Math.min(Math.max(0, before + change), worked);
      portions.set(date, after);
      change -= after - before;
    }
  }
  return portions;
}

function sumOf(rows: readonly WorkRow[]): ReturnType<typeof timeOf> {
  let [worked, paused] = [0, 0];
  for (const row of rows) {
    const time = timeOf(row);
    worked += time.worked;
    paused += time.paused;
  }
  return { worked, paused };
}
