import type { Handler } from '@clockproof/platform/http/operation';
import { formatInstant } from '@clockproof/platform/time/instant';
import { pageOf } from '../../api/page.js';
import { entriesOfActor } from '../../audit/rows.js';
import type { operations } from '../../generated/app-types.js';
import { findStanding } from '../../oauth/rows.js';
import { Refusal } from '../../refusal.js';
import type { PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { describeAction } from './describe-action.js';

export function listLinkedAppActivity({
  db,
  cursors,
}: Pick<AppNeeds, 'db' | 'cursors'>): Handler<operations['listLinkedAppActivity'], PersonCaller> {
  return async ({ caller: { person }, path: { id }, query: { cursor, limit = 100 } }) => {
    if ((await findStanding(db, id))?.person_id !== person.id) throw new Refusal('not_found');
    const binding = ['listLinkedAppActivity', person.id, id];
    const before = cursor === undefined ? undefined : cursors.read<number>(binding, cursor);
    const rows = await entriesOfActor(db, 'personal_link', id, before, limit + 1);
    const page = pageOf(
      rows,
      limit,
      (row) => ({ at: formatInstant(row.at), action: row.action, description: describeAction(row, person.language) }),
      (last) => cursors.write(binding, last.sequence),
    );
    return { status: 200, body: page };
  };
}
