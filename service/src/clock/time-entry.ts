/**
 * A time entry as its row holds it and as the contract shows it: its breaks, the source of each of its stamps, its
 * worked minutes; and the clock it belongs to. Pure.
 */

import { formatInstant, type Instant, minute } from '@clockproof/platform/time/instant';
import type { components } from '../generated/service-types.js';
import type { PersonRow } from '../people/rows.js';
import type { Work } from '../working-time/rules.js';
import type { Break, StampKind } from './clock-state.js';
import type { ClockRow, EntryRow } from './rows.js';

type Schemas = components['schemas'];

/** Breaks as they stand in a row: JSON of `[start, end|null]` pairs, oldest first. */
export function readBreaks(json: string): Break[] {
  if (json === '[]') return [];
  return (JSON.parse(json) as [number, number | null][]).map(([start, end]) =>
    end === null ? { start } : { start, end },
  );
}

export function writeBreaks(breaks: readonly Break[]): string {
  return JSON.stringify(breaks.map((interval) => [interval.start, interval.end ?? null]));
}

/**
 * One stamp in the row, beside the times, which alone count: clocking in at a terminal and out in an app are two
 * sources and two proofs: `[action, at, source kind, source id, source name, proof]`. The kind is `corrected` for a
 * time that a correction set, and null if an earlier version recorded the stamp without its source.
 */
type StoredStamp = readonly [StampKind, Instant, string | null, (string | null)?, (string | null)?, (string | null)?];

export interface StampSource {
  readonly source_kind: string;
  readonly source_id: string | null;
  readonly source_name: string | null;
  readonly proof: string | null;
}

type Times = Pick<EntryRow, 'start_at' | 'end_at' | 'breaks'>;
type Sources = Times & StampSource & Pick<EntryRow, 'stamps'>;

/** The stamps of an entry after one more. @param before the open entry; undefined when clocking in */
export function addStamp(
  before: Sources | undefined,
  action: StampKind,
  at: Instant,
  { source_kind, source_id, source_name, proof }: StampSource,
): string {
  const earlierStamps = before === undefined ? [] : storedStampsOf(before);
  return JSON.stringify([...earlierStamps, [action, at, source_kind, source_id, source_name, proof]]);
}

/**
 * The stamps of an entry after a correction. A time that stays as it is keeps its stamp; every other time is marked as
 * corrected.
 * @param before undefined for an entry that was never stamped
 */
export function correctStamps(before: Sources | undefined, times: Times): string {
  const earlierStamps = before === undefined ? [] : stampsOf(before, storedStampsOf(before));
  return JSON.stringify(
    stampsOf(times, [], earlierStamps).map((keptStamp): StoredStamp => {
      const [action, at, source] = keptStamp;
      return source === null && !earlierStamps.includes(keptStamp) ? [action, at, 'corrected'] : keptStamp;
    }),
  );
}

/**
 * The stamps in the form of the contract, in order of time.
 * @param pauses the breaks of the entry, already read from its row
 */
export function presentStamps(entry: Sources, pauses: readonly Break[]): NonNullable<Schemas['TimeEntry']['stamps']> {
  const storedStamps = storedStampsOf(entry);
  // An offline entry may lack a beginning or an end.
  if (entry.source_kind === 'offline' && entry.stamps !== null) return storedStamps.map(presentStamp);
  const find = finder(storedStamps);
  const stamps: Schemas['Stamp'][] = [];
  eachTime(entry, pauses, storedStamps, (action, at) => stamps.push(presentStamp(find(action, at))));
  return stamps;
}

/** The actions of the stamps, in order. */
export function stampKindsOf(stamps: string): readonly StampKind[] {
  return (JSON.parse(stamps) as StoredStamp[]).map(([kind]) => kind);
}

/** The last stamp of an entry, if it was made at a terminal that was connected. */
export function lastTerminalStamp(entry: Sources): { readonly action: StampKind; readonly at: Instant } | undefined {
  const last = stampsOf(entry, storedStampsOf(entry)).at(-1);
  return last?.[2] === 'terminal' ? { action: last[0], at: last[1] } : undefined;
}

function presentStamp([action, at, kind, id, name, proof]: StoredStamp): Schemas['Stamp'] {
  const stamp: Schemas['Stamp'] = { action, at: formatInstant(at) };
  if (kind === 'corrected') stamp.corrected = true;
  else if (kind !== null) stamp.source = presentSource(kind, id, name);
  if (proof !== null && proof !== undefined) stamp.proof = proof as NonNullable<Schemas['Stamp']['proof']>;
  return stamp;
}

export function presentSource(
  kind: string,
  id: string | null | undefined,
  name: string | null | undefined,
): Schemas['Source'] {
  const source: Schemas['Source'] = { kind: kind as Schemas['Source']['kind'] };
  if (id !== null && id !== undefined) source.id = id;
  if (name !== null && name !== undefined) source.name = name;
  return source;
}

