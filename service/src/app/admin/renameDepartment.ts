import type { Handler } from '@clockproof/platform/http/operation';
import type { operations } from '../../generated/app-types.js';
import { renameDepartment as rename } from '../../people/people.js';
import { actorOf, type PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { companyFor } from './administered.js';
import { presentDepartments } from './present-company.js';

export function renameDepartment({ db }: Pick<AppNeeds, 'db'>): Handler<operations['renameDepartment'], PersonCaller> {
  return ({ caller, path: { id, department_id: departmentId }, body: { name }, at }) =>
    db.write(async (tx) => {
      const company = await companyFor(tx, caller, id);
      await rename(tx, company.id, departmentId, name, actorOf(caller), at);
      return { status: 200, body: (await presentDepartments(tx, company.id)).find((one) => one.id === departmentId)! };
    });
}
