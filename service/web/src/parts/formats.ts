/** Instants with their day, in the language of the page and on the clock of a company. */
import { useContext, useMemo } from 'react';
import { type Language, LanguageContext, localeOf } from '../words/words.js';
import type { Zone } from './zone.js';

export interface Formats {
  /** Day, hour and minute. */
  instant(value: string): string;
  /** Day and time to the second. */
  second(value: string): string;
  day(value: string): string;
  /** Hour, minute and second. */
  clock(value: string): string;
}

export function formatsOf(language: Language, timeZone: Zone): Formats {
  const locale = localeOf(language);
  const instant = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone });
  const second = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium', timeZone });
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone });
  const clock = new Intl.DateTimeFormat(locale, { timeStyle: 'medium', timeZone });
  return {
    instant: (value) => instant.format(new Date(value)),
    second: (value) => second.format(new Date(value)),
    day: (value) => day.format(new Date(value)),
    clock: (value) => clock.format(new Date(value)),
  };
}

/** @param zone of the company that the instants belong to; the reader's own for instants of no company */
export function useFormats(zone: Zone): Formats {
  const { language } = useContext(LanguageContext);
  return useMemo(() => formatsOf(language, zone), [language, zone]);
}
