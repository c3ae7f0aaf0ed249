import type { Handler } from '@clockproof/platform/http/operation';
import type { operations } from '../../generated/app-types.js';
import type { PersonCaller } from '../caller.js';
import { listEntriesPage } from '../entries/list-entries-page.js';
import type { AppNeeds } from '../needs.js';
import { decidedFor } from '../reach.js';

export function listEntriesOfPerson({
  db,
  cursors,
}: Pick<AppNeeds, 'db' | 'cursors'>): Handler<operations['listEntriesOfPerson'], PersonCaller> {
  return async ({ caller, path: { id }, query }) => ({
    status: 200,
    body: await listEntriesPage(db, cursors, caller.person.id, await decidedFor(db, caller, id), query),
  });
}
