/** Calculates and evaluates one person's work of one date. Pure. */
import { type Instant, minute } from '@clockproof/platform/time/instant';
import type { LocalDate } from '@clockproof/platform/time/local-date';
import type { ZoneName } from '@clockproof/platform/time/zone';
import { breakRulesOf, calculateWorkedTime, readBreaks, workOf } from '../clock/time-entry.js';
import type { Holidays } from '../working-time/holidays.js';
import { evaluateDay, type Finding, type WorkingTimeRules } from '../working-time/rules.js';
import { workingDayOf } from '../working-time/working-days.js';
import type { WorkRow } from './rows.js';

export interface WorkOfDay {
  readonly workedMinutes: number;
  readonly breakMinutes: number;
  readonly findings: readonly Finding[];
  /** When the last of it ended. */
  readonly end: Instant | undefined;
}

export const noWork: WorkOfDay = { workedMinutes: 0, breakMinutes: 0, findings: [], end: undefined };

export interface DayContext {
  readonly date: LocalDate;
  readonly timeZone: ZoneName;
  readonly holidays: Holidays;
  readonly rules: WorkingTimeRules | undefined;
  /** When work on an earlier date last ended. */
  readonly previousEnd: Instant | undefined;
  /** Entries of later dates that may continue the working day, in order of time. */
  readonly later: readonly WorkRow[];
  /** The last entry is open and the person at work. */
  readonly ongoing?: boolean;
}

/**
 * The minutes are those of the entries that began on the date, the findings those of the working day that began on it:
 * a night shift in two entries has its findings on the evening.
 * @param rows of one person and date, in order of time
 */
export function calculateDay(rows: readonly WorkRow[], { rules, previousEnd, later, ...day }: DayContext): WorkOfDay {
  if (rows.length === 0) return noWork;
  const end = rows.at(-1)!.end_at;
  const minutes = minutesOf(rows);
  const workingDay = workingDayOf(rows, previousEnd, later);
  if (rules === undefined || workingDay.rows.length === 0) return { ...minutes, findings: [], end };
  const work = workingDay.rows.map((row) => workOf(row, row.end_at));
  return { ...minutes, findings: evaluateDay(rules, { ...day, work, previousEnd: workingDay.previousEnd }), end };
}

/** Seconds of all entries are added and cut once, so that many short entries lose no more than one long one. */
export function minutesOf(rows: readonly WorkRow[]): Pick<WorkOfDay, 'workedMinutes' | 'breakMinutes'> {
  let [worked, paused, deductedMinutes] = [0, 0, 0];
  for (const row of rows) {
    const lengths = row.breaks === '[]' ? [] : readBreaks(row.breaks).map(({ start, end }) => end! - start);
    const time = calculateWorkedTime(row.end_at - row.start_at, lengths, breakRulesOf(row));
    worked += time.worked;
    paused += time.paused;
    deductedMinutes += time.deductedMinutes;
  }
  return {
    workedMinutes: Math.floor(worked / minute) - deductedMinutes,
    breakMinutes: Math.floor(paused / minute) + deductedMinutes,
  };
}
