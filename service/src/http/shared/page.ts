/** What every list does: ask for one row more than the page holds, and point behind the last one shown. */
import { type Instant, parseInstant } from '@clockproof/platform/time/instant';
import { parseLocalDate } from '@clockproof/platform/time/local-date';
import { invalidField } from '../../refusal.js';
import type { Cursors } from './cursor.js';

export interface Page<Item> {
  readonly data: Item[];
  readonly next_cursor: string | null;
  readonly has_more: boolean;
}

export function pageOf<Row, Item>(
  rows: readonly Row[],
  limit: number,
  present: (row: Row) => Item,
  next: (last: Row) => string,
): Page<Item> {
  const more = rows.length > limit;
  const shown = more ? rows.slice(0, limit) : rows;
  return { data: shown.map(present), next_cursor: more ? next(shown.at(-1)!) : null, has_more: more };
}

/**
 * A walk through what changed: from a position in the commit sequence (or an instant) up to where it stood when
 * the walk began.
 */
export interface Walk {
  readonly after: number;
  readonly upTo: number;
  readonly since: Instant;
}

/**
 * Begins a walk or goes on with one.
 * @param current the newest position, read before the rows are
 */
export function walkOf(
  cursors: Cursors,
  binding: readonly unknown[],
  cursor: string | undefined,
  updatedSince: string,
  current: number,
): Walk {
  if (cursor !== undefined) return cursors.read<Walk>(binding, cursor);
  const position = /^s1_([0-9a-f]{16})$/.exec(updatedSince)?.[1];
  if (position !== undefined) {
    const after = Number.parseInt(position, 16);
    if (after > current)
      throw invalidField('updated_since', 'invalid', 'The position is not one this installation gave out.');
    return { after, upTo: current, since: 0 };
  }
  return { after: 0, upTo: current, since: sinceOf('updated_since', updatedSince) };
}

export function walkToken(upTo: number): string {
  return `s1_${upTo.toString(16).padStart(16, '0')}`;
}

/** An RFC 3339 instant, or a date, which means 00:00 UTC. */
export function sinceOf(field: string, text: string): Instant {
  const at = parseLocalDate(text) === undefined ? parseInstant(text) : parseInstant(`${text}T00:00:00Z`);
  if (at === undefined)
    throw invalidField(field, 'invalid', 'Write an RFC 3339 instant, a date, or the value of an earlier answer.');
  return at;
}
