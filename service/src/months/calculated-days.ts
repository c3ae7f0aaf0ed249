/** Calculates target and worked time, by day and in total. Pure. */
import type { LocalDate } from '@clockproof/platform/time/local-date';
import { type AbsenceDay, shareDay } from '../absences/days.js';
import { isEmployed } from '../people/employment.js';
import type { Localized } from '../people/language.js';
import type { PersonRow } from '../people/rows.js';
import type { Holiday, Holidays } from '../working-time/holidays.js';
import type { Finding } from '../working-time/rules.js';
import { type Schedules, scheduledOn, weekdayOf } from '../working-time/schedule.js';
import type { MonthFigures } from './rows.js';

/** A date with the information common to everyone in a company. */
export interface CalendarDay {
  readonly date: LocalDate;
  readonly weekday: number;
  readonly holiday: Holiday | undefined;
}

export function calendarOf(dates: readonly LocalDate[], holidays: Holidays): CalendarDay[] {
  return dates.map((date) => ({ date, weekday: weekdayOf(date), holiday: holidays.on(date) }));
}

/** An absence that counts on a day. `credited`: it removes its part of the target. */
export interface DayAbsence {
  readonly type: string;
  /** The company's name of the type. */
  readonly label: Localized;
  /** The part of the day that it covers. */
  readonly portion: 1 | 0.5;
  /** Its share in the day's working time, see `shareDay`. */
  readonly halves: 0 | 1 | 2;
  readonly credited: boolean;
}

export interface Due {
  /** Target minutes by schedule and holidays, before absences. */
  readonly scheduledMinutes: number;
  /** The part of the target that absences remove. */
  readonly creditedMinutes: number;
  /** The number of halves of the day that are working time. */
  readonly halves: 0 | 1 | 2;
}

const nothingScheduled = { wholeMinutes: 0, minutes: 0, halves: 0 } as const;

/** The target of a day, and the share of each of its absences in it. */
export interface Target {
  readonly due: Due;
  readonly absences: readonly DayAbsence[];
}

/**
 * There is no target outside the employment period or before the tracking start date. Half a day of absence removes half
 * of a whole day's minutes, rounded in the person's favour: on half a holiday, all that is due.
 */
export function targetOn(
  person: Pick<PersonRow, 'employment_start' | 'employment_end' | 'tracking_start'>,
  schedules: Schedules,
  day: CalendarDay,
  absences: readonly (Omit<DayAbsence, 'halves' | 'portion'> & Pick<AbsenceDay, 'half_day'>)[],
): Target {
  const isCounted = day.date >= person.tracking_start && isEmployed(person, day.date);
  const daySchedule = isCounted ? scheduledOn(schedules, day.holiday, day.date) : nothingScheduled;
  const { wholeMinutes, minutes: scheduledMinutes, halves } = daySchedule;
  const shares = shareDay(halves, absences);
  const dayAbsences = absences.map(({ half_day: half, ...absence }, index): DayAbsence => {
    return { ...absence, portion: half === null ? 1 : 0.5, halves: shares[index]! };
  });
  const creditedHalves = dayAbsences.reduce((sum, absence) => sum + (absence.credited ? absence.halves : 0), 0);
  const creditedMinutes = Math.min(scheduledMinutes, Math.ceil((wholeMinutes * creditedHalves) / 2));
  return { due: { scheduledMinutes, creditedMinutes, halves }, absences: dayAbsences };
}

/** Half days of absence, at most as many as are working time. */
export function absentHalves({ halves }: Due, absences: readonly Pick<DayAbsence, 'halves'>[]): number {
  return Math.min(
    halves,
    absences.reduce((sum, absence) => sum + absence.halves, 0),
  );
}

/** The minutes of days that are over: in the current month, up to yesterday. */
export interface Minutes {
  readonly targetMinutes: number;
  readonly workedMinutes: number;
  /** Worked time minus target. */
  readonly differenceMinutes: number;
}

export const noMinutes: Minutes = { targetMinutes: 0, workedMinutes: 0, differenceMinutes: 0 };

export function minus(total: Minutes, part: Minutes): Minutes {
  return {
    targetMinutes: total.targetMinutes - part.targetMinutes,
    workedMinutes: total.workedMinutes - part.workedMinutes,
    differenceMinutes: total.differenceMinutes - part.differenceMinutes,
  };
}

export interface MonthSum extends Minutes {
  readonly absenceHalfDays: number;
  readonly findings: number;
}

/** The stored figures of a month. */
export function sumOf(row: MonthFigures): MonthSum {
  return {
    targetMinutes: row.target_minutes,
    workedMinutes: row.worked_minutes,
    differenceMinutes: row.difference_minutes,
    absenceHalfDays: row.absence_half_days,
    findings: row.findings,
  };
}

export interface CalculatedDay {
  readonly date: LocalDate;
  readonly due: Due;
  readonly workedMinutes: number;
  readonly absences: readonly DayAbsence[];
  readonly findings: number;
  /** An entry has no end yet: its day counts once it has one. Never on a closed day. */
  readonly incomplete?: boolean;
}

/** A day with all that is shown of it. */
export interface PersonDay extends CalculatedDay {
  /** Stamped and deducted. */
  readonly breakMinutes: number;
  readonly deductedMinutes: number;
  /** Worked time minus target; 0 before the tracking start date, and on an incomplete day. */
  readonly differenceMinutes: number;
  /** Name of the holiday. */
  readonly holiday: Localized | undefined;
  readonly found: readonly Finding[];
}

/**
 * @param before the first date that is not over. From it on, minutes do not count yet, nor do those of incomplete days,
 * so that the difference is always worked time minus target; absences and findings do
 */
export function sumMonth(days: readonly CalculatedDay[], before: LocalDate): MonthSum {
  let [targetMinutes, workedMinutes, absenceHalfDays, findings] = [0, 0, 0, 0];
  for (const day of days) {
    if (day.date < before && day.incomplete !== true) {
      targetMinutes += day.due.scheduledMinutes - day.due.creditedMinutes;
      workedMinutes += day.workedMinutes;
    }
    absenceHalfDays += absentHalves(day.due, day.absences);
    findings += day.findings;
  }
  return { targetMinutes, workedMinutes, differenceMinutes: workedMinutes - targetMinutes, absenceHalfDays, findings };
}
