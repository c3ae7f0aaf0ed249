import type { Handler } from '@clockproof/platform/http/operation';
import { addDays } from '@clockproof/platform/time/local-date';
import { presentAbsences } from '../../absences/present.js';
import { listInPeriod, maxSpanDays } from '../../absences/rows.js';
import { pageOf } from '../../api/page.js';
import { readPeriod } from '../../api/period.js';
import type { operations } from '../../generated/app-types.js';
import type { PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';

export function listMyAbsences({
  db,
  cursors,
}: Pick<AppNeeds, 'db' | 'cursors'>): Handler<operations['listMyAbsences'], PersonCaller> {
  return async ({ caller: { person }, query: { from, to, cursor, limit = 100 } }) => {
    const period = readPeriod({ from, to })!;
    const binding = ['listMyAbsences', person.id, period];
    const after = cursor === undefined ? undefined : cursors.read<{ date: string; id: number }>(binding, cursor);
    const rows = await listInPeriod(db, {
      companyId: person.company_id,
      personId: person.id,
      states: 'every',
      ...period,
      earliest: addDays(from, 1 - maxSpanDays),
      after,
      limit: limit + 1,
    });
    const shown = await presentAbsences(db, rows);
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
