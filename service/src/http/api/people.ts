import type { Reader } from '@clockproof/platform/database/database';
import type { Handler } from '@clockproof/platform/http/operation';
import { formatInstant } from '@clockproof/platform/time/instant';
import { presentAbsenceType } from '../../absences/present.js';
import { absenceTypesOf } from '../../absences/types.js';
import { listClocks } from '../../clocking/rows.js';
import { presentClock } from '../../clocking/time-entry.js';
import type { ExtensionCaller } from '../../extensions/keys.js';
import type { operations } from '../../generated/service-types.js';
import { intersect, type LinkCaller } from '../../oauth/links.js';
import { presentCompany, presentPerson } from '../../people/present.js';
import {
  listCompanies as companyRows,
  findPerson,
  listDepartments,
  listPeople,
  listPeopleChanged,
} from '../../people/rows.js';
import { bindingOf, companiesOf } from '../../tenant/scope.js';
import type { Cursors } from '../shared/cursor.js';
import { pageOf, walkCursor, walkOf, walkToken } from '../shared/page.js';
import { type ApiCaller, callerKey, narrowedScope, scopeOf } from './caller.js';

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

export function getMe({ db }: { readonly db: Reader }): Handler<operations['getMe'], LinkCaller> {
  return async ({ caller }) => {
    const scope = scopeOf(caller);
    const person = (await findPerson(db, caller.personId, scope))!;
    const [clock] = await listClocks(db, scope, {
      state: undefined,
      afterId: 0,
      limit: 1,
    });
    const types = await absenceTypesOf(db, person.company_id);
    return {
      status: 200,
      body: {
        ...presentPerson(person),
        absence_types: types.filter((type) => type.active).map((type) => presentAbsenceType(type, person.language)),
        link: {
          id: caller.linkId,
          extension: { id: caller.extensionId, name: caller.name },
          scopes: intersect(caller.scopes, caller.scopes),
          expires_at: formatInstant(caller.expiresAt),
        },
        clock_state: presentClock(clock!),
      },
    };
  };
}
