import type { Handler } from '@clockproof/platform/http/operation';
import type { operations } from '../../generated/app-types.js';
import type { PersonCaller } from '../caller.js';
import { listEntriesPage } from '../entries/list-entries-page.js';
import type { AppNeeds } from '../needs.js';

export function listMyEntries({
  db,
  cursors,
}: Pick<AppNeeds, 'db' | 'cursors'>): Handler<operations['listMyEntries'], PersonCaller> {
  return async ({ caller: { person }, query }) => ({
    status: 200,
    body: await listEntriesPage(db, cursors, person.id, person, query),
  });
}
