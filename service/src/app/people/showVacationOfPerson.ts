import type { Handler } from '@clockproof/platform/http/operation';
import { localDateAt } from '@clockproof/platform/time/local-date';
import { presentVacation } from '../../absences/present.js';
import { readVacationAccount } from '../../absences/vacation-account.js';
import { reaches } from '../../approvals/may-decide.js';
import type { operations } from '../../generated/app-types.js';
import { rolesOf } from '../../people/roles.js';
import { findPerson } from '../../people/rows.js';
import { Refusal } from '../../refusal.js';
import type { PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';

export function showVacationOfPerson({
  db,
}: Pick<AppNeeds, 'db'>): Handler<operations['showVacationOfPerson'], PersonCaller> {
  return async ({ caller, path: { id }, query: { year }, at }) => {
    const person = await findPerson(db, id, null);
    if (person === undefined || !reaches(await rolesOf(db, caller.person.id), person)) throw new Refusal('not_found');
    return {
      status: 200,
      body: presentVacation(year, await readVacationAccount(db, person, year, localDateAt(at, person.time_zone))),
    };
  };
}
