/** A time in a form: the text, and the instant that it means. An unedited time stays the stored instant. */
import { type CalendarFormats, plusDays } from '../parts/calendar.js';
import { instantsOf, readTime } from './local-time.js';

export interface DraftTime {
  readonly text: string;
  /** The instant of the entry, to the millisecond. It stands as long as the text says so. */
  readonly storedInstant?: string | undefined;
  /** The instant the person chose, where the text can mean several: in a repeated hour, or on a later day. */
  readonly chosenInstant?: string | undefined;
}

export interface Meaning {
  /** Undefined if the text is no time. */
  readonly instant: string | undefined;
  /** Every instant the text can mean, in order. */
  readonly choices: readonly string[];
}

export const emptyTime: DraftTime = { text: '' };

export function storedTime(instant: string | undefined, calendar: CalendarFormats): DraftTime {
  return instant === undefined ? emptyTime : { text: calendar.time(instant), storedInstant: instant };
}

/** @param instantsAt all instants, possible in this field, at which clocks show a time */
export function meaningOf(
  { text, storedInstant, chosenInstant }: DraftTime,
  instantsAt: (time: string) => readonly string[],
  calendar: CalendarFormats,
): Meaning {
  const time = readTime(text);
  if (time === undefined) return { instant: undefined, choices: [] };
  const storedChoice = storedInstant !== undefined && calendar.time(storedInstant) === time ? storedInstant : undefined;
  const otherChoices = instantsAt(time).filter(
    (instant) => storedChoice === undefined || minuteOf(instant) !== minuteOf(storedChoice),
  );
  const choices = (storedChoice === undefined ? [...otherChoices] : [...otherChoices, storedChoice]).sort(byTime);
  const choice = choices.find((instant) => instant === chosenInstant);
  return { instant: choice ?? nearestChoice(choices, storedInstant), choices };
}

/** The stored instant, or the nearest one where the text was edited. A new time is the first. */
function nearestChoice(choices: readonly string[], storedInstant: string | undefined): string | undefined {
  if (storedInstant === undefined) return choices[0];
  const distance = (instant: string) => Math.abs(Date.parse(instant) - Date.parse(storedInstant));
  return choices.toSorted((a, b) => distance(a) - distance(b))[0];
}

/** The longest entry that a correction can make. */
const maxEntryMs = 36 * 3_600_000;

/** The instants after another one at which clocks show a time. @param date used without the other one */
export function firstAfter(
  begin: string | undefined,
  time: string,
  {
    date,
    calendar,
    orAt = false,
  }: { readonly date: string; readonly calendar: CalendarFormats; readonly orAt?: boolean },
): readonly string[] {
  if (begin === undefined) return instantsOf(date, time, calendar);
  const first = Date.parse(begin);
  const day = calendar.dateOf(begin);
  return [0, 1, 2]
    .flatMap((days) => instantsOf(plusDays(day, days), time, calendar))
    .filter((instant) => {
      const since = Date.parse(instant) - first;
      return (orAt ? since >= 0 : since > 0) && since <= maxEntryMs;
    });
}

export const byTime = (a: string, b: string) => Date.parse(a) - Date.parse(b);
const minuteOf = (instant: string) => Math.floor(Date.parse(instant) / 60_000);
