import type { Handler } from '@clockproof/platform/http/operation';
import type { operations } from '../../generated/app-types.js';
import { addDepartment } from '../../people/people.js';
import { actorOf, type PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { companyFor } from './administered.js';
import { presentDepartments } from './present-company.js';

export function createDepartment({ db }: Pick<AppNeeds, 'db'>): Handler<operations['createDepartment'], PersonCaller> {
  return ({ caller, path: { id }, body: { name }, at }) =>
    db.write(async (tx) => {
      const company = await companyFor(tx, caller, id);
      const added = await addDepartment(tx, company.id, name, actorOf(caller), at);
      return { status: 201, body: (await presentDepartments(tx, company.id)).find((one) => one.id === added)! };
    });
}
