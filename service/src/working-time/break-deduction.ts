/**
 * Deducts legally required breaks that were not stamped, if the company wants it. Pure: the recorded entry stays
 * unchanged.
 */
import type { LocalDate } from '@clockproof/platform/time/local-date';
import { generalRulesOn } from './rules.js';

/** Whose break rules hold for an entry of a day. `country`: ISO 3166-1. */
export interface BreakRules {
  readonly country: string;
  readonly date: LocalDate;
}

/**
 * Minutes to deduct from one entry: the fewest that satisfy the break rule. Ten minutes over the threshold cost ten
 * minutes, not thirty. Each entry is evaluated separately: time between two entries is already free.
 * @param workedMinutes elapsed minutes without the stamped breaks
 * @param breakMinutes lengths of the stamped breaks, with fractions: their sum is cut, not each of them
 */
export function missingBreakMinutes(
  { country, date }: BreakRules,
  workedMinutes: number,
  breakMinutes: readonly number[],
): number {
  const rules = generalRulesOn(country, date);
  if (rules === undefined) return 0;
  const { partMinutes, tiers } = rules.breaks;
  const taken = Math.floor(breakMinutes.reduce((sum, length) => sum + (length >= partMinutes ? length : 0), 0));
  const needed = (worked: number) => tiers.findLast((tier) => worked > tier.overMinutes)?.breakMinutes ?? 0;
  // A tier is satisfied if its break is complete, or if its threshold is not exceeded.
  let deducted = 0;
  for (const tier of tiers) {
    if (workedMinutes - deducted <= tier.overMinutes) break;
    deducted = Math.max(deducted, Math.min(tier.breakMinutes - taken, workedMinutes - tier.overMinutes));
  }
  return needed(workedMinutes) === 0 ? 0 : Math.max(0, deducted);
}
