import type { Reader } from '@clockproof/platform/database/database';
import { recordAnswer } from '@clockproof/platform/http/conditional';
import type { Handler } from '@clockproof/platform/http/operation';
import type { operations } from '../generated/service-types.js';
import type { Cursors } from '../http/cursor.js';
import { pageOf, walkCursor, walkOf, walkToken } from '../http/page.js';
import { Refusal } from '../store/refusal.js';
import { bindingOf, companiesOf } from '../store/scope.js';
import { type ApiCaller, callerKey, type ExtensionCaller, narrowedScope, scopeOf } from './caller.js';
import { presentCompany, presentPerson } from './present.js';
import { listRemoved } from './removed.js';
import { listCompanies as companyRows, findPerson, listDepartments, listPeople, listPeopleChanged } from './rows.js';

export function listUsers({
  db,
  cursors,
}: {
  readonly db: Reader;
  readonly cursors: Cursors;
}): Handler<operations['listUsers'], ExtensionCaller> {
  return async ({ caller, query }) => {
    const { active, updated_since: updatedSince, cursor, limit = 100 } = query;
    const scope = await narrowedScope(db, caller, { companyId: query.company_id });
    const binding = ['listUsers', caller.extensionId, bindingOf(scope), active, updatedSince];
    if (updatedSince !== undefined) {
      const walk = await walkOf({ db, cursors }, binding, cursor, updatedSince);
      const rows = await listPeopleChanged(db, scope, { ...walk, active, limit: limit + 1 });
      const page = pageOf(rows, limit, presentPerson, (last) => cursors.write(binding, walkCursor(walk, last)));
      return { status: 200, body: { ...page, next_updated_since: walkToken(walk) } };
    }
    const afterId = cursor === undefined ? 0 : cursors.read<number>(binding, cursor);
    const rows = await listPeople(db, scope, { active, afterId, limit: limit + 1 });
    return { status: 200, body: pageOf(rows, limit, presentPerson, (last) => cursors.write(binding, last.id)) };
  };
}

export function getUser({ db }: { readonly db: Reader }): Handler<operations['getUser'], ExtensionCaller> {
  return async ({ caller, path: { id }, headers }) => {
    const person = await findPerson(db, id, scopeOf(caller));
    if (person === undefined) throw new Refusal('not_found');
    return recordAnswer(presentPerson(person), headers['if-none-match']);
  };
}

export function listCompanies({
  db,
  cursors,
}: {
  readonly db: Reader;
  readonly cursors: Cursors;
}): Handler<operations['listCompanies'], ApiCaller> {
  return async ({ caller, query: { cursor, limit = 100 } }) => {
    const scope = companiesOf(scopeOf(caller));
    const binding = ['listCompanies', callerKey(caller), bindingOf(scope)];
    const afterId = cursor === undefined ? 0 : cursors.read<number>(binding, cursor);
    const rows = await companyRows(db, scope, { afterId, limit: limit + 1 });
    const departments =
      rows.length === 0 ? [] : await listDepartments(db, scope, { from: rows[0]!.id, to: rows.at(-1)!.id });
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

export function listRemovedUsers(needs: {
  readonly db: Reader;
  readonly cursors: Cursors;
}): Handler<operations['listRemovedUsers'], ExtensionCaller> {
  return (request) => listRemoved(needs, 'person', request);
}
