import type { Handler } from '@clockproof/platform/http/operation';
import type { operations } from '../../generated/app-types.js';
import { holidaysIn } from '../../working-time/holidays.js';
import type { PersonCaller } from '../caller.js';

export function listMyHolidays(): Handler<operations['listMyHolidays'], PersonCaller> {
  // Only whole days are public holidays here; the afternoons of 24 and 31 December are not free by law.
  return ({ caller: { person }, query: { year } }) => ({
    status: 200,
    body: {
      data: holidaysIn(person.country, person.region, person.language)
        .ofYear(year)
        .map((one) => ({ ...one, half_day: false })),
    },
  });
}
