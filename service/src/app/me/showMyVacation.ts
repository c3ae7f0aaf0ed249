import type { Handler } from '@clockproof/platform/http/operation';
import { localDateAt } from '@clockproof/platform/time/local-date';
import { presentVacation } from '../../absences/present.js';
import { readVacationAccount } from '../../absences/vacation-account.js';
import type { operations } from '../../generated/app-types.js';
import type { PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';

export function showMyVacation({ db }: Pick<AppNeeds, 'db'>): Handler<operations['showMyVacation'], PersonCaller> {
  return async ({ caller: { person }, query: { year }, at }) => ({
    status: 200,
    body: presentVacation(year, await readVacationAccount(db, person, year, localDateAt(at, person.time_zone))),
  });
}
