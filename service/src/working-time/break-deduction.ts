/**
 * Breaks that the law asks for and nobody stamped, deducted where a company wants it so. Pure: what was recorded stays
 * as it is.
 */
import { rulesOf } from './rules.js';

/**
 * Minutes to deduct from one entry: the fewest that make it satisfy the break rule. Who stays ten minutes over the
 * threshold loses ten minutes, not thirty.
 * An entry is judged by itself: time between two entries is free time already.
 * @param country whose break rules hold (ISO 3166-1)
 * @param workedMinutes elapsed minutes without the stamped breaks
 * @param breakMinutes lengths of the stamped breaks in whole minutes
 */
export function missingBreakMinutes(country: string, workedMinutes: number, breakMinutes: readonly number[]): number {
  const rules = rulesOf(country);
  if (rules === undefined) return 0;
  const { partMinutes, tiers } = rules.breaks;
  const taken = breakMinutes.reduce((sum, length) => sum + (length >= partMinutes ? length : 0), 0);
  const needed = (worked: number) => tiers.findLast((tier) => worked > tier.overMinutes)?.breakMinutes ?? 0;
  // Each tier is satisfied by making up its break, or by not exceeding its threshold.
  let deducted = 0;
  for (const tier of tiers) {
    if (workedMinutes - deducted <= tier.overMinutes) break;
    deducted = Math.max(deducted, Math.min(tier.breakMinutes - taken, workedMinutes - tier.overMinutes));
  }
  return needed(workedMinutes) === 0 ? 0 : Math.max(0, deducted);
}
