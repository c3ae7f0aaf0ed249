import { recordAnswer } from '@clockproof/platform/http/conditional';
import type { ApiHandler } from '../http/handler.js';
import { pageOf, walkCursor, walkOf, walkToken } from '../http/page.js';
import { readPeriod } from '../http/period.js';
import { callerKey, narrowedScope, scopeOf } from '../people/caller.js';
import { listRemoved } from '../people/removed.js';
import { Refusal } from '../store/refusal.js';
import { bindingOf } from '../store/scope.js';
import { findEntry, listEntries, listEntriesChanged } from './rows.js';
import { presentEntry } from './time-entry.js';

export const listTimeEntries: ApiHandler<'listTimeEntries'> = async ({ db, cursors, caller, query }) => {
  const { user_id: personId, company_id: companyId, updated_since: updatedSince, cursor, limit = 100 } = query;
  const period = readPeriod(query);
  const scope = await narrowedScope(db, caller, { companyId, personId });
  const binding = ['listTimeEntries', callerKey(caller), bindingOf(scope), updatedSince, period];
  if (period === undefined) {
    const walk = await walkOf({ db, cursors }, binding, cursor, updatedSince!);
    const rows = await listEntriesChanged(db, scope, { ...walk, limit: limit + 1 });
    const page = pageOf(rows, limit, presentEntry, (last) => cursors.write(binding, walkCursor(walk, last)));
    return { status: 200, body: { ...page, next_updated_since: walkToken(walk) } };
  }
  const after = cursor === undefined ? undefined : cursors.read<{ date: string; id: number }>(binding, cursor);
  const rows = await listEntries(db, scope, { ...period, after, limit: limit + 1 });
  return {
    status: 200,
    body: pageOf(rows, limit, presentEntry, (last) => cursors.write(binding, { date: last.date, id: last.id })),
  };
};

export const getTimeEntry: ApiHandler<'getTimeEntry'> = async ({ db, caller, path: { id }, headers }) => {
  const entry = await findEntry(db, id, scopeOf(caller));
  if (entry === undefined) throw new Refusal('not_found');
  return recordAnswer(presentEntry(entry), headers['if-none-match']);
};

export const listRemovedTimeEntries: ApiHandler<'listRemovedTimeEntries'> = (request) =>
  listRemoved('time_entry', request);
