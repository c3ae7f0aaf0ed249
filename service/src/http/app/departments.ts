import type { Handler } from '@clockproof/platform/http/operation';
import type { operations } from '../../generated/app-types.js';
import { companyFor } from '../../lifecycle/administered.js';
import { actorOf } from '../../people/actor.js';
import { addDepartment, removeDepartment, renameDepartment as rename } from '../../people/people.js';
import type { PersonCaller } from './caller.js';
import { presentDepartments } from './companies.js';
import type { AppNeeds } from './needs.js';

export function listDepartments({ db }: Pick<AppNeeds, 'db'>): Handler<operations['listDepartments'], PersonCaller> {
  return async ({ caller, path: { id } }) => ({
    status: 200,
    body: { data: await presentDepartments(db, (await companyFor(db, caller, id)).id) },
  });
}

export function createDepartment({ db }: Pick<AppNeeds, 'db'>): Handler<operations['createDepartment'], PersonCaller> {
  return ({ caller, path: { id }, body: { name }, at }) =>
    db.write(async (tx) => {
      const company = await companyFor(tx, caller, id);
      const added = await addDepartment(tx, company.id, name, actorOf(caller.person), at);
      return { status: 201, body: (await presentDepartments(tx, company.id)).find((one) => one.id === added)! };
    });
}

export function renameDepartment({ db }: Pick<AppNeeds, 'db'>): Handler<operations['renameDepartment'], PersonCaller> {
  return ({ caller, path: { id, department_id: departmentId }, body: { name }, at }) =>
    db.write(async (tx) => {
      const company = await companyFor(tx, caller, id);
      await rename(tx, company.id, departmentId, name, actorOf(caller.person), at);
      return { status: 200, body: (await presentDepartments(tx, company.id)).find((one) => one.id === departmentId)! };
    });
}

export function deleteDepartment({ db }: Pick<AppNeeds, 'db'>): Handler<operations['deleteDepartment'], PersonCaller> {
  return async ({ caller, path: { id, department_id: departmentId }, at }) => {
    await db.write(async (tx) =>
      removeDepartment(tx, (await companyFor(tx, caller, id)).id, departmentId, actorOf(caller.person), at),
    );
    return { status: 204 };
  };
}
