import type { Reader } from '@clockproof/platform/database/database';
import type { Handler } from '@clockproof/platform/http/operation';
import { day, type Instant, second } from '@clockproof/platform/time/instant';
import { currentSequence, instantAfter } from '../../events/rows.js';
import type { Waiters } from '../../events/waiters.js';
import { type ExtensionCaller, holderOfKey } from '../../extensions/keys.js';
import { readableEvents } from '../../extensions/readable-events.js';
import type { components, operations } from '../../generated/service-types.js';
import { invalidField, Refusal } from '../../refusal.js';
import { allCompanies, bindingOf } from '../../tenant/scope.js';
import type { Cursors } from '../shared/cursor.js';
import { pageOf, type Walk } from '../shared/page.js';
import { narrowedScope } from './caller.js';

const keptDays = 30;

interface EventsNeeds {
  readonly db: Reader;
  readonly cursors: Cursors;
}
type Query = NonNullable<operations['listEvents']['parameters']['query']>;

export function listEvents({
  db,
  cursors,
  waiters,
}: EventsNeeds & { readonly waiters: Waiters }): Handler<operations['listEvents'], ExtensionCaller> {
  return async ({ caller, query, at }) => {
    const { wait = 0, cursor } = query;
    if (wait === 0) return { status: 200, body: await pageOfEvents({ db, cursors }, caller, query, at) };
    if (cursor !== undefined) throw invalidField('wait', 'contradiction', 'A page that follows another does not wait.');
    const { endsAt } = await holderOfKey(db, caller, at);
    const until = at + wait * second;
    const body = await waiters.waitFor(caller.keyId, endsAt === null ? until : Math.min(until, endsAt), async (now) => {
      // What the key may read can change while it waits.
      const { caller: present } = await holderOfKey(db, caller, now);
      const answer = await pageOfEvents({ db, cursors }, present, query, now);
      return { found: answer.data.length > 0, answer };
    });
    return { status: 200, body };
  };
}

async function pageOfEvents(
  { db, cursors }: EventsNeeds,
  caller: ExtensionCaller,
  { after: asked, cursor, limit = 100, types, company_id: companyId }: Query,
  at: Instant,
): Promise<components['schemas']['EventList']> {
  const after = asked ?? 0;
  const scope = await narrowedScope(db, caller, { companyId });
  const binding = ['listEvents', caller.extensionId, bindingOf(scope), after, types?.join()];
  const since = at - keptDays * day;
  if (asked !== undefined) {
    const first = await instantAfter(db, after);
    if (first !== undefined && first < since) throw new Refusal('sync_window_exceeded');
  }
  const current = await currentSequence(db);
  if (after > current) throw invalidField('after', 'invalid', 'The position is not one this installation gave out.');
  const walk: Walk = cursor === undefined ? { after, upTo: current, since } : cursors.read(binding, cursor);
  // What is for this extension alone needs no scope.
  const ownCompanies = companyId === undefined ? allCompanies : { company: companyId };
  const rows = await readableEvents(
    db,
    { extensionId: caller.extensionId, scopes: caller.scopes, scope, ownCompanies, types },
    { ...walk, limit: limit + 1 },
  );
  const page = pageOf(
    rows,
    limit,
    (row) => JSON.parse(row.payload) as components['schemas']['Event'],
    (last) => cursors.write(binding, { ...walk, after: last.sequence }),
  );
  return { ...page, next_after: page.has_more ? rows[limit - 1]!.sequence : walk.upTo };
}
