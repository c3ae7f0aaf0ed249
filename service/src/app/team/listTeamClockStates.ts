import type { Handler } from '@clockproof/platform/http/operation';
import { pageOf } from '../../api/page.js';
import { presentClock } from '../../clocking/present.js';
import { listClocks } from '../../clocking/rows.js';
import type { operations } from '../../generated/app-types.js';
import type { PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { reachOf } from '../reach.js';

export function listTeamClockStates({
  db,
  cursors,
}: Pick<AppNeeds, 'db' | 'cursors'>): Handler<operations['listTeamClockStates'], PersonCaller> {
  return async ({ caller, query: { company_id: companyId, department_id: departmentId, cursor, limit = 100 } }) => {
    const reach = await reachOf(db, caller, { companyId, departmentId });
    const binding = ['listTeamClockStates', caller.person.id, reach.companyId, reach.departmentIds ?? 'all'];
    const afterId = cursor === undefined ? 0 : cursors.read<number>(binding, cursor);
    const rows = await listClocks(db, { ...reach, personId: undefined, state: undefined, afterId, limit: limit + 1 });
    return { status: 200, body: pageOf(rows, limit, presentClock, (last) => cursors.write(binding, last.person_id)) };
  };
}
