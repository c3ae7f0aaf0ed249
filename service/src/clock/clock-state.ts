/** The clock of one person as a value: the effect of a stamp on it, or the refusal. Pure. */
import type { Instant } from '@clockproof/platform/time/instant';
import type { ErrorCode } from '../generated/contract.js';

/** The contract's limit for one entry. */
const maxBreaks = 100;

export type StampKind = 'in' | 'out' | 'break_start' | 'break_end';

export interface Break {
  readonly start: Instant;
  readonly end?: Instant;
}

/** An entry that has begun and not ended; its last break may be open too. */
export interface OpenEntry {
  readonly start: Instant;
  readonly breaks: readonly Break[];
}

/** `undefined` is the state `out`. */
export type Clock = OpenEntry | undefined;

/** The stamps that a person can make, the most likely one first. On a break, clocking out is never the first. */
export function actionsIn(state: 'out' | 'in' | 'on_break', forgotten: boolean): readonly StampKind[] {
  if (state === 'out') return ['in'];
  if (forgotten) return ['in', 'out'];
  return state === 'in' ? ['out', 'break_start'] : ['break_end', 'out'];
}

/** The errors with which a person's clock refuses a stamp. */
export type ClockRefusal = Extract<
  ErrorCode,
  'already_clocked_in' | 'not_clocked_in' | 'already_on_break' | 'not_on_break' | 'too_many_breaks'
>;

export type StampResult =
  | { readonly refused: ClockRefusal }
  | { readonly opens: OpenEntry }
  | { readonly changes: OpenEntry }
  | { readonly closes: { readonly breaks: readonly Break[]; readonly end: Instant } };

export function stateOf(clock: Clock): 'out' | 'in' | 'on_break' {
  if (clock === undefined) return 'out';
  return openBreak(clock) === undefined ? 'in' : 'on_break';
}

export function openBreak(clock: OpenEntry): Break | undefined {
  const last = clock.breaks.at(-1);
  return last !== undefined && last.end === undefined ? last : undefined;
}

/**
 * One stamp at the server's time. An instant before the last one (a clock set back, another replica's clock) counts as
 * the last one: time never runs backwards inside an entry.
 */
export function stampClock(clock: Clock, kind: StampKind, at: Instant): StampResult {
  if (kind === 'in')
    return clock === undefined ? { opens: { start: at, breaks: [] } } : { refused: 'already_clocked_in' };
  if (clock === undefined) return { refused: kind === 'break_end' ? 'not_on_break' : 'not_clocked_in' };
  const now = stampInstantOf(clock, at);
  const onBreak = openBreak(clock);
  const endOpenBreak = () =>
    clock.breaks.map((interval) => (interval === onBreak ? { start: interval.start, end: now } : interval));
  switch (kind) {
    case 'out':
      return { closes: { breaks: endOpenBreak(), end: now } };
    case 'break_start':
      if (onBreak !== undefined) return { refused: 'already_on_break' };
      if (clock.breaks.length >= maxBreaks) return { refused: 'too_many_breaks' };
      return { changes: { ...clock, breaks: [...clock.breaks, { start: now }] } };
    case 'break_end':
      return onBreak === undefined ? { refused: 'not_on_break' } : { changes: { ...clock, breaks: endOpenBreak() } };
  }
}

/** The instant a stamp is recorded with. */
export function stampInstantOf(clock: Clock, at: Instant): Instant {
  return clock === undefined ? at : Math.max(at, lastInstant(clock));
}

function lastInstant(clock: OpenEntry): Instant {
  const last = clock.breaks.at(-1);
  return last?.end ?? last?.start ?? clock.start;
}
