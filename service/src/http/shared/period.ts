/** `from` and `to`, or `updated_since`: exactly one of the two ways to ask. */
import { daysInclusive, type LocalDate } from '@clockproof/platform/time/local-date';
import { invalid } from './page.js';

const maxDays = 366;

/**
 * @returns the period, or undefined where `updated_since` is given instead
 * @throws Refusal `invalid_request` both ways, neither, half a period, backwards, or more than 366 days (both ends
 * counted)
 */
export function readPeriod({
  from,
  to,
  updated_since: updatedSince,
}: {
  from?: string;
  to?: string;
  updated_since?: string;
}): { readonly from: LocalDate; readonly to: LocalDate } | undefined {
  if (updatedSince !== undefined) {
    if (from !== undefined || to !== undefined)
      throw invalid('updated_since', 'Give either from and to, or updated_since.', 'contradiction');
    return undefined;
  }
  if (from === undefined) throw invalid('from', 'Give from and to, or updated_since.', 'missing');
  if (to === undefined) throw invalid('to', 'Give from and to, or updated_since.', 'missing');
  if (to < from) throw invalid('to', 'The period ends before it begins.', 'out_of_range');
  if (daysInclusive(from, to) > maxDays) throw invalid('to', `A period has at most ${maxDays} days.`, 'out_of_range');
  return { from, to };
}
