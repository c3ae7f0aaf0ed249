import type { Reader } from '@clockproof/platform/database/database';
import type { Handler } from '@clockproof/platform/http/operation';
import { addDays } from '@clockproof/platform/time/local-date';
import { presentAbsences } from '../../absences/present.js';
import { listAbsencesChanged, listInPeriod, maxSpanDays } from '../../absences/rows.js';
import { currentSequence } from '../../events/rows.js';
import type { operations } from '../../generated/service-types.js';
import { type ApiCaller, callerKey, listedPerson } from '../acting.js';
import type { Cursors } from '../cursor.js';
import { pageOf, walkOf, walkToken } from '../page.js';
import { readPeriod } from '../period.js';
import { visibleCompany } from '../visible.js';

export function listLeaves({
  db,
  cursors,
}: {
  readonly db: Reader;
  readonly cursors: Cursors;
}): Handler<operations['listLeaves'], ApiCaller> {
  return async ({ caller, query }) => {
    const { user_id: asked, updated_since: updatedSince, cursor, limit = 100 } = query;
    const period = readPeriod(query);
    const companyId = await visibleCompany(db, caller, query.company_id);
    const personId = await listedPerson(db, caller, asked);
    const binding = ['listLeaves', callerKey(caller), companyId, personId, updatedSince, period];
    if (period === undefined) {
      const walk = walkOf(cursors, binding, cursor, updatedSince!, await currentSequence(db));
      const rows = await listAbsencesChanged(db, { ...walk, companyId, personId, limit: limit + 1 });
      const shown = await presentAbsences(db, rows, caller.extensionId);
      const page = pageOf(
        rows,
        limit,
        (row) => shown.get(row)!,
        (last) => cursors.write(binding, { ...walk, after: last.changed }),
      );
      return { status: 200, body: { ...page, next_updated_since: walkToken(walk.upTo) } };
    }
    const after = cursor === undefined ? undefined : cursors.read<{ date: string; id: number }>(binding, cursor);
    const rows = await listInPeriod(db, {
      companyId,
      personId,
      states: 'counting',
      ...period,
      earliest: addDays(period.from, 1 - maxSpanDays),
      after,
      limit: limit + 1,
    });
    const shown = await presentAbsences(db, rows, caller.extensionId);
    return {
      status: 200,
      body: pageOf(
        rows,
        limit,
        (row) => shown.get(row)!,
        (last) => cursors.write(binding, { date: last.start_date, id: last.id }),
      ),
    };
  };
}
