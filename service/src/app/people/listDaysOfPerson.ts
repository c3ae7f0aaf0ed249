import type { Handler } from '@clockproof/platform/http/operation';
import { readPeriod } from '../../api/period.js';
import { readPersonDays } from '../../balances/person-balance.js';
import { presentDays } from '../../balances/present.js';
import type { operations } from '../../generated/app-types.js';
import type { PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { decidedFor } from '../reach.js';

export function listDaysOfPerson({ db }: Pick<AppNeeds, 'db'>): Handler<operations['listDaysOfPerson'], PersonCaller> {
  return async ({ caller, path: { id }, query, at }) => {
    const person = await decidedFor(db, caller, id);
    const { from, to } = readPeriod(query)!;
    return {
      status: 200,
      body: {
        data: await presentDays(
          db,
          person.company_id,
          await readPersonDays(db, person, from, to, at),
          caller.person.language,
        ),
      },
    };
  };
}
