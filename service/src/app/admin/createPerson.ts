import type { Handler } from '@clockproof/platform/http/operation';
import { isTimeZone } from '@clockproof/platform/time/local-date';
import { invalid } from '../../api/page.js';
import type { operations } from '../../generated/app-types.js';
import { addPerson } from '../../people/people.js';
import { actorOf, type PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { companyFor, personFor } from './administered.js';
import { presentAdministered } from './present-person.js';

export function createPerson({ db }: Pick<AppNeeds, 'db'>): Handler<operations['createPerson'], PersonCaller> {
  return ({ caller, body, at }) =>
    db.write(async (tx) => {
      const company = await companyFor(tx, caller, body.company_id);
      if (body.time_zone !== undefined && !isTimeZone(body.time_zone))
        throw invalid('time_zone', 'There is no such time zone.', 'unknown');
      const id = await addPerson(
        tx,
        {
          companyId: company.id,
          firstName: body.first_name,
          lastName: body.last_name,
          role: 'employee',
          language: body.language ?? caller.person.language,
          employmentStart: body.employment_start,
          ...(body.email === undefined ? {} : { email: body.email }),
          ...(body.personnel_number === undefined ? {} : { personnelNumber: body.personnel_number }),
          ...(body.department_id === undefined ? {} : { departmentId: body.department_id }),
          ...(body.time_zone === undefined ? {} : { timeZone: body.time_zone }),
          ...(body.employment_end === undefined ? {} : { employmentEnd: body.employment_end }),
        },
        actorOf(caller),
        at,
      );
      return { status: 201, body: await presentAdministered(tx, await personFor(tx, caller, id)) };
    });
}
