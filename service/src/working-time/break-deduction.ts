/**
 * Deducts legally required breaks that were not taken, if the company wants it. Pure: recorded entries stay unchanged.
 */
import { minute } from '@clockproof/platform/time/instant';
import type { LocalDate } from '@clockproof/platform/time/local-date';
import { breakRuleOn, pausesOf, type Work } from './rules.js';

/** What decides which break rule holds for a working day. `country`: ISO 3166-1. */
export interface BreakRules {
  readonly country: string;
  readonly date: LocalDate;
  /** The person is under 18. */
  readonly young: boolean;
}

/** Minutes to deduct from a finished working day: some exactly if the rule of breaks finds `break_missing` in its sum. */
export function deductedMinutes(rules: BreakRules, work: readonly Work[]): number {
  const lengths = (breaks: Work['breaks']) => breaks.reduce((sum, { start, end }) => sum + end - start, 0);
  const workTime = work.reduce((sum, { start, end, breaks }) => sum + end - start - lengths(breaks), 0);
  const pauses = pausesOf(work).map((length) => length / minute);
  return missingBreakMinutes(rules, Math.floor(workTime / minute), pauses);
}

/**
 * The fewest minutes that satisfy the break rule. Ten minutes over the threshold cost ten minutes, not thirty.
 * @param workedMinutes elapsed minutes without breaks
 * @param breakMinutes lengths of the breaks, with fractions: their sum is cut, not each of them
 */
export function missingBreakMinutes(
  { country, date, young }: BreakRules,
  workedMinutes: number,
  breakMinutes: readonly number[],
): number {
  const rule = breakRuleOn(country, date, young);
  if (rule === undefined) return 0;
  const { partMinutes, tiers } = rule;
  const breakSum = Math.floor(breakMinutes.reduce((sum, length) => sum + (length >= partMinutes ? length : 0), 0));
  const requiredMinutes = (minutes: number) => tiers.findLast((tier) => minutes > tier.overMinutes)?.breakMinutes ?? 0;
  // A tier is satisfied if its break is complete, or if its threshold is not exceeded.
  let deduction = 0;
  for (const tier of tiers) {
    if (workedMinutes - deduction <= tier.overMinutes) break;
    deduction = Math.max(deduction, Math.min(tier.breakMinutes - breakSum, workedMinutes - tier.overMinutes));
  }
  return requiredMinutes(workedMinutes) === 0 ? 0 : Math.max(0, deduction);
}
