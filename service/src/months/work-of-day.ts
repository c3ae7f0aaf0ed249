/** Calculates and evaluates one person's work of one date. Pure. */
import { minute } from '@clockproof/platform/time/instant';
import type { ZoneName } from '@clockproof/platform/time/zone';
import { breakRulesOf, calculateWorkedTime, readBreaks, workOf } from '../clock/time-entry.js';
import type { Holidays } from '../working-time/holidays.js';
import { evaluateDay, type Finding, type WorkingTimeRules } from '../working-time/rules.js';
import type { WorkingDay } from '../working-time/working-days.js';
import type { WorkRow } from './rows.js';

export interface WorkOfDay {
  readonly workedMinutes: number;
  readonly breakMinutes: number;
  readonly findings: readonly Finding[];
}

export interface DayContext {
  readonly timeZone: ZoneName;
  readonly holidays: Holidays;
  readonly rules: WorkingTimeRules | undefined;
  /** The working days that began on the date. */
  readonly workingDays: readonly WorkingDay<WorkRow>[];
  /** The open entry, while the person is at work. */
  readonly ongoing?: WorkRow | undefined;
}

/**
 * The minutes are those of the entries that began on the date, the findings those of the working days that began on it:
 * a night shift in two entries has its findings on the evening.
 * @param rows of one person and date, in order of time
 */
export function calculateDay(rows: readonly WorkRow[], { rules, workingDays, ongoing, ...day }: DayContext): WorkOfDay {
  const findings =
    rules === undefined
      ? []
      : workingDays.flatMap(({ date, rows: entries, previousEnd }) =>
          evaluateDay(rules, {
            ...day,
            date,
            work: entries.map((row) => workOf(row, row.end_at)),
            previousEnd,
            ongoing: ongoing !== undefined && entries.at(-1) === ongoing,
          }),
        );
  return { ...minutesOf(rows), findings };
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
