import type { Database, Reader } from '@clockproof/platform/database/database';
import type { Handler, OperationRequest } from '@clockproof/platform/http/operation';
import { entityTag } from '../../absences/open-absence.js';
import { findRepeated, requestAbsence } from '../../absences/request-absence.js';
import type { NamedAbsence } from '../../absences/rows.js';
import { type AbsenceWish, refuseImpossible } from '../../absences/rules.js';
import type { components, operations } from '../../generated/service-types.js';
import { once } from '../../idempotency/idempotency.js';
import { findPerson } from '../../people/rows.js';
import { Refusal } from '../../refusal.js';
import { type ApiCaller, actingFor, actorOf, callerKey } from '../acting.js';
import { answerWith } from './answer-with.js';
import { createTurns } from './in-turn.js';
import { authorOf } from './on-behalf.js';

interface Answer {
  readonly status: 200 | 201;
  readonly etag: string;
  readonly body: components['schemas']['Leave'];
}

export function createAbsence({ db }: { readonly db: Database }): Handler<operations['createAbsence'], ApiCaller> {
  const inTurn = createTurns();
  return async ({ caller, body, headers, at }) => {
    const { personId, companyId } = actingFor(caller, body.user_id);
    const wish = wishOf(body);
    refuseImpossible(wish);
    const { external_id: externalId } = body;
    const key = headers['idempotency-key'];
    const present = async (reader: Reader, absence: NamedAbsence, status: Answer['status']): Promise<Answer> => ({
      status,
      etag: entityTag(absence),
      body: await answerWith(reader, absence, caller.extensionId, at),
    });
    // If the process stops before the commit nothing has happened; after it the absence, its audit entry, its event and
    // the remembered answer all stand.
    const record = () =>
      db.write((tx) =>
        once<Answer>(
          tx,
          { caller: callerKey(caller), key, content: `absence ${JSON.stringify([personId, wish, externalId])}`, at },
          async () => {
            const { absence, created } = await requestAbsence(tx, {
              personId,
              companyId,
              wish,
              author: authorOf(caller),
              actor: actorOf(caller),
              at,
              ...(externalId === undefined ? {} : { externalId }),
            });
            return present(tx, absence, created ? 201 : 200);
          },
        ),
      );
    const repeated = async () => {
      const known = await findKnown(db, caller, companyId, personId, externalId!, wish);
      return known && present(db, known, 200);
    };
    const answer =
      externalId === undefined || key !== undefined
        ? await record()
        : await inTurn(`${caller.extensionId} ${personId} ${externalId}`, repeated, record);
    return answer.status === 201
      ? {
          status: 201,
          headers: { etag: answer.etag, location: `/api/v1/absences/${answer.body.id}` },
          body: answer.body,
        }
      : { status: 200, headers: { etag: answer.etag }, body: answer.body };
  };
}

function wishOf(body: OperationRequest<operations['createAbsence'], ApiCaller>['body']): AbsenceWish {
  return {
    type: body.type,
    startDate: body.start_date,
    endDate: body.end_date,
    halfDay: body.half_day ?? null,
    comment: body.comment ?? null,
  };
}

/** A repetition needs no transaction: many at once do not queue behind each other. */
async function findKnown(
  db: Reader,
  caller: ApiCaller,
  companyId: number,
  personId: number,
  externalId: string,
  wish: AbsenceWish,
): Promise<NamedAbsence | undefined> {
  if ((await findPerson(db, personId, companyId)) === undefined) throw new Refusal('not_found');
  return findRepeated(db, caller.extensionId, personId, externalId, wish);
}