/** Rows without stamps have one source: that of clocking in. */
function storedStampsOf({
  stamps,
  start_at,
  source_kind,
  source_id,
  source_name,
  proof,
}: Sources): readonly StoredStamp[] {
  return stamps === null
    ? [['in', start_at, source_kind, source_id, source_name, proof]]
    : (JSON.parse(stamps) as StoredStamp[]);
}

/**
 * Passes each time of an entry to `take`. Clocking out on a break also ends the break, which then has no stamp of its
 * own.
 */
function eachTime(
  { start_at, end_at }: Times,
  pauses: readonly Break[],
  storedStamps: readonly StoredStamp[],
  take: (action: StampKind, at: Instant) => void,
): void {
  take('in', start_at);
  for (const { start, end } of pauses) {
    take('break_start', start);
    if (
      end !== undefined &&
      (end !== end_at || storedStamps.some(([action, at]) => action === 'break_end' && at === end))
    )
      take('break_end', end);
  }
  if (end_at !== null) take('out', end_at);
}

/** The times of an entry with the stamp of each. */
function stampsOf(times: Times, storedStamps: readonly StoredStamp[], sources = storedStamps): StoredStamp[] {
  const find = finder(sources);
  const stamps: StoredStamp[] = [];
  eachTime(times, readBreaks(times.breaks), storedStamps, (action, at) => stamps.push(find(action, at)));
  return stamps;
}

/** Finds the stamp of a time, each once and in order; an unknown one has no source. */
function finder(storedStamps: readonly StoredStamp[]): (action: StampKind, at: Instant) => StoredStamp {
  let next = 0;
  return (action, at) => {
    for (let place = next; place < storedStamps.length; place++) {
      const candidate = storedStamps[place]!;
      if (candidate[0] === action && candidate[1] === at) {
        next = place + 1;
        return candidate;
      }
    }
    return [action, at, null];
  };
}

/**
 * Milliseconds that are work and that are stamped breaks. Cut to whole minutes once, after adding up, so that breaks and
 * short entries cannot eat rounding. Nothing is deducted: that is up to the working day.
 */
export function timeOf({ start_at, end_at, breaks }: Times & { readonly end_at: Instant }): {
  readonly worked: number;
  readonly paused: number;
} {
  const pausedMs = breaks === '[]' ? 0 : readBreaks(breaks).reduce((sum, { start, end }) => sum + end! - start, 0);
  return { worked: end_at - start_at - pausedMs, paused: pausedMs };
}

/**
 * The country whose break rules deduct from a working day that begins with an entry of this day: the company's switch
 * holds from the day on which it was turned.
 */
export function breakRulesOn(person: Pick<PersonRow, 'country' | 'deducts_breaks_from'>, date: string): string | null {
  return person.deducts_breaks_from !== null && date >= person.deducts_breaks_from ? person.country : null;
}

/** An entry as work, up to now if it is still open. */
export function workOf(entry: Pick<EntryRow, 'start_at' | 'end_at' | 'breaks'>, now: Instant): Work {
  const end = entry.end_at ?? Math.max(now, entry.start_at);
  return {
    start: entry.start_at,
    end,
    breaks:
      entry.breaks === '[]'
        ? []
        : readBreaks(entry.breaks).map((interval) => ({ start: interval.start, end: interval.end ?? end })),
  };
}

// Lists show hundreds of entries: members are assigned, since spreading conditional objects costs more than everything
// else here together.
export function presentEntry(row: EntryRow): Schemas['TimeEntry'] {
  const breaks: Schemas['TimeEntry']['breaks'] = [];
  let pausedMs = 0;
  const pauses = readBreaks(row.breaks);
  for (const { start, end } of pauses) {
    breaks.push(
      end === undefined ? { start: formatInstant(start) } : { start: formatInstant(start), end: formatInstant(end) },
    );
    if (end !== undefined) pausedMs += end - start;
  }
  const entry: Schemas['TimeEntry'] = {
    id: row.id,
    user_id: row.person_id,
    company_id: row.company_id,
    date: row.date,
    start: formatInstant(row.start_at),
    breaks,
    break_minutes: Math.floor(pausedMs / minute),
    status: row.status,
    source: presentSource(row.source_kind, row.source_id, row.source_name),
    stamps: presentStamps(row, pauses),
    created_at: formatInstant(row.created_at),
    updated_at: formatInstant(row.updated_at),
  };
  if (row.end_at !== null) {
    entry.end = formatInstant(row.end_at);
    entry.worked_minutes = Math.floor((row.end_at - row.start_at - pausedMs) / minute);
  }
  if (row.proof !== null) entry.proof = row.proof as 'badge' | 'badge_pin' | 'none';
  if (row.comment !== null) entry.comment = row.comment;
  return entry;
}

export function presentClock(row: ClockRow): Schemas['ClockState'] {
  return {
    user_id: row.person_id,
    company_id: row.company_id,
    state: row.state,
    since: row.state === 'out' ? undefined : formatInstant(row.since),
    break_since: formatInstant(row.break_since),
    source: row.source_kind === null ? undefined : presentSource(row.source_kind, row.source_id, row.source_name),
    updated_at: formatInstant(row.updated_at),
  };
}
