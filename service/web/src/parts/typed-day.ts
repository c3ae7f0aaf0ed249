const dayMonthYear = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})$/;
const yearMonthDay = /^(\d{4})-(\d\d)-(\d\d)$/;

/**
 * Reads a complete date, with the day before the month as German and British dates have it, with or without zeros.
 * A part of a date is none: what is still being typed must not choose a day.
 * @returns `2026-11-23`, or null
 */
export function typedDay(text: string): string | null {
  const typed = text.trim();
  const [, day = '', , month = '', year = ''] = dayMonthYear.exec(typed) ?? [];
  const date = yearMonthDay.test(typed) ? typed : `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const instant = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(date) ? date : null;
}
