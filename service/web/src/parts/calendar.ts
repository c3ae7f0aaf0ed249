/** Days, times and durations as lists and calendars write them, in the language of the page. */
import { useContext, useMemo } from 'react';
import { LanguageContext } from '../words/words.js';
import { utc, type Zone } from './zone.js';

/** Formats without a clock: known days, lengths and numbers. */
export interface DayFormats {
  /** `Wed 23 Dec` */
  day(date: string): string;
  /** `Wed 23`, where the month is known */
  dayOfMonth(date: string): string;
  /** `Wednesday, 23 December 2026` */
  fullDay(date: string): string;
  /** `23 Dec 2026` */
  dayWithYear(date: string): string;
  /** `Wed 23 Dec`, or `Wed 23 – Mon 28 Dec` */
  span(from: string, to: string): string;
  /** `November 2026` */
  month(month: string): string;
  /** `Nov` */
  monthShort(date: string): string;
  /** `M`, `T` … as wide as a column of a calendar */
  weekday(date: string): string;
  /** `8:05` */
  duration(minutes: number): string;
  /** `+0:32`, `−0:15` with a real minus sign */
  signed(minutes: number): string;
  /** `11½` */
  days(count: number): string;
  /** A whole number with its separators. */
  count(value: number): string;
}

/** The formats for the clock and the days of one time zone. */
export interface CalendarFormats extends DayFormats {
  /** `07:54`, as a field takes it */
  time(instant: string): string;
  /** `07:54`, in a repeated hour `02:15 CEST` */
  clock(instant: string): string;
  /**
   * `07:54 – 16:30`, `22:00 – 06:00 (+1 day)`, in a repeated hour `02:15 CEST – 02:15 CET`. @param open without an
   * end
   */
  times(start: string, end: string | undefined, open: string): string;
  /** `06:00 (+1 day)` */
  end(start: string, end: string): string;
  /** `07:54:09`, in a repeated hour `02:15:09 CEST` */
  second(instant: string): string;
  /** `09:42` today, else the day */
  recent(instant: string): string;
  /** `09:42` today, else `Wed 23 Dec, 09:42` */
  since(instant: string): string;
  /** The date of an instant, `2026-11-23`. */
  dateOf(instant: string | Date): string;
  readonly today: string;
  readonly timeZone: Zone;
}

/** The browser takes its time to make a format, and every row of a list asks for them. */
const formatsByKey = new Map<string, CalendarFormats>();

/** @returns the same formats until the day is over */
export function calendarFormats(language: 'de' | 'en', timeZone: Zone): CalendarFormats {
  const key = `${language} ${timeZone}`;
  const cachedFormats = formatsByKey.get(key);
  if (cachedFormats !== undefined && cachedFormats.dateOf(new Date()) === cachedFormats.today) return cachedFormats;
  const formats = makeFormats(language, timeZone);
  formatsByKey.set(key, formats);
  return formats;
}

