import type { Handler } from '@clockproof/platform/http/operation';
import { readMonthsOfYear } from '../../balances/months-of-year.js';
import { presentMonth } from '../../balances/present.js';
import type { operations } from '../../generated/app-types.js';
import type { PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';

export function listMyMonths({ db }: Pick<AppNeeds, 'db'>): Handler<operations['listMyMonths'], PersonCaller> {
  return async ({ caller: { person }, query: { year }, at }) => ({
    status: 200,
    body: { data: (await readMonthsOfYear(db, person, year, at)).map(presentMonth) },
  });
}
