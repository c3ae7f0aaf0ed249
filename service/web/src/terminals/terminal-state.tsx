/** The condition of a terminal, in one word, and the facts its device reports. */
import type { ReactNode } from 'react';
import type { Schemas } from '../api/session.js';
import { usePlainFormats, useWords, type Words } from '../words/words.js';
import { useAgo } from './ago.js';

export type Terminal = Schemas['Terminal'];
export type Standing = keyof Words['terminal_states'];

/** A device asks every 15 seconds to a minute. Milliseconds without a request after which nobody can rely on it. */
const silence = 150_000;

export function standingOf(terminal: Terminal, now: number): Standing {
  if (terminal.state !== 'confirmed') return terminal.state;
  if (terminal.key_copied_at !== undefined || terminal.proofs_stopped_at !== undefined) return 'stopped';
  if (terminal.last_seen_at === undefined || now - Date.parse(terminal.last_seen_at) > silence) return 'offline';
  if (terminal.reader_state === 'missing') return 'no_reader';
  return isClockWrong(terminal) ? 'clock_wrong' : 'online';
}

const tones = {
  online: 'ok',
  offline: 'bad',
  no_reader: 'bad',
  clock_wrong: 'warning',
  stopped: 'bad',
  awaiting_pairing: 'warning',
  awaiting_confirmation: 'warning',
} as const satisfies Record<Standing, string>;

export function TerminalState({ terminal }: { readonly terminal: Terminal }): ReactNode {
  const words = useWords();
  const { now } = useAgo();
  const standing = standingOf(terminal, now);
  return <StateBadge tone={tones[standing]}>{words.terminal_states[standing]}</StateBadge>;
}

/** A sign and a word: colour alone says nothing. */
export function StateBadge({
  tone,
  children,
}: {
  readonly tone: 'ok' | 'warning' | 'bad' | 'neutral';
  readonly children: ReactNode;
}): ReactNode {
  const signs = {
    ok: <circle cx="7" cy="7" r="5" fill="currentColor" />,
    warning: (
      <circle cx="7" cy="7" r="5" fill="none" stroke="currentColor" strokeWidth="1.6" strokeDasharray="2.4 1.8" />
    ),
    bad: <path d="m3 3 8 8M11 3l-8 8" fill="none" stroke="currentColor" strokeWidth="1.8" />,
    neutral: <circle cx="7" cy="7" r="5" fill="none" stroke="currentColor" strokeWidth="1.6" />,
  } as const;
  return (
    <span className="entrance-state" data-tone={tone}>
      <svg viewBox="0 0 14 14" width="12" height="12" aria-hidden="true" focusable="false">
        {signs[tone]}
      </svg>
      {children}
    </span>
  );
}

/**
 * The service refuses a signature whose time is further off: the device then corrects it until it restarts.
 * Milliseconds.
 */
const tolerance = 60_000;

export function isClockWrong({ clock_offset_ms: offset = 0 }: Terminal): boolean {
  return Math.abs(offset) > tolerance;
}

/** The deviation of a device's clock: below a minute in seconds with their sign, else in words. */
export function useOffset(): (milliseconds: number) => string {
  const formats = usePlainFormats();
  const words = useWords();
  return (milliseconds) => {
    const size = Math.abs(milliseconds);
    if (size <= tolerance) return formats.offset(milliseconds / 1_000);
    const minutes = Math.round(size / 60_000);
    const span = words.clock_span(Math.floor(minutes / 1_440), Math.floor((minutes % 1_440) / 60), minutes % 60);
    return milliseconds < 0 ? words.clock_behind(span) : words.clock_ahead(span);
  };
}