function makeFormats(language: 'de' | 'en', timeZone: Zone): CalendarFormats {
  const locale = language === 'de' ? 'de-DE' : 'en-GB';
  const instantFormat = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { timeZone, ...options });
  // A date has no time zone: it is written as the noon of UTC.
  const dateFormat = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...options });
    return (date: string) => format.format(new Date(`${date}T12:00:00Z`));
  };
  const time = instantFormat({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const zonedTime = instantFormat({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZoneName: 'short' });
  const second = instantFormat({ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });
  const zonedSecond = instantFormat({
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'short',
  });
  const weekdayShort = dateFormat({ weekday: 'short' });
  const dayMonth = dateFormat({ day: 'numeric', month: 'short' });
  const dayNumber = dateFormat({ day: 'numeric' });
  const dayMonthYear = dateFormat({ day: 'numeric', month: 'short', year: 'numeric' });
  const day = (date: string) => `${weekdayShort(date)} ${dayMonth(date)}`;
  const dayOfMonth = (date: string) => `${weekdayShort(date)} ${dayNumber(date)}${language === 'de' ? '.' : ''}`;
  const iso = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  const dateOf = (instant: string | Date) => iso.format(typeof instant === 'string' ? new Date(instant) : instant);
  const today = dateOf(new Date());
  const numbers = new Intl.NumberFormat(locale);
  const duration = (minutes: number) =>
    `${numbers.format(Math.floor(Math.abs(minutes) / 60))}:${String(Math.abs(minutes) % 60).padStart(2, '0')}`;
  /** Adds the name of the zone's time where the clocks show a time twice. */
  const clockFormat = (plain: Intl.DateTimeFormat, zoned: Intl.DateTimeFormat) => (instant: string) => {
    const moment = Date.parse(instant);
    const text = plain.format(moment);
    const isTwice = [-2, -1, 1, 2].some((halves) => plain.format(moment + halves * 1_800_000) === text);
    return isTwice ? zoned.format(moment) : text;
  };
  const clock = clockFormat(time, zonedTime);
  const dayOffset = new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: 'day',
    unitDisplay: 'long',
    signDisplay: 'always',
  });
  const endOf = (start: string, end: string) => {
    const days = Math.round((Date.parse(dateOf(end)) - Date.parse(dateOf(start))) / 86_400_000);
    return `${clock(end)}${days === 0 ? '' : ` (${dayOffset.format(days)})`}`;
  };
  return {
    time: (instant) => time.format(new Date(instant)),
    times: (start, end, open) => `${clock(start)} – ${end === undefined ? open : endOf(start, end)}`,
    end: endOf,
    clock,
    second: clockFormat(second, zonedSecond),
    day,
    dayOfMonth,
    fullDay: dateFormat({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }),
    dayWithYear: dayMonthYear,
    span: (from, to) => {
      if (from === to) return day(from);
      if (from.slice(0, 4) !== to.slice(0, 4)) return `${dayMonthYear(from)} – ${dayMonthYear(to)}`;
      const first = from.slice(0, 7) === to.slice(0, 7) ? dayOfMonth(from) : day(from);
      return `${first} – ${day(to)}`;
    },
    month: (month) => dateFormat({ month: 'long', year: 'numeric' })(`${month.slice(0, 7)}-15`),
    monthShort: dateFormat({ month: 'short' }),
    weekday: dateFormat({ weekday: 'narrow' }),
    recent: (instant) => {
      const date = dateOf(instant);
      return date === today ? clock(instant) : day(date);
    },
    since: (instant) => {
      const date = dateOf(instant);
      return `${date === today ? '' : `${day(date)}, `}${clock(instant)}`;
    },
    duration: (minutes) => `${minutes < 0 ? '−' : ''}${duration(minutes)}`,
    signed: (minutes) => `${minutes < 0 ? '−' : minutes > 0 ? '+' : ''}${duration(minutes)}`,
    days: (count) => {
      const wholeCount = Math.floor(Math.abs(count));
      const half = Math.abs(count) - wholeCount === 0.5;
      return `${count < 0 ? '−' : ''}${half && wholeCount === 0 ? '' : numbers.format(wholeCount)}${half ? '½' : ''}`;
    },
    count: (value) => numbers.format(value),
    dateOf,
    today,
    timeZone,
  };
}

/** @param zone of the company that the page is about, which need not be the reader's own */
export function useCalendar(zone: Zone): CalendarFormats {
  const { language } = useContext(LanguageContext);
  return useMemo(() => calendarFormats(language, zone), [language, zone]);
}

/** Formats for lists whose rows are about several companies. */
export function useCalendars(): (zone: Zone) => CalendarFormats {
  const { language } = useContext(LanguageContext);
  return (zone) => calendarFormats(language, zone);
}

/** Formats for pages that show days and lengths, and no clock. */
export function useDays(): DayFormats {
  return useCalendar(utc);
}

/** @param date `2026-11-23` */
export function plusDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

/** Every day of a span, the last one included. */
export function daysOf(from: string, to: string): string[] {
  const days: string[] = [];
  for (let date = from; date <= to; date = plusDays(date, 1)) days.push(date);
  return days;
}

export function isWeekend(date: string): boolean {
  return [0, 6].includes(new Date(`${date}T00:00:00Z`).getUTCDay());
}

/** @param month `2026-11` */
export function plusMonths(month: string, months: number): string {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return new Date(Date.UTC(year, number - 1 + months, 1)).toISOString().slice(0, 7);
}
