/**
 * The three forms of dates in HTTP that a recipient has to read (RFC 9110 §5.6.7), and nothing that `Date` reads beside
 * them.
 */
import { type Instant, day as oneDay } from './instant.js';

const days = 'Mon|Tue|Wed|Thu|Fri|Sat|Sun';
const longDays = 'Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday';
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const month = `(?<month>${months.join('|')})`;
const time = '(?<time>\\d{2}:\\d{2}:\\d{2})';
const forms = [
  new RegExp(`^(?:${days}), (?<day>\\d{2}) ${month} (?<year>\\d{4}) ${time} GMT$`),
  // RFC 850
  new RegExp(`^(?:${longDays}), (?<day>\\d{2})-${month}-(?<year>\\d{2}) ${time} GMT$`),
  // asctime
  new RegExp(`^(?:${days}) ${month} (?<day>[ \\d]\\d) ${time} (?<year>\\d{4})$`),
];

const fiftyYears = 50 * 365.25 * oneDay;

/** @param at now: two digits of a year are of this or the last hundred years */
export function parseHttpDate(text: string, at: Instant): Instant | undefined {
  const groups = forms.map((form) => form.exec(text)?.groups).find((match) => match !== undefined);
  if (groups === undefined) return undefined;
  const { day, month: name, time: clock } = groups as Record<'day' | 'month' | 'time', string>;
  const instant = (year: number) =>
    Date.parse(
      `${String(year).padStart(4, '0')}-${String(months.indexOf(name) + 1).padStart(2, '0')}-${day.trim().padStart(2, '0')}T${clock}Z`,
    );
  const yearText = groups['year']!;
  if (yearText.length === 4) return numberOrNone(instant(Number(yearText)));
  const century = Math.floor(new Date(at).getUTCFullYear() / 100) * 100;
  // More than fifty years ahead is the most recent year in the past with these digits.
  const candidates = [century + 100, century, century - 100].map((base) => instant(base + Number(yearText)));
  return candidates.find((candidate) => candidate <= at + fiftyYears);
}

function numberOrNone(value: number): number | undefined {
  return Number.isNaN(value) ? undefined : value;
}
