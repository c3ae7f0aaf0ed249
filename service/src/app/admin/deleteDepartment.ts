import type { Handler } from '@clockproof/platform/http/operation';
import type { operations } from '../../generated/app-types.js';
import { removeDepartment } from '../../people/people.js';
import { actorOf, type PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { companyFor } from './administered.js';

export function deleteDepartment({ db }: Pick<AppNeeds, 'db'>): Handler<operations['deleteDepartment'], PersonCaller> {
  return async ({ caller, path: { id, department_id: departmentId }, at }) => {
    await db.write(async (tx) =>
      removeDepartment(tx, (await companyFor(tx, caller, id)).id, departmentId, actorOf(caller), at),
    );
    return { status: 204 };
  };
}
