import { recordAnswer } from '@clockproof/platform/http/conditional';
import type { ApiHandler } from '../http/handler.js';
import { pageOf, walkCursor, walkOf, walkToken } from '../http/page.js';
import { Refusal } from '../store/refusal.js';
import { bindingOf, companiesOf } from '../store/scope.js';
import { callerKey, narrowedScope, scopeOf } from './caller.js';
import { presentCompany, presentPerson } from './present.js';
import { listRemoved } from './removed.js';
import {
  findPerson,
  listCompaniesChanged,
  listCompanyRows,
  listDepartments,
  listPeople,
  listPeopleChanged,
} from './rows.js';

export const listUsers: ApiHandler<'listUsers'> = async ({ db, cursors, caller, query }) => {
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

export const getUser: ApiHandler<'getUser'> = async ({ db, caller, path: { id }, headers }) => {
  const person = await findPerson(db, id, scopeOf(caller));
  if (person === undefined) throw new Refusal('not_found');
  return recordAnswer(presentPerson(person), headers['if-none-match']);
};

export const listCompanies: ApiHandler<'listCompanies'> = async ({
  db,
  cursors,
  caller,
  query: { cursor, updated_since: updatedSince, limit = 100 },
}) => {
  const scope = companiesOf(scopeOf(caller));
  const binding = ['listCompanies', callerKey(caller), bindingOf(scope), updatedSince];
  if (updatedSince !== undefined) {
    const walk = await walkOf({ db, cursors }, binding, cursor, updatedSince);
    const rows = await listCompaniesChanged(db, scope, { ...walk, limit: limit + 1 });
    const ids = rows.map(({ id }) => id);
    const departments =
      rows.length === 0 ? [] : await listDepartments(db, scope, { from: Math.min(...ids), to: Math.max(...ids) });
    const page = pageOf(
      rows,
      limit,
      (row) => presentCompany(row, departments),
      (last) => cursors.write(binding, walkCursor(walk, last)),
    );
    return { status: 200, body: { ...page, next_updated_since: walkToken(walk) } };
  }
  const afterId = cursor === undefined ? 0 : cursors.read<number>(binding, cursor);
  const rows = await listCompanyRows(db, scope, { afterId, limit: limit + 1 });
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

export const listRemovedUsers: ApiHandler<'listRemovedUsers'> = (request) => listRemoved('person', request);
