import type { Handler } from '@clockproof/platform/http/operation';
import { presentTypeSettings } from '../../absences/present.js';
import { absenceTypesOf, saveAbsenceType } from '../../absences/types.js';
import type { operations } from '../../generated/app-types.js';
import { Refusal } from '../../refusal.js';
import { actorOf, type PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { companyFor } from './administered.js';

export function updateAbsenceType({
  db,
}: Pick<AppNeeds, 'db'>): Handler<operations['updateAbsenceType'], PersonCaller> {
  return async ({ caller, path: { id, key }, body, at }) =>
    db.write(async (tx) => {
      const company = await companyFor(tx, caller, id);
      const before = (await absenceTypesOf(tx, company.id)).find((type) => type.key === key);
      if (before === undefined) throw new Refusal('not_found');
      const after = {
        ...before,
        label: body.label === undefined ? before.label : { de: body.label, en: body.label },
        active: body.active ?? before.active,
        halfDay: body.half_day ?? before.halfDay,
        requiresApproval: body.requires_approval ?? before.requiresApproval,
        countsAsVacation: body.counts_as_vacation ?? before.countsAsVacation,
      };
      if (JSON.stringify(after) !== JSON.stringify(before))
        await saveAbsenceType(tx, company.id, after, actorOf(caller), at);
      return { status: 200, body: presentTypeSettings(after, caller.person.language) };
    });
}
