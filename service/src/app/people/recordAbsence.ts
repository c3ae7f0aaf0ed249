import type { Handler } from '@clockproof/platform/http/operation';
import { entityTag } from '../../absences/open-absence.js';
import { requestAbsence } from '../../absences/request-absence.js';
import { answerWith } from '../../api/absences/answer-with.js';
import { refuseToDecide } from '../../approvals/may-decide.js';
import type { operations } from '../../generated/app-types.js';
import { findPerson } from '../../people/rows.js';
import { Refusal } from '../../refusal.js';
import { actorOf, type PersonCaller } from '../caller.js';
import { wishOf } from '../me/own-absences.js';
import type { AppNeeds } from '../needs.js';

export function recordAbsence({ db }: Pick<AppNeeds, 'db'>): Handler<operations['recordAbsence'], PersonCaller> {
  return async ({ caller, path: { id }, body, at }) =>
    db.write(async (tx) => {
      const person = await findPerson(tx, id, null);
      if (person === undefined) throw new Refusal('not_found');
      await refuseToDecide(tx, caller.person, person);
      const { absence } = await requestAbsence(tx, {
        personId: id,
        companyId: person.company_id,
        wish: wishOf(body),
        author: { kind: 'admin', personId: caller.person.id },
        actor: actorOf(caller),
        at,
      });
      return { status: 201, headers: { etag: entityTag(absence) }, body: await answerWith(tx, absence, undefined, at) };
    });
}
