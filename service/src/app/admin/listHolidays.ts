import type { Handler } from '@clockproof/platform/http/operation';
import type { operations } from '../../generated/app-types.js';
import { holidaysIn } from '../../working-time/holidays.js';
import type { PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { companyFor } from './administered.js';

export function listHolidays({ db }: Pick<AppNeeds, 'db'>): Handler<operations['listHolidays'], PersonCaller> {
  return async ({ caller, path: { id }, query: { year } }) => {
    const { country, region } = await companyFor(db, caller, id);
    return {
      status: 200,
      body: {
        data: holidaysIn(country, region, caller.person.language)
          .ofYear(year)
          .map((one) => ({ ...one, half_day: false })),
      },
    };
  };
}
