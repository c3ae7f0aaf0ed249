import type { Reader } from '@clockproof/platform/database/database';
import { type Instant, second } from '@clockproof/platform/time/instant';
import type { components, operations } from '../generated/service-types.js';
import type { Cursors } from '../http/cursor.js';
import type { ApiHandler } from '../http/handler.js';
import { continueWalk, pageOf } from '../http/page.js';
import { type ExtensionCaller, narrowedScope } from '../people/caller.js';
import { keptFor } from '../store/event-rows.js';
import { presentEvent } from '../store/events.js';
import { endBehind, placeBefore, placeOf, positionText, settledPosition } from '../store/position.js';
import { invalidField, Refusal } from '../store/refusal.js';
import { bindingOf } from '../store/scope.js';
import { holderOfKey } from './keys.js';
import { readableEvents } from './readable-events.js';

/** Prefix of event ids, and of positions in the event feed. */
const prefix = 'evt_';

export interface EventsNeeds {
  readonly db: Reader;
  readonly cursors: Cursors;
}
type Query = NonNullable<operations['listEvents']['parameters']['query']>;

export const listEvents: ApiHandler<'listEvents'> = async ({ db, cursors, waiters, caller, query, at }) => {
  const { wait = 0, cursor } = query;
  if (wait === 0) return { status: 200, body: await pageOfEvents({ db, cursors }, caller, query, at) };
  if (cursor !== undefined) throw invalidField('wait', 'contradiction', 'A page that follows another does not wait.');
  const { endsAt } = await holderOfKey(db, caller, at);
  const until = at + wait * second;
  const body = await waiters.waitFor(caller.keyId, endsAt === null ? until : Math.min(until, endsAt), async (now) => {
    // The key's rights can change while it waits.
    const { caller: presentCaller } = await holderOfKey(db, caller, now);
    const answer = await pageOfEvents({ db, cursors }, presentCaller, query, now);
    return { hasResult: answer.data.length > 0, answer };
  });
  return { status: 200, body };
};

async function pageOfEvents(
  { db, cursors }: EventsNeeds,
  caller: ExtensionCaller,
  { after: afterId, cursor, limit = 100, types, company_id: companyId }: Query,
  at: Instant,
): Promise<components['schemas']['EventList']> {
  const scope = await narrowedScope(db, caller, { companyId });
  const binding = ['listEvents', caller.extensionId, bindingOf(scope), types?.join()];
  const newestSettled = await settledPosition(db);
  const after = afterId === undefined ? 0 : await placeOf(db, afterId.slice(prefix.length), newestSettled);
  if (after > 0 && after < (await placeBefore(db, at - keptFor))) throw new Refusal('sync_window_exceeded');
  // Behind a position nothing may be missing; without one the list begins 30 days ago.
  const since = after > 0 ? 0 : at - keptFor;
  const head = endBehind(newestSettled, after);
  const walk =
    cursor === undefined
      ? { after, since, upTo: head.place, end: positionText(head) }
      : await continueWalk(
          db,
          cursors.read<{ after: number; since: number; end: string }>(binding, cursor),
          newestSettled,
        );
  // Events for this extension alone need no scope, unless the request names a company.
  const companyFilter = companyId === undefined ? {} : { ownCompanies: { company: companyId } };
  const rows = await readableEvents(
    db,
    { extensionId: caller.extensionId, scopes: caller.scopes, scope, ...companyFilter, types },
    { ...walk, limit: limit + 1 },
  );
  const page = pageOf(rows, limit, presentEvent, (last) =>
    cursors.write(binding, { after: last.sequence, since: walk.since, end: walk.end }),
  );
  return { ...page, next_after: page.has_more ? page.data.at(-1)!.id : `${prefix}${walk.end}` };
}
