import type { Handler } from '@clockproof/platform/http/operation';
import { pageOf } from '../../api/page.js';
import { listApprovalRows } from '../../approvals/rows.js';
import type { operations } from '../../generated/app-types.js';
import type { PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { decidedFor, reachOf } from '../reach.js';
import { presentApprovals } from './present-approval.js';

export function listApprovals({
  db,
  cursors,
}: Pick<AppNeeds, 'db' | 'cursors'>): Handler<operations['listApprovals'], PersonCaller> {
  return async ({
    caller,
    query: {
      state = 'waiting',
      kind,
      company_id: companyId,
      department_id: departmentId,
      user_id: personId,
      cursor,
      limit = 100,
    },
    at,
  }) => {
    const reach = await reachOf(db, caller, { companyId, departmentId });
    if (personId !== undefined) await decidedFor(db, caller, personId);
    const binding = [
      'listApprovals',
      caller.person.id,
      state,
      kind,
      reach.companyId,
      reach.departmentIds ?? 'all',
      personId,
    ];
    const afterId = cursor === undefined ? undefined : cursors.read<number>(binding, cursor);
    const rows = await listApprovalRows(db, {
      ...reach,
      personId,
      state,
      kind,
      exceptPersonId: caller.person.id,
      afterId,
      limit: limit + 1,
    });
    const shown = await presentApprovals(db, rows, caller.person.language, at);
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
