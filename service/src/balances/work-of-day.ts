/** Calculates and evaluates one person's work of one day. Pure. */
import type { Instant } from '@clockproof/platform/time/instant';
import type { LocalDate } from '@clockproof/platform/time/local-date';
import { readBreaks } from '../clocking/breaks.js';
import { workOf } from '../clocking/stamp-warnings.js';
import { calculateWorkedTime } from '../clocking/worked-time.js';
import type { Holidays } from '../working-time/holidays.js';
import { evaluateDay, type Finding, type WorkingTimeRules } from '../working-time/rules.js';
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
  readonly timeZone: string;
  readonly holidays: Holidays;
  readonly rules: WorkingTimeRules | undefined;
  /** When work on an earlier day last ended. */
  readonly previousEnd: Instant | undefined;
}

/** @param rows of one person and date, in order of time */
export function calculateDay(rows: readonly WorkRow[], { rules, ...day }: DayContext): WorkOfDay {
  if (rows.length === 0) return noWork;
  let [workedMinutes, breakMinutes] = [0, 0];
  for (const row of rows) {
    const lengths = row.breaks === '[]' ? [] : readBreaks(row.breaks).map((interval) => interval.end! - interval.start);
    const minutes = calculateWorkedTime(row.end_at - row.start_at, lengths, row.break_rules);
    workedMinutes += minutes.workedMinutes;
    breakMinutes += minutes.breakMinutes;
  }
  const findings =
    rules === undefined ? [] : evaluateDay(rules, { ...day, work: rows.map((row) => workOf(row, row.end_at)) });
  return { workedMinutes, breakMinutes, findings, end: rows.at(-1)!.end_at };
}
