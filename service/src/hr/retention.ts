/** How long records of working time must be kept, as data, one table per country. Pure. */
import { addDays, type LocalDate } from '@clockproof/platform/time/local-date';

export interface Retention {
  readonly years: number;
  readonly clauses: readonly string[];
}

/** By ISO 3166-1 code, as the law is today: it decides what may go now. Each record is kept from the day it is about. */
const retentionByCountry: Readonly<Record<string, Retention>> = {
  DE: { years: 2, clauses: ['ArbZG §16 (2)', 'MiLoG §17 (1)'] },
};

/** Undefined if there is no table for the country: nothing must be kept then. */
export function retentionOf(country: string): Retention | undefined {
  return Object.hasOwn(retentionByCountry, country) ? retentionByCountry[country] : undefined;
}

/**
 * The last day on which the record of a day must be there: the day of the same date, years later, or the last of its
 * month where there is none (BGB §188 (2) and (3)).
 */
export function keptUntil({ years }: Retention, date: LocalDate): LocalDate {
  const same = `${Number(date.slice(0, 4)) + years}${date.slice(4)}`;
  if (!same.endsWith('-02-29')) return same;
  const first = `${same.slice(0, 4)}-03-01`;
  return addDays(first, -1);
}
