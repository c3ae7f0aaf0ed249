import type { Handler } from '@clockproof/platform/http/operation';
import { presentAbsenceType } from '../../absences/present.js';
import { absenceTypesOf } from '../../absences/types.js';
import type { operations } from '../../generated/app-types.js';
import type { PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';

export function listMyAbsenceTypes({
  db,
}: Pick<AppNeeds, 'db'>): Handler<operations['listMyAbsenceTypes'], PersonCaller> {
  return async ({ caller: { person } }) => {
    const types = await absenceTypesOf(db, person.company_id);
    return {
      status: 200,
      body: { data: types.filter((type) => type.active).map((type) => presentAbsenceType(type, person.language)) },
    };
  };
}
