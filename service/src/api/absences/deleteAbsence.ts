import type { Database } from '@clockproof/platform/database/database';
import type { Handler } from '@clockproof/platform/http/operation';
import { entityTag } from '../../absences/open-absence.js';
import { takeBackAbsence } from '../../absences/take-back-absence.js';
import type { operations } from '../../generated/service-types.js';
import { type ApiCaller, actorOf } from '../acting.js';
import { answerWith } from './answer-with.js';
import { accessOf } from './on-behalf.js';

export function deleteAbsence({ db }: { readonly db: Database }): Handler<operations['deleteAbsence'], ApiCaller> {
  return async ({ caller, path, headers, at }) =>
    db.write(async (tx) => {
      // If the process stops before the commit the absence is as it was, and no event says otherwise.
      const absence = await takeBackAbsence(tx, {
        id: path.id,
        access: accessOf(caller, headers['if-match']),
        actor: actorOf(caller),
        at,
      });
      const answer = {
        headers: { etag: entityTag(absence) },
        body: await answerWith(tx, absence, caller.extensionId, at),
      };
      return absence.status === 'withdrawn' ? { status: 200, ...answer } : { status: 202, ...answer };
    });
}
