import type { Handler } from '@clockproof/platform/http/operation';
import { pageOf } from '../../api/page.js';
import { listCorrections } from '../../clocking/correction-rows.js';
import { presentCorrections } from '../../clocking/present-correction.js';
import type { operations } from '../../generated/app-types.js';
import type { PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';

export function listMyCorrections({
  db,
  cursors,
}: Pick<AppNeeds, 'db' | 'cursors'>): Handler<operations['listMyCorrections'], PersonCaller> {
  return async ({ caller: { person }, query: { cursor, limit = 100 } }) => {
    const binding = ['listMyCorrections', person.id];
    const beforeId = cursor === undefined ? Number.MAX_SAFE_INTEGER : cursors.read<number>(binding, cursor);
    const rows = await listCorrections(db, { personId: person.id, beforeId, limit: limit + 1 });
    const shown = await presentCorrections(db, rows);
    return {
      status: 200,
      body: pageOf(
        rows,
        limit,
        (row) => shown.get(row)!,
        (last) => cursors.write(binding, last.id),
      ),
    };
  };
}
