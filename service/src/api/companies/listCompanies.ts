import type { Reader } from '@clockproof/platform/database/database';
import type { Handler } from '@clockproof/platform/http/operation';
import type { operations } from '../../generated/service-types.js';
import { presentCompany } from '../../people/present.js';
import { listCompanies as companyRows, listDepartments } from '../../people/rows.js';
import { type ApiCaller, callerKey } from '../acting.js';
import type { Cursors } from '../cursor.js';
import { pageOf } from '../page.js';

export function listCompanies({
  db,
  cursors,
}: {
  readonly db: Reader;
  readonly cursors: Cursors;
}): Handler<operations['listCompanies'], ApiCaller> {
  return async ({ caller, query: { cursor, limit = 100 } }) => {
    const binding = ['listCompanies', callerKey(caller), caller.companyId];
    const afterId = cursor === undefined ? 0 : cursors.read<number>(binding, cursor);
    const rows = await companyRows(db, caller.companyId, afterId, limit + 1);
    const departments = rows.length === 0 ? [] : await listDepartments(db, rows[0]!.id, rows.at(-1)!.id);
    return {
      status: 200,
      body: pageOf(
        rows,
        limit,
        (row) => presentCompany(row, departments),
        (last) => cursors.write(binding, last.id),
      ),
    };
  };
}
