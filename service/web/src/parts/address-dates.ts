/** Months and days in the address of a page, which people may have typed or shortened. */
import { parseLocalDate } from '@clockproof/platform/time/local-date';

/** @returns the month, such as `2026-11`, if it is one */
export function monthIn(query: URLSearchParams, name = 'month'): string | undefined {
  const text = query.get(name) ?? '';
  return /^\d{4}-(0[1-9]|1[0-2])$/.test(text) ? text : undefined;
}

/** @returns the day, such as `2026-11-23`, if it is one */
export function dayIn(query: URLSearchParams, name = 'day'): string | undefined {
  return parseLocalDate(query.get(name) ?? '');
}
