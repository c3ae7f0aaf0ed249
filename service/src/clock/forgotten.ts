/** Recognises forgotten clock-outs. Pure. */
import { hour, type Instant, minute } from '@clockproof/platform/time/instant';
import type { LocalDate } from '@clockproof/platform/time/local-date';
import type { Finding } from '../working-time/rules.js';
import { lengthOfWorkingDay, workingDaysOf } from '../working-time/working-days.js';
import type { EntryRow } from './rows.js';
import type { StampFacts } from './stamp-rows.js';

/** The limit of companies that require a clock-out before a new day begins. */
const usualLimitHours = 16;

/**
 * Longest time for which an entry may be open before it counts as forgotten. @param hours the company's
 * `new_day_after_hours`
 */
export const presenceLimit = (hours: number | null): number => (hours ?? usualLimitHours) * hour;

/**
 * The open entry, if it is of an earlier working day: older than the company's limit, or of a working day that is over,
 * such as an entry of the evening after a day of work. Undefined too if the company wants everybody to clock out first.
 */
export function forgottenEntry(
  { person, open, recent, endBefore }: Pick<StampFacts, 'person' | 'open' | 'recent' | 'endBefore'>,
  at: Instant,
): EntryRow | undefined {
  if (open === undefined || person.new_day_after_hours === null) return undefined;
  if (at - open.start_at > presenceLimit(person.new_day_after_hours)) return open;
  const endedEntries = recent.flatMap((entry) => (entry.end_at === null ? [] : [{ ...entry, end_at: entry.end_at }]));
  const workingDay = workingDaysOf([...endedEntries, { ...open, end_at: at }], endBefore).at(-1)!;
  return at - workingDay.rows[0]!.start_at >= lengthOfWorkingDay ? open : undefined;
}

/**
 * Warns that a person has probably forgotten to clock out. This is a hint, not a rule of law.
 * @param start of the open entry
 * @param limit milliseconds
 */
export function forgottenClockOut(start: Instant, now: Instant, limit: number): Finding[] {
  if (now - start <= limit) return [];
  return [
    {
      code: 'clock_out_missing',
      limitMinutes: limit / minute,
      actualMinutes: Math.floor((now - start) / minute),
    },
  ];
}

/** An entry that ended without a clock-out. @param date on which it began */
export const missingClockOut = (date: LocalDate): Finding => ({
  code: 'clock_out_missing',
  of: date,
  limitMinutes: 0,
  actualMinutes: 0,
});
