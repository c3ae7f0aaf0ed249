import { parseLocalDate } from '@clockproof/platform/time/local-date';

const dayMonthYear = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})$/;

/**
 * Reads a complete date, with the day before the month as German and British dates have it, with or without zeros.
 * A part of a date is none: what is still being typed must not choose a day.
 * @returns `2026-11-23`, or null
 */
export function typedDay(text: string): string | null {
  const date = text
    .trim()
    .replace(dayMonthYear, (_, day: string, __, month: string, year: string) =>
      [year, month.padStart(2, '0'), day.padStart(2, '0')].join('-'),
    );
  return parseLocalDate(date) ?? null;
}
