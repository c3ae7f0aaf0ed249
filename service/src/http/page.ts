/** Pages of a list: it asks for one row more than the page holds, and points behind the last one shown. */
import type { Reader } from '@clockproof/platform/database/database';
import { type Instant, parseInstant } from '@clockproof/platform/time/instant';
import { parseLocalDate } from '@clockproof/platform/time/local-date';
import {
  endBehind,
  placeBefore,
  placeBehind,
  placeOf,
  positionText,
  type RowPlace,
  type Settled,
  settledPosition,
} from '../store/position.js';
import { invalidField } from '../store/refusal.js';
import type { Cursors } from './cursor.js';

export interface Page<Item> {
  readonly data: Item[];
  readonly next_cursor: string | null;
  readonly has_more: boolean;
}

export function pageOf<Row, Item>(
  rows: readonly Row[],
  limit: number,
  items: ReadonlyMap<Row, Item> | ((row: Row) => Item),
  next: (last: Row) => string,
): Page<Item> {
  const present = typeof items === 'function' ? items : (row: Row) => items.get(row)!;
  const hasMore = rows.length > limit;
  const pageRows = hasMore ? rows.slice(0, limit) : rows;
  return { data: pageRows.map(present), next_cursor: hasMore ? next(pageRows.at(-1)!) : null, has_more: hasMore };
}

/** A walk through changes: from a place (or an instant) up to the place that was settled when the walk began. */
export interface Walk {
  readonly after: RowPlace;
  readonly upTo: number;
  readonly since: Instant;
  /** `upTo` as text, see {@link positionText}: the next walk begins there. */
  readonly end: string;
}

/** The content of a walk's cursor. The text names the epoch in which the walk began. */
export type WalkCursor = Pick<Walk, 'after' | 'since' | 'end'>;

/**
 * Begins a walk or continues one.
 * @throws Refusal `history_changed` the cursor or the position is not of this history; `invalid_cursor`,
 * `invalid_request`
 */
export async function walkOf(
  { db, cursors }: { readonly db: Reader; readonly cursors: Cursors },
  binding: readonly unknown[],
  cursor: string | undefined,
  updatedSince: string,
): Promise<Walk> {
  const settled = await settledPosition(db);
  if (cursor !== undefined) return continueWalk(db, cursors.read<WalkCursor>(binding, cursor), settled);
  const position = /^s1_([0-9a-f]{22})$/.exec(updatedSince)?.[1];
  const since = position === undefined ? sinceOf('updated_since', updatedSince) : 0;
  const place = position === undefined ? await placeBefore(db, since) : await placeOf(db, position, settled);
  const end = endBehind(settled, place);
  return { after: placeBehind(place), upTo: end.place, end: positionText(end), since };
}

/** @throws Refusal `history_changed` */
export async function continueWalk<Cursor extends { readonly end: string }>(
  db: Reader,
  cursor: Cursor,
  settled: Settled,
): Promise<Cursor & { readonly upTo: number }> {
  return { ...cursor, upTo: await placeOf(db, cursor.end, settled) };
}

/** The cursor behind a row of a walk. */
export function walkCursor({ since, end }: Walk, { changed, id }: RowPlace): WalkCursor {
  return { after: { changed, id }, since, end };
}

/** The beginning of the next walk, for `updated_since`. */
export function walkToken({ end }: Walk): string {
  return `s1_${end}`;
}

/** An RFC 3339 instant, or a date, which means 00:00 UTC. */
export function sinceOf(field: string, text: string): Instant {
  const at = parseLocalDate(text) === undefined ? parseInstant(text) : parseInstant(`${text}T00:00:00Z`);
  if (at === undefined)
    throw invalidField(field, 'invalid', 'Write an RFC 3339 instant, a date, or the value of an earlier answer.');
  return at;
}
