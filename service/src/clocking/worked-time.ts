/** Minutes of one entry. Pure. */
import { minute } from '@clockproof/platform/time/instant';
import type { PersonRow } from '../people/rows.js';
import { missingBreakMinutes } from '../working-time/break-deduction.js';

export interface WorkedTime {
  /** Elapsed whole minutes without breaks, stamped and deducted. */
  readonly workedMinutes: number;
  /** Stamped and deducted. */
  readonly breakMinutes: number;
  readonly deductedMinutes: number;
  /** Milliseconds without the stamped breaks, for those who add entries up before they cut. */
  readonly worked: number;
  /** Milliseconds of the stamped breaks. */
  readonly paused: number;
}

/**
 * Whole minutes are cut once, from the elapsed time, so that breaks cannot eat rounding.
 * @param elapsed milliseconds from start to end
 * @param breaks milliseconds of each break
 * @param breakRules the country whose break rules deduct missing breaks; null: nothing is deducted
 */
export function calculateWorkedTime(elapsed: number, breaks: readonly number[], breakRules: string | null): WorkedTime {
  const paused = breaks.reduce((sum, length) => sum + length, 0);
  const worked = elapsed - paused;
  const workedMinutes = Math.floor(worked / minute);
  const deductedMinutes =
    breakRules === null
      ? 0
      : missingBreakMinutes(
          breakRules,
          workedMinutes,
          breaks.map((length) => length / minute),
        );
  return {
    workedMinutes: workedMinutes - deductedMinutes,
    breakMinutes: Math.floor(paused / minute) + deductedMinutes,
    deductedMinutes,
    worked,
    paused,
  };
}

/**
 * Whose break rules deduct from an entry of this day: the company's switch holds from the day on which it was turned.
 */
export function breakRulesOn(person: Pick<PersonRow, 'country' | 'deducts_breaks_from'>, date: string): string | null {
  return person.deducts_breaks_from !== null && date >= person.deducts_breaks_from ? person.country : null;
}
