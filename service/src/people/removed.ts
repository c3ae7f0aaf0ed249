/** The three lists of removals: the same walk, another kind. */
import type { Reader } from '@clockproof/platform/database/database';
import { formatInstant, type Instant } from '@clockproof/platform/time/instant';
import type { Cursors } from '../http/cursor.js';
import { continueWalk, pageOf, sinceOf } from '../http/page.js';
import { endBehind, placeBehind, placeOf, positionText, type RowPlace, settledPosition } from '../store/position.js';
import { Refusal } from '../store/refusal.js';
import { bindingOf } from '../store/scope.js';
import { type ApiCaller, callerKey, scopeOf } from './caller.js';
import { keptFor, listRemovals, type RemovedKind } from './removals.js';

interface RemovalWalk {
  readonly after: RowPlace;
  readonly upTo: number;
  readonly since: Instant;
  /** `upTo` as text: the next walk begins there. */
  readonly end: string;
  /** The beginning of the walk, to know whether its end is still within the 90 days. */
  readonly reached: Instant;
}

interface Removed {
  readonly id: number;
  readonly company_id: number;
  readonly removed_at: string;
}

export interface RemovedPage {
  readonly data: Removed[];
  readonly next_cursor: string | null;
  readonly has_more: boolean;
  readonly next_since: string;
}

/**
 * @throws Refusal `sync_window_exceeded` removals since then may be forgotten already; `history_changed` the position
 * is not of this history; `invalid_request`, `invalid_cursor`
 */
export async function listRemoved(
  kind: RemovedKind,
  {
    db,
    cursors,
    caller,
    query,
    at,
  }: {
    readonly db: Reader;
    readonly cursors: Cursors;
    readonly caller: ApiCaller;
    readonly query: { readonly since: string; readonly limit?: number; readonly cursor?: string };
    readonly at: Instant;
  },
): Promise<{ readonly status: 200; readonly body: RemovedPage }> {
  const { since, cursor, limit = 100 } = query;
  const scope = scopeOf(caller);
  const binding = ['removed', kind, callerKey(caller), bindingOf(scope), since];
  const walk =
    cursor === undefined
      ? await begin(db, since, at)
      : await continueWalk(db, cursors.read<Omit<RemovalWalk, 'upTo'>>(binding, cursor), await settledPosition(db));
  const rows = await listRemovals(db, scope, {
    kind,
    after: walk.after,
    upTo: walk.upTo,
    since: Math.max(walk.since, at - keptFor),
    limit: limit + 1,
  });
  const page = pageOf(
    rows,
    limit,
    (row): Removed => ({ id: row.id, company_id: row.company_id, removed_at: formatInstant(row.removed_at) }),
    ({ changed, id }) => {
      const { since, end, reached } = walk;
      return cursors.write(binding, { after: { changed, id }, since, end, reached });
    },
  );
  return {
    status: 200,
    body: { ...page, next_since: `s1_${walk.end}_${walk.reached.toString(16)}` },
  };
}

/**
 * A position carries the instant at which it was given out: whether it is too old can be said even when everything
 * behind it has been forgotten.
 */
async function begin(db: Reader, since: string, at: Instant): Promise<RemovalWalk> {
  const latest = await settledPosition(db);
  const position = /^s1_([0-9a-f]{22})_([0-9a-f]{1,13})$/.exec(since);
  if (position === null) {
    const from = sinceOf('since', since);
    if (from < at - keptFor) throw new Refusal('sync_window_exceeded');
    return { upTo: latest.place, end: positionText(latest), reached: at, after: { changed: 0, id: 0 }, since: from };
  }
  const place = await placeOf(db, position[1]!, latest);
  if (Number.parseInt(position[2]!, 16) < at - keptFor) throw new Refusal('sync_window_exceeded');
  const end = endBehind(latest, place);
  return { upTo: end.place, end: positionText(end), reached: at, after: placeBehind(place), since: 0 };
}
