import { useContext, useEffect, useState } from 'react';
import { LanguageContext } from '../words/words.js';

export interface Ago {
  /** The clock of the browser, in milliseconds. */
  readonly now: number;
  /** "12 seconds ago". */
  ago(instant: string): string;
}

/** @param intervalMs milliseconds after which the page is drawn again */
export function useAgo(intervalMs = 5_000): Ago {
  const { language, words } = useContext(LanguageContext);
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), intervalMs);
    return () => clearInterval(timer);
  }, [intervalMs]);
  const format = new Intl.RelativeTimeFormat(language === 'de' ? 'de-DE' : 'en-GB', { numeric: 'always' });
  return {
    now,
    ago(instant) {
      const seconds = Math.max(0, Math.round((now - Date.parse(instant)) / 1_000));
      if (seconds < 5) return words.just_now;
      if (seconds < 60) return format.format(-seconds, 'second');
      if (seconds < 3_600) return format.format(-Math.round(seconds / 60), 'minute');
      if (seconds < 86_400) return format.format(-Math.round(seconds / 3_600), 'hour');
      return format.format(-Math.round(seconds / 86_400), 'day');
    },
  };
}

/** @returns milliseconds until an instant, at most `lifetimeMs` and at least 0; drawn again each second */
export function useLeft(until: string, lifetimeMs: number): number {
  const { now } = useAgo(1_000);
  return Math.min(lifetimeMs, Math.max(0, Date.parse(until) - now));
}

/** `1:24` */
export function clockOf(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
