import type { Handler } from '@clockproof/platform/http/operation';
import { isTimeZone } from '@clockproof/platform/time/local-date';
import { invalid } from '../../api/page.js';
import type { components, operations } from '../../generated/app-types.js';
import { changePerson } from '../../months/change-person.js';
import type { PersonChange } from '../../people/people.js';
import { Refusal } from '../../refusal.js';
import { actorOf, type PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { personFor } from './administered.js';
import { reachesFurther } from './invitePerson.js';
import { presentAdministered } from './present-person.js';

export function updatePerson({ db }: Pick<AppNeeds, 'db'>): Handler<operations['updatePerson'], PersonCaller> {
  return ({ caller, path: { id }, body, at }) =>
    db.write(async (tx) => {
      const person = await personFor(tx, caller, id);
      // Whoever sets the address that somebody signs in with could take their place.
      if (reachesFurther(person.role, caller.person.role)) throw new Refusal('forbidden');
      if (body.time_zone !== undefined && body.time_zone !== null && !isTimeZone(body.time_zone))
        throw invalid('time_zone', 'There is no such time zone.', 'unknown');
      return {
        status: 200,
        body: await presentAdministered(
          tx,
          await changePerson(tx, id, person.company_id, changeOf(body), actorOf(caller), at),
        ),
      };
    });
}

function changeOf(body: components['schemas']['PersonChange']): PersonChange {
  return {
    ...(body.first_name === undefined ? {} : { firstName: body.first_name }),
    ...(body.last_name === undefined ? {} : { lastName: body.last_name }),
    ...(body.email === undefined ? {} : { email: body.email }),
    ...(body.personnel_number === undefined ? {} : { personnelNumber: body.personnel_number }),
    ...(body.department_id === undefined ? {} : { departmentId: body.department_id }),
    ...(body.time_zone === undefined ? {} : { timeZone: body.time_zone }),
    ...(body.language === undefined ? {} : { language: body.language }),
    ...(body.employment_start === undefined ? {} : { employmentStart: body.employment_start }),
    ...(body.employment_end === undefined ? {} : { employmentEnd: body.employment_end }),
  };
}
