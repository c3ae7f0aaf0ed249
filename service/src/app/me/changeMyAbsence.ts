import type { Handler } from '@clockproof/platform/http/operation';
import { changeAbsence } from '../../absences/change-absence.js';
import { entityTag } from '../../absences/open-absence.js';
import { answerWith } from '../../api/absences/answer-with.js';
import { patchOf } from '../../api/absences/updateAbsence.js';
import type { operations } from '../../generated/app-types.js';
import { actorOf, type PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { ownAccess } from './own-absences.js';

export function changeMyAbsence({ db }: Pick<AppNeeds, 'db'>): Handler<operations['changeMyAbsence'], PersonCaller> {
  return async ({ caller, path: { id }, body, headers, at }) =>
    db.write(async (tx) => {
      const absence = await changeAbsence(tx, {
        id,
        access: ownAccess(caller, headers['if-match']),
        patch: patchOf(body),
        actor: actorOf(caller),
        at,
      });
      return { status: 200, headers: { etag: entityTag(absence) }, body: await answerWith(tx, absence, undefined, at) };
    });
}
