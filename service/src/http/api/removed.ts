/** The three lists of what was removed: the same walk, another kind. */
import type { Reader } from '@clockproof/platform/database/database';
import type { Handler } from '@clockproof/platform/http/operation';
import { formatInstant, type Instant } from '@clockproof/platform/time/instant';
import { keptFor, listRemovals, type RemovedKind } from '../../erasure/removals.js';
import { currentSequence } from '../../events/rows.js';
import type { ExtensionCaller } from '../../extensions/keys.js';
import type { operations } from '../../generated/service-types.js';
import { invalidField, Refusal } from '../../refusal.js';
import { bindingOf } from '../../tenant/scope.js';
import type { Cursors } from '../shared/cursor.js';
import { pageOf, sinceOf } from '../shared/page.js';
import { type ApiCaller, callerKey, scopeOf } from './caller.js';

interface Place {
  readonly changed: number;
  readonly id: number;
}
/** `reached`: the instant the position was given out, to know whether it is still within the 90 days. */
interface RemovalWalk {
  readonly after: Place;
  readonly upTo: number;
  readonly since: Instant;
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
 * @throws Refusal `sync_window_exceeded` what was removed since then may be forgotten already; `invalid_request`,
 * `invalid_cursor`
 */
export async function listRemoved(
  { db, cursors }: { readonly db: Reader; readonly cursors: Cursors },
  kind: RemovedKind,
  {
    caller,
    query,
    at,
  }: {
    readonly caller: ApiCaller;
    readonly query: { readonly since: string; readonly limit?: number; readonly cursor?: string };
    readonly at: Instant;
  },
): Promise<{ readonly status: 200; readonly body: RemovedPage }> {
  const { since, cursor, limit = 100 } = query;
  const scope = scopeOf(caller);
  const binding = ['removed', kind, callerKey(caller), bindingOf(scope), since];
  const walk =
    cursor === undefined ? begin(since, await currentSequence(db), at) : cursors.read<RemovalWalk>(binding, cursor);
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
    (last) => cursors.write(binding, { ...walk, after: { changed: last.changed, id: last.id } }),
  );
  return {
    status: 200,
    body: { ...page, next_since: `s1_${walk.upTo.toString(16).padStart(16, '0')}_${walk.reached.toString(16)}` },
  };
}

/**
 * A position carries the instant at which it was given out: whether it is too old can be said even when everything
 * behind it has been forgotten.
 */
function begin(since: string, current: number, at: Instant): RemovalWalk {
  const position = /^s1_([0-9a-f]{16})_([0-9a-f]{1,13})$/.exec(since);
  if (position === null) {
    const from = sinceOf('since', since);
    if (from < at - keptFor) throw new Refusal('sync_window_exceeded');
    return { after: { changed: 0, id: 0 }, upTo: current, since: from, reached: at };
  }
  const [changed, reached] = [Number.parseInt(position[1]!, 16), Number.parseInt(position[2]!, 16)];
  if (changed > current) throw invalidField('since', 'invalid', 'The position is not one this installation gave out.');
  if (reached < at - keptFor) throw new Refusal('sync_window_exceeded');
  return { after: { changed, id: Number.MAX_SAFE_INTEGER }, upTo: current, since: 0, reached: at };
}

export function listRemovedUsers(needs: {
  readonly db: Reader;
  readonly cursors: Cursors;
}): Handler<operations['listRemovedUsers'], ExtensionCaller> {
  return (request) => listRemoved(needs, 'person', request);
}

export function listRemovedLeaves(needs: {
  readonly db: Reader;
  readonly cursors: Cursors;
}): Handler<operations['listRemovedLeaves'], ApiCaller> {
  return (request) => listRemoved(needs, 'absence', request);
}

export function listRemovedTimeEntries(needs: {
  readonly db: Reader;
  readonly cursors: Cursors;
}): Handler<operations['listRemovedTimeEntries'], ExtensionCaller> {
  return (request) => listRemoved(needs, 'time_entry', request);
}
