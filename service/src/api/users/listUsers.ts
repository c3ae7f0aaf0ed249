import type { Reader } from '@clockproof/platform/database/database';
import type { Handler } from '@clockproof/platform/http/operation';
import { currentSequence } from '../../events/rows.js';
import type { ExtensionCaller } from '../../extensions/keys.js';
import type { operations } from '../../generated/service-types.js';
import { presentPerson } from '../../people/present.js';
import { listPeople, listPeopleChanged } from '../../people/rows.js';
import type { Cursors } from '../cursor.js';
import { pageOf, walkOf, walkToken } from '../page.js';
import { visibleCompany } from '../visible.js';

export function listUsers({
  db,
  cursors,
}: {
  readonly db: Reader;
  readonly cursors: Cursors;
}): Handler<operations['listUsers'], ExtensionCaller> {
  return async ({ caller, query }) => {
    const { active, updated_since: updatedSince, cursor, limit = 100 } = query;
    const companyId = await visibleCompany(db, caller, query.company_id);
    const binding = ['listUsers', caller.extensionId, companyId, active, updatedSince];
    if (updatedSince !== undefined) {
      const walk = walkOf(cursors, binding, cursor, updatedSince, await currentSequence(db));
      const rows = await listPeopleChanged(db, { ...walk, companyId, active, limit: limit + 1 });
      const page = pageOf(rows, limit, presentPerson, (last) =>
        cursors.write(binding, { ...walk, after: last.changed }),
      );
      return { status: 200, body: { ...page, next_updated_since: walkToken(walk.upTo) } };
    }
    const afterId = cursor === undefined ? 0 : cursors.read<number>(binding, cursor);
    const rows = await listPeople(db, { companyId, active, afterId, limit: limit + 1 });
    return { status: 200, body: pageOf(rows, limit, presentPerson, (last) => cursors.write(binding, last.id)) };
  };
}
