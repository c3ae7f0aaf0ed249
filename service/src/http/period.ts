/** The period of a query: either `from` and `to`, or `updated_since`. */

import { daysInclusive, type LocalDate } from '@clockproof/platform/time/local-date';
import { invalidField } from '../store/refusal.js';

const maxDays = 366;

/**
 * @returns the period, or undefined if `updated_since` is given instead
 * @throws Refusal `invalid_request` both, neither, only one end, reversed ends, or more than 366 days (both ends
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
      throw invalidField('updated_since', 'contradiction', 'Give either from and to, or updated_since.');
    return undefined;
  }
  if (from === undefined) throw invalidField('from', 'missing', 'Give from and to, or updated_since.');
  if (to === undefined) throw invalidField('to', 'missing', 'Give from and to, or updated_since.');
  if (to < from) throw invalidField('to', 'before_start', 'The period ends before it begins.');
  if (daysInclusive(from, to) > maxDays) throw invalidField('to', 'too_long', `A period has at most ${maxDays} days.`);
  return { from, to };
}
