import type { Database } from '@clockproof/platform/database/database';
import type { Handler } from '@clockproof/platform/http/operation';
import { changeAbsence } from '../../absences/change-absence.js';
import { entityTag } from '../../absences/open-absence.js';
import type { AbsenceWish } from '../../absences/rules.js';
import type { components, operations } from '../../generated/service-types.js';
import { type ApiCaller, actorOf } from '../acting.js';
import { answerWith } from './answer-with.js';
import { accessOf } from './on-behalf.js';

export function updateAbsence({ db }: { readonly db: Database }): Handler<operations['updateAbsence'], ApiCaller> {
  return async ({ caller, path, body, headers, at }) =>
    db.write(async (tx) => {
      // If the process stops before the commit the absence is as it was, and no event says otherwise.
      const absence = await changeAbsence(tx, {
        id: path.id,
        access: accessOf(caller, headers['if-match']),
        patch: patchOf(body),
        actor: actorOf(caller),
        at,
      });
      return {
        status: 200,
        headers: { etag: entityTag(absence) },
        body: await answerWith(tx, absence, caller.extensionId, at),
      };
    });
}

/** RFC 7396: a member that is left out stays, null takes it away. */
export function patchOf(body: components['schemas']['AbsenceChange']): Partial<AbsenceWish> {
  return {
    ...(body.type === undefined ? {} : { type: body.type }),
    ...(body.start_date === undefined ? {} : { startDate: body.start_date }),
    ...(body.end_date === undefined ? {} : { endDate: body.end_date }),
    // The document's pattern holds it to the two words.
    ...(body.half_day === undefined ? {} : { halfDay: body.half_day as AbsenceWish['halfDay'] }),
    ...(body.comment === undefined ? {} : { comment: body.comment }),
  };
}
