import type { Reader } from '@clockproof/platform/database/database';
import type { Handler } from '@clockproof/platform/http/operation';
import { day } from '@clockproof/platform/time/instant';
import { currentSequence, instantAfter } from '../../events/rows.js';
import type { ExtensionCaller } from '../../extensions/keys.js';
import { readableEvents } from '../../extensions/readable-events.js';
import type { components, operations } from '../../generated/service-types.js';
import { invalidField, Refusal } from '../../refusal.js';
import { allCompanies, bindingOf } from '../../tenant/scope.js';
import type { Cursors } from '../shared/cursor.js';
import { pageOf, type Walk } from '../shared/page.js';
import { narrowedScope } from '../shared/tenant-scope.js';

const keptDays = 30;

export function listEvents({
  db,
  cursors,
}: {
  readonly db: Reader;
  readonly cursors: Cursors;
}): Handler<operations['listEvents'], ExtensionCaller> {
  return async ({ caller, query, at }) => {
    const { after = 0, cursor, limit = 100, types } = query;
    const scope = await narrowedScope(db, caller, { companyId: query.company_id });
    const binding = ['listEvents', caller.extensionId, bindingOf(scope), after, types?.join()];
    const since = at - keptDays * day;
    if (query.after !== undefined) {
      const first = await instantAfter(db, after);
      if (first !== undefined && first < since) throw new Refusal('sync_window_exceeded');
    }
    const current = await currentSequence(db);
    if (after > current) throw invalidField('after', 'invalid', 'The position is not one this installation gave out.');
    const walk: Walk = cursor === undefined ? { after, upTo: current, since } : cursors.read(binding, cursor);
    // What is for this extension alone needs no scope.
    const ownCompanies = query.company_id === undefined ? allCompanies : { company: query.company_id };
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
    return { status: 200, body: { ...page, next_after: page.has_more ? rows[limit - 1]!.sequence : walk.upTo } };
  };
}
