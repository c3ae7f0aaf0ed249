/** Small parts that the four panes share. */
import type { ReactNode } from 'react';
import { language } from './words.js';

export type State = 'in' | 'on_break' | 'out' | 'away';

const glyphs: Readonly<Record<State, ReactNode>> = {
  in: <circle cx="7" cy="7" r="6" fill="currentColor" />,
  on_break: (
    <>
      <circle cx="7" cy="7" r="5.25" fill="none" stroke="currentColor" strokeWidth="1.5" />
      <path d="M7 1a6 6 0 0 0 0 12z" fill="currentColor" />
    </>
  ),
  out: <circle cx="7" cy="7" r="5.25" fill="none" stroke="currentColor" strokeWidth="1.5" />,
  away: (
    <>
      <circle cx="7" cy="7" r="5.25" fill="none" stroke="currentColor" strokeWidth="1.5" />
      <path d="M3 9 9 3M5 11l6-6" stroke="currentColor" strokeWidth="1.5" />
    </>
  ),
};

/** Told apart by shape, not by colour; a word always stands beside it. */
export function Glyph({ state }: { readonly state: string }): ReactNode {
  return (
    <svg className={`glyph ${state}`} viewBox="0 0 14 14" aria-hidden="true">
      {glyphs[state as State] ?? glyphs.out}
    </svg>
  );
}

export function Tick(): ReactNode {
  return (
    <svg className="glyph tick" viewBox="0 0 14 14" aria-hidden="true">
      <circle cx="7" cy="7" r="7" fill="currentColor" />
      <path d="m4 7.2 2 2 4-4.2" fill="none" stroke="var(--on-accent)" strokeWidth="1.6" strokeLinecap="round" />
    </svg>
  );
}

const locale = language === 'de' ? 'de-DE' : 'en-GB';

/** Wall clock of the company. */
export function timeOf(at: string, timeZone: string, seconds = false): string {
  return new Intl.DateTimeFormat(locale, {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    ...(seconds ? { second: '2-digit' } : {}),
  }).format(new Date(at));
}

export function dayOf(at: string, timeZone: string): string {
  return new Intl.DateTimeFormat(locale, { timeZone, weekday: 'short', day: 'numeric', month: 'short' }).format(
    new Date(at),
  );
}

/** `3:12`, `+12:40`, `−0:06`, with a real minus sign. */
export function duration(minutes: number, withPlus = false): string {
  const size = Math.abs(Math.trunc(minutes));
  const sign = minutes < 0 ? '−' : withPlus && minutes > 0 ? '+' : '';
  return `${sign}${Math.floor(size / 60)}:${String(size % 60).padStart(2, '0')}`;
}

export function Station({
  number,
  title,
  sub,
  delayMs,
  children,
}: {
  readonly number: number;
  readonly title: string;
  readonly sub: string;
  /** Milliseconds until this place knew the stamp. */
  readonly delayMs: number | undefined;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <section className="station" aria-label={title}>
      <header>
        <span className={delayMs === undefined ? 'number' : 'number reached'}>{number}</span>
        <span className="titles">
          <b>{title}</b>
          <small>{sub}</small>
        </span>
        <span className="rail" />
        <span className="after">{delayMs === undefined ? '–' : `+${delayMs} ms`}</span>
      </header>
      {children}
    </section>
  );
}
