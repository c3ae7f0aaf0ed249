import type { Handler } from '@clockproof/platform/http/operation';
import type { operations } from '../generated/app-types.js';
import type { AppNeeds } from '../http/needs.js';
import { actorOf } from '../people/actor.js';
import { companyFor } from '../people/administered.js';
import type { PersonCaller } from '../people/caller.js';
import { addDepartment, removeDepartment, renameDepartment as rename } from '../people/people.js';
import { presentDepartments } from './present-company.js';

export function listDepartments({ db }: Pick<AppNeeds, 'db'>): Handler<operations['listDepartments'], PersonCaller> {
  return async ({ caller, path: { id } }) => ({
    status: 200,
    body: { data: await presentDepartments(db, (await companyFor(db, caller, id)).id) },
  });
}

export function createDepartment({ db }: Pick<AppNeeds, 'db'>): Handler<operations['createDepartment'], PersonCaller> {
  return ({ caller, path: { id }, body: { name }, at }) =>
    db.write({ actor: actorOf(caller.person), at }, async (write) => {
      const company = await companyFor(write, caller, id);
      const added = await addDepartment(write, company.id, name);
      return {
        status: 201,
        body: (await presentDepartments(write, company.id)).find((department) => department.id === added)!,
      };
    });
}

export function renameDepartment({ db }: Pick<AppNeeds, 'db'>): Handler<operations['renameDepartment'], PersonCaller> {
  return ({ caller, path: { id, department_id: departmentId }, body: { name }, at }) =>
    db.write({ actor: actorOf(caller.person), at }, async (write) => {
      const company = await companyFor(write, caller, id);
      await rename(write, company.id, departmentId, name);
      return {
        status: 200,
        body: (await presentDepartments(write, company.id)).find((department) => department.id === departmentId)!,
      };
    });
}

export function deleteDepartment({ db }: Pick<AppNeeds, 'db'>): Handler<operations['deleteDepartment'], PersonCaller> {
  return async ({ caller, path: { id, department_id: departmentId }, at }) => {
    await db.write({ actor: actorOf(caller.person), at }, async (write) =>
      removeDepartment(write, (await companyFor(write, caller, id)).id, departmentId),
    );
    return { status: 204 };
  };
}
