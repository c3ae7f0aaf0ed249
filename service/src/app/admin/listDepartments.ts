import type { Handler } from '@clockproof/platform/http/operation';
import type { operations } from '../../generated/app-types.js';
import type { PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { companyFor } from './administered.js';
import { presentDepartments } from './present-company.js';

export function listDepartments({ db }: Pick<AppNeeds, 'db'>): Handler<operations['listDepartments'], PersonCaller> {
  return async ({ caller, path: { id } }) => ({
    status: 200,
    body: { data: await presentDepartments(db, (await companyFor(db, caller, id)).id) },
  });
}
