import type { Handler } from '@clockproof/platform/http/operation';
import { monthsBetween } from '../../balances/months.js';
import type { operations } from '../../generated/app-types.js';
import type { PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { companyFor } from './administered.js';
import { presentMonths } from './present-months.js';

export function listMonths({ db }: Pick<AppNeeds, 'db'>): Handler<operations['listMonths'], PersonCaller> {
  return async ({ caller, path: { id }, query: { year } }) => ({
    status: 200,
    body: {
      data: await presentMonths(db, (await companyFor(db, caller, id)).id, monthsBetween(`${year}-01`, `${year}-12`)),
    },
  });
}
