import type { Handler } from '@clockproof/platform/http/operation';
import { readMonthsOfYear } from '../../balances/months-of-year.js';
import { presentMonth } from '../../balances/present.js';
import type { operations } from '../../generated/app-types.js';
import type { PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { decidedFor } from '../reach.js';

export function listMonthsOfPerson({
  db,
}: Pick<AppNeeds, 'db'>): Handler<operations['listMonthsOfPerson'], PersonCaller> {
  return async ({ caller, path: { id }, query: { year }, at }) => ({
    status: 200,
    body: { data: (await readMonthsOfYear(db, await decidedFor(db, caller, id), year, at)).map(presentMonth) },
  });
}
