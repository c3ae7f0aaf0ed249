/**
 * Assigns work to working days: the individual ones of the Arbeitszeitgesetz, which begin with a person's work and not
 * at midnight. Entries of one date belong together, and work that goes on after midnight. Eleven hours without work end
 * a working day, and no entry belongs to it that begins more than 24 hours after it. Pure.
 */
import { hour, type Instant } from '@clockproof/platform/time/instant';
import type { LocalDate } from '@clockproof/platform/time/local-date';

/** Its hours are those that the limit of a day counts, ArbZG §3. */
export const lengthOfWorkingDay = 24 * hour;

/** The rest between two working days, ArbZG §5 (1). */
const restBetweenDays = 11 * hour;

/**
 * After midnight, a shorter pause does not end a shift. The law names no figure; three hours is longer than a pause
 * between the parts of one shift and far shorter than a rest between two.
 */
const pauseOfShift = 3 * hour;

/** Work from an instant to another. */
export interface Dated {
  /** The date on which it starts. */
  readonly date: LocalDate;
  readonly start_at: Instant;
  readonly end_at: Instant;
}

export interface WorkingDay<Row extends Dated> {
  /** The date on which it began. */
  readonly date: LocalDate;
  readonly rows: readonly Row[];
  /** The end of the work before it; undefined if unknown. */
  readonly previousEnd: Instant | undefined;
}

/** Whether the next entry continues a working day. @param day from its beginning to its end so far */
export function continues(day: Dated, next: Dated): boolean {
  const pause = next.start_at - day.end_at;
  return (
    pause < restBetweenDays &&
    next.start_at - day.start_at < lengthOfWorkingDay &&
    (next.date === day.date || pause < pauseOfShift)
  );
}

/**
 * A person's working days.
 * @param rows entries in order of time, without overlap
 * @param previousEnd the end of the work before them
 */
export function workingDaysOf<Row extends Dated>(rows: readonly Row[], previousEnd?: Instant): WorkingDay<Row>[] {
  const days: (WorkingDay<Row> & { readonly rows: Row[] })[] = [];
  let end = previousEnd;
  for (const row of rows) {
    const day = days.at(-1);
    if (day !== undefined && continues({ date: day.date, start_at: day.rows[0]!.start_at, end_at: end! }, row))
      day.rows.push(row);
    else days.push({ date: row.date, rows: [row], previousEnd: end });
    end = row.end_at;
  }
  return days;
}
