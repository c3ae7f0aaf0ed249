import type { Reader } from '@clockproof/platform/database/database';
import type { Handler } from '@clockproof/platform/http/operation';
import { presentClock } from '../../clocking/present.js';
import { listClocks } from '../../clocking/rows.js';
import type { operations } from '../../generated/service-types.js';
import { type ApiCaller, callerKey, listedPerson } from '../acting.js';
import type { Cursors } from '../cursor.js';
import { pageOf } from '../page.js';
import { visibleCompany } from '../visible.js';

export function listClockStates({
  db,
  cursors,
}: {
  readonly db: Reader;
  readonly cursors: Cursors;
}): Handler<operations['listClockStates'], ApiCaller> {
  return async ({ caller, query: { user_id: asked, company_id: company, state, cursor, limit = 100 } }) => {
    const companyId = await visibleCompany(db, caller, company);
    const personId = await listedPerson(db, caller, asked);
    const binding = ['listClockStates', callerKey(caller), companyId, personId, state];
    const afterId = cursor === undefined ? 0 : cursors.read<number>(binding, cursor);
    const rows = await listClocks(db, { companyId, personId, state, afterId, limit: limit + 1 });
    return { status: 200, body: pageOf(rows, limit, presentClock, (last) => cursors.write(binding, last.person_id)) };
  };
}
