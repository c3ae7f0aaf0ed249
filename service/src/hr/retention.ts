/** Retention periods of working-time records, as data, one table per country. Pure. */
import { addDays, type LocalDate } from '@clockproof/platform/time/local-date';

export interface Retention {
  readonly years: number;
  readonly clauses: readonly string[];
}

/** By ISO 3166-1 code, under today's law: it decides on deletions now. The period begins on the record's day. */
const retentionByCountry: Readonly<Record<string, Retention>> = {
  DE: { years: 2, clauses: ['ArbZG §16 (2)', 'MiLoG §17 (1)'] },
};

/** Undefined if there is no table for the country: nothing must be kept then. */
export function retentionOf(country: string): Retention | undefined {
  return Object.hasOwn(retentionByCountry, country) ? retentionByCountry[country] : undefined;
}

/**
 * The last day on which the record of a day must be kept: the same date, years later, or the last day of that month if
 * the date does not exist (BGB §188 (2) and (3)).
 */
export function retentionEnd({ years }: Retention, date: LocalDate): LocalDate {
  const anniversary = `${Number(date.slice(0, 4)) + years}${date.slice(4)}`;
  if (!anniversary.endsWith('-02-29')) return anniversary;
  const marchFirst = `${anniversary.slice(0, 4)}-03-01`;
  return addDays(marchFirst, -1);
}
