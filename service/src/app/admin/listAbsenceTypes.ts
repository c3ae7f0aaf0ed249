import type { Handler } from '@clockproof/platform/http/operation';
import { presentTypeSettings } from '../../absences/present.js';
import { absenceTypesOf } from '../../absences/types.js';
import { pageOf } from '../../api/page.js';
import type { operations } from '../../generated/app-types.js';
import type { PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { companyFor } from './administered.js';

export function listAbsenceTypes({
  db,
  cursors,
}: Pick<AppNeeds, 'db' | 'cursors'>): Handler<operations['listAbsenceTypes'], PersonCaller> {
  return async ({ caller, path: { id }, query: { cursor, limit = 100 } }) => {
    const company = await companyFor(db, caller, id);
    const binding = ['listAbsenceTypes', caller.person.id, company.id];
    const from = cursor === undefined ? 0 : cursors.read<number>(binding, cursor);
    const types = (await absenceTypesOf(db, company.id)).slice(from, from + limit + 1);
    return {
      status: 200,
      body: pageOf(
        types,
        limit,
        (type) => presentTypeSettings(type, caller.person.language),
        () => cursors.write(binding, from + limit),
      ),
    };
  };
}
