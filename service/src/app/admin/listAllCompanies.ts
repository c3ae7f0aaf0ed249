import type { Handler } from '@clockproof/platform/http/operation';
import { pageOf } from '../../api/page.js';
import type { operations } from '../../generated/app-types.js';
import { listCompanies } from '../../people/rows.js';
import { administeredCompany, type PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { presentCompanySettings } from './present-company.js';

export function listAllCompanies({
  db,
  cursors,
}: Pick<AppNeeds, 'db' | 'cursors'>): Handler<operations['listAllCompanies'], PersonCaller> {
  return async ({ caller, query: { cursor, limit = 100 } }) => {
    const binding = ['listAllCompanies', caller.person.id];
    const afterId = cursor === undefined ? 0 : cursors.read<number>(binding, cursor);
    const page = pageOf(
      await listCompanies(db, administeredCompany(caller), afterId, limit + 1),
      limit,
      (row) => row,
      (last) => cursors.write(binding, last.id),
    );
    return {
      status: 200,
      body: { ...page, data: await Promise.all(page.data.map((row) => presentCompanySettings(db, row))) },
    };
  };
}
