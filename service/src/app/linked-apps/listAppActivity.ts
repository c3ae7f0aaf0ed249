import type { Handler } from '@clockproof/platform/http/operation';
import { formatInstant } from '@clockproof/platform/time/instant';
import { pageOf } from '../../api/page.js';
import { entriesByKeysFor } from '../../audit/rows.js';
import type { operations } from '../../generated/app-types.js';
import type { PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { describeAction } from './describe-action.js';

export function listAppActivity({
  db,
  cursors,
}: Pick<AppNeeds, 'db' | 'cursors'>): Handler<operations['listAppActivity'], PersonCaller> {
  return async ({ caller: { person }, query: { cursor, limit = 100 } }) => {
    const binding = ['listAppActivity', person.id];
    const before = cursor === undefined ? undefined : cursors.read<number>(binding, cursor);
    const rows = await entriesByKeysFor(db, person.id, before, limit + 1);
    const page = pageOf(
      rows,
      limit,
      (row) => ({
        at: formatInstant(row.at),
        extension: { id: row.actor_id!, name: row.actor_name ?? row.actor_id! },
        action: row.action,
        description: describeAction(row, person.language),
      }),
      (last) => cursors.write(binding, last.sequence),
    );
    return { status: 200, body: page };
  };
}
