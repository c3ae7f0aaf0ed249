import type { AppHandler } from '../http/handler.js';
import { actorOf } from '../people/actor.js';
import { companyFor } from '../people/administered.js';
import { addDepartment, changeDepartmentName, removeDepartment } from '../people/people.js';
import { presentDepartments } from './present-company.js';

export const listDepartments: AppHandler<'listDepartments'> = async ({ db, caller, path: { id } }) => ({
  status: 200,
  body: { data: await presentDepartments(db, (await companyFor(db, caller, id)).id) },
});

export const createDepartment: AppHandler<'createDepartment'> = ({ db, caller, path: { id }, body: { name }, at }) =>
  db.write({ actor: actorOf(caller.person), at }, async (write) => {
    const company = await companyFor(write, caller, id);
    const departmentId = await addDepartment(write, company.id, name);
    return {
      status: 201,
      body: (await presentDepartments(write, company.id)).find((department) => department.id === departmentId)!,
    };
  });

export const renameDepartment: AppHandler<'renameDepartment'> = ({
  db,
  caller,
  path: { id, department_id: departmentId },
  body: { name },
  at,
}) =>
  db.write({ actor: actorOf(caller.person), at }, async (write) => {
    const company = await companyFor(write, caller, id);
    await changeDepartmentName(write, company.id, departmentId, name);
    return {
      status: 200,
      body: (await presentDepartments(write, company.id)).find((department) => department.id === departmentId)!,
    };
  });

export const deleteDepartment: AppHandler<'deleteDepartment'> = async ({
  db,
  caller,
  path: { id, department_id: departmentId },
  at,
}) => {
  await db.write({ actor: actorOf(caller.person), at }, async (write) =>
    removeDepartment(write, (await companyFor(write, caller, id)).id, departmentId),
  );
  return { status: 204 };
};
