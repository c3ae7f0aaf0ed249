import type { Handler } from '@clockproof/platform/http/operation';
import { pageOf } from '../../api/page.js';
import type { operations } from '../../generated/app-types.js';
import { findDepartment, listPeopleByName } from '../../people/rows.js';
import { Refusal } from '../../refusal.js';
import { administeredCompany, type PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { companyFor } from './administered.js';
import { presentAdministered } from './present-person.js';

interface Place {
  readonly last: string;
  readonly first: string;
  readonly id: number;
}

export function listPeople({
  db,
  cursors,
}: Pick<AppNeeds, 'db' | 'cursors'>): Handler<operations['listPeople'], PersonCaller> {
  return async ({
    caller,
    query: { company_id: asked, department_id: departmentId, active, search, cursor, limit = 100 },
  }) => {
    const companyId = asked === undefined ? administeredCompany(caller) : (await companyFor(db, caller, asked)).id;
    if (
      departmentId !== undefined &&
      companyId !== null &&
      (await findDepartment(db, departmentId, companyId)) === undefined
    )
      throw new Refusal('not_found');
    const binding = ['listPeople', caller.person.id, companyId, departmentId, active, search];
    const after = cursor === undefined ? undefined : cursors.read<Place>(binding, cursor);
    const rows = await listPeopleByName(db, { companyId, departmentId, active, search, after, limit: limit + 1 });
    const page = pageOf(
      rows,
      limit,
      (row) => row,
      (last) => cursors.write(binding, { last: last.last_name, first: last.first_name, id: last.id } satisfies Place),
    );
    return {
      status: 200,
      body: { ...page, data: await Promise.all(page.data.map((row) => presentAdministered(db, row))) },
    };
  };
}
