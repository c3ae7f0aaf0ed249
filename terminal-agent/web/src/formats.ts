/** Times, dates and amounts as the door shows them. */
import type { Frame } from '../../src/screen/view.js';

const locale = ({ language }: Frame) => (language === 'de' ? 'de-DE' : 'en-GB');

export function clock({ timeZone }: Frame, instant: number): string {
  return new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone }).format(
    instant,
  );
}

export function date(frame: Frame, instant: number): string {
  const { timeZone } = frame;
  return new Intl.DateTimeFormat(locale(frame), { weekday: 'long', day: 'numeric', month: 'long', timeZone }).format(
    instant,
  );
}

/** The beginning of a person's work: a stamp of another day, forgotten or of a night shift, names the day. */
export function since(frame: Frame, instant: number, now: number): string {
  if (date(frame, instant) === date(frame, now)) return clock(frame, instant);
  const { timeZone } = frame;
  const day =
    now - instant < 6 * 86_400_000 ? ({ weekday: 'short' } as const) : ({ day: 'numeric', month: 'short' } as const);
  return `${new Intl.DateTimeFormat(locale(frame), { ...day, timeZone }).format(instant)} ${clock(frame, instant)}`;
}

export function hours(minutes: number): string {
  const wholeMinutes = Math.floor(Math.abs(minutes));
  return `${Math.floor(wholeMinutes / 60)}:${String(wholeMinutes % 60).padStart(2, '0')} h`;
}

export function days(frame: Frame, count: number): string {
  const wholeCount = Math.trunc(count);
  const number = new Intl.NumberFormat(locale(frame)).format(wholeCount);
  if (count === wholeCount) return number;
  return `${count < 0 && wholeCount === 0 ? '−' : ''}${wholeCount === 0 ? '' : number}½`;
}
