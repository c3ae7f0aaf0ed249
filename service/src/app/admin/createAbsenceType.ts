import type { Handler } from '@clockproof/platform/http/operation';
import { presentTypeSettings } from '../../absences/present.js';
import { type AbsenceType, absenceTypesOf, saveAbsenceType } from '../../absences/types.js';
import type { operations } from '../../generated/app-types.js';
import { Refusal } from '../../refusal.js';
import { actorOf, type PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { companyFor } from './administered.js';

export function createAbsenceType({
  db,
}: Pick<AppNeeds, 'db'>): Handler<operations['createAbsenceType'], PersonCaller> {
  return async ({ caller, path: { id }, body, at }) => {
    // A company's own kind has the company's own word, in whatever language it is read.
    const type: AbsenceType = {
      key: body.key,
      label: { de: body.label, en: body.label },
      halfDay: body.half_day,
      requiresApproval: body.requires_approval,
      countsAsVacation: body.counts_as_vacation,
      overlapClass: body.away ? 'away' : 'elsewhere',
      target: body.away ? 'credited' : 'kept',
      active: true,
    };
    await db.write(async (tx) => {
      const company = await companyFor(tx, caller, id);
      if ((await absenceTypesOf(tx, company.id)).some((one) => one.key === type.key))
        throw new Refusal('value_taken', {
          details: [{ field: 'key', code: 'taken', error: 'There is a kind of this key already.' }],
        });
      await saveAbsenceType(tx, company.id, type, actorOf(caller), at);
    });
    return { status: 201, body: presentTypeSettings(type, caller.person.language) };
  };
}
