import type { Handler } from '@clockproof/platform/http/operation';
import { readPeriod } from '../../api/period.js';
import { readPersonDays } from '../../balances/person-balance.js';
import { presentDays } from '../../balances/present.js';
import type { operations } from '../../generated/app-types.js';
import type { PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';

export function listMyDays({ db }: Pick<AppNeeds, 'db'>): Handler<operations['listMyDays'], PersonCaller> {
  return async ({ caller: { person }, query, at }) => {
    const { from, to } = readPeriod(query)!;
    return {
      status: 200,
      body: {
        data: await presentDays(db, person.company_id, await readPersonDays(db, person, from, to, at), person.language),
      },
    };
  };
}
