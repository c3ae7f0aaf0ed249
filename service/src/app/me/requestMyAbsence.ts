import type { Handler } from '@clockproof/platform/http/operation';
import { entityTag } from '../../absences/open-absence.js';
import { requestAbsence } from '../../absences/request-absence.js';
import { answerWith } from '../../api/absences/answer-with.js';
import type { operations } from '../../generated/app-types.js';
import type { PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { ownRequest } from './own-absences.js';

export function requestMyAbsence({ db }: Pick<AppNeeds, 'db'>): Handler<operations['requestMyAbsence'], PersonCaller> {
  return async ({ caller, body, at }) =>
    db.write(async (tx) => {
      const { absence } = await requestAbsence(tx, ownRequest(caller, body, at));
      return { status: 201, headers: { etag: entityTag(absence) }, body: await answerWith(tx, absence, undefined, at) };
    });
}
