import type { Handler } from '@clockproof/platform/http/operation';
import { entityTag } from '../../absences/open-absence.js';
import { takeBackAbsence } from '../../absences/take-back-absence.js';
import { answerWith } from '../../api/absences/answer-with.js';
import type { operations } from '../../generated/app-types.js';
import { actorOf, type PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { ownAccess } from './own-absences.js';

export function withdrawMyAbsence({
  db,
}: Pick<AppNeeds, 'db'>): Handler<operations['withdrawMyAbsence'], PersonCaller> {
  return async ({ caller, path: { id }, headers, at }) =>
    db.write(async (tx) => {
      const absence = await takeBackAbsence(tx, {
        id,
        access: ownAccess(caller, headers['if-match']),
        actor: actorOf(caller),
        at,
      });
      return { status: 200, headers: { etag: entityTag(absence) }, body: await answerWith(tx, absence, undefined, at) };
    });
}
