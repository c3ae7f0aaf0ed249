import type { Handler } from '@clockproof/platform/http/operation';
import { deleteAbsenceType as forgetAbsenceType } from '../../absences/types.js';
import type { operations } from '../../generated/app-types.js';
import { actorOf, type PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { companyFor } from './administered.js';

export function deleteAbsenceType({
  db,
}: Pick<AppNeeds, 'db'>): Handler<operations['deleteAbsenceType'], PersonCaller> {
  return async ({ caller, path: { id, key }, at }) => {
    await db.write(async (tx) =>
      forgetAbsenceType(tx, (await companyFor(tx, caller, id)).id, key, actorOf(caller), at),
    );
    return { status: 204 };
  };
}
