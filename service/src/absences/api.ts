import type { Reader } from '@clockproof/platform/database/database';
import { recordAnswer } from '@clockproof/platform/http/conditional';
import type { Instant } from '@clockproof/platform/time/instant';
import { addDays } from '@clockproof/platform/time/local-date';
import type { components } from '../generated/service-types.js';
import type { ApiHandler } from '../http/handler.js';
import { pageOf, walkCursor, walkOf, walkToken } from '../http/page.js';
import { readPeriod } from '../http/period.js';
import {
  type ApiCaller,
  actingCompany,
  callerActor,
  callerKey,
  narrowedScope,
  onBehalfOf,
  scopeOf,
} from '../people/caller.js';
import { listRemoved } from '../people/removed.js';
import { findPerson, listCompanyRows } from '../people/rows.js';
import { runOnce } from '../store/idempotency.js';
import type { CompanyId } from '../store/ids.js';
import { Refusal } from '../store/refusal.js';
import { bindingOf, companiesOf } from '../store/scope.js';
import { accessOf, authorOf } from './author.js';
import { changeAbsence, withdrawOrCancelAbsence } from './change-absence.js';
import { draftOf, patchOf } from './draft.js';
import { presentAbsences, presentAbsenceType } from './present.js';
import { type ExternalRequest, findRepeated, requestAbsence } from './request-absence.js';
import { answerWith } from './requests.js';
import { findAbsence, listAbsencesChanged, listInPeriod, maxSpanDays, type NamedAbsence } from './rows.js';
import { answerTag, validateSpan } from './rules.js';
import { absenceTypesOf } from './types.js';

interface Answer {
  readonly status: 200 | 201;
  readonly etag: string;
  readonly body: components['schemas']['Leave'];
}

export const createAbsence: ApiHandler<'createAbsence'> = async ({ db, caller, body, headers, at }) => {
  const { personId, companyId } = onBehalfOf(caller, body.user_id);
  const draft = draftOf(body);
  validateSpan(draft);
  const { external_id: externalId } = body;
  const key = headers['idempotency-key'];
  const present = async (reader: Reader, absence: NamedAbsence, status: Answer['status']): Promise<Answer> => ({
    status,
    ...(await recordOf(reader, absence, caller, at)),
  });
  const existingAbsence =
    externalId === undefined || key !== undefined
      ? undefined
      : await findRepetition(db, companyId, { extensionId: caller.extensionId, personId, externalId, draft });
  // If the process stops before the commit nothing has happened; after it the absence, its audit entry, its event and
  // the remembered answer all stand.
  const { answer, headers: replayed } = existingAbsence
    ? { answer: await present(db, existingAbsence, 200), headers: {} }
    : await db.write({ actor: callerActor(caller), at }, (write) =>
        runOnce<Answer>(
          write,
          { caller: callerKey(caller), key, content: `absence ${JSON.stringify([personId, draft, externalId])}` },
          async () => {
            const { absence, created } = await requestAbsence(write, {
              personId,
              companyId,
              draft,
              author: authorOf(caller),
              externalId,
            });
            return present(write, absence, created ? 201 : 200);
          },
        ),
      );
  return answer.status === 201
    ? {
        status: 201,
        headers: { ...replayed, etag: answer.etag, location: `/api/v1/absences/${answer.body.id}` },
        body: answer.body,
      }
    : { status: 200, headers: { ...replayed, etag: answer.etag }, body: answer.body };
};

/** A repetition needs no transaction: many at once do not queue behind each other. */
async function findRepetition(
  db: Reader,
  companyId: CompanyId,
  request: ExternalRequest,
): Promise<NamedAbsence | undefined> {
  if ((await findPerson(db, request.personId, { company: companyId })) === undefined) throw new Refusal('not_found');
  return findRepeated(db, request);
}

export const getAbsence: ApiHandler<'getAbsence'> = async ({ db, caller, path: { id }, headers }) => {
  const absence = await findReadable(db, id, caller);
  if (absence === undefined) throw new Refusal('not_found');
  const record = (await presentAbsences(db, [absence], { extension: caller.extensionId })).get(absence)!;
  return recordAnswer(record, headers['if-none-match'], (json) => answerTag(absence, json));
};

/**
 * With `read:leave_entries`, an absence of the list; with `write:absences`, one that the extension created.
 * @throws Refusal `company_mismatch` the key only writes, and does not act for everyone in a company
 */
async function findReadable(db: Reader, id: number, caller: ApiCaller): Promise<NamedAbsence | undefined> {
  const mayRead = caller.scopes.includes('read:leave_entries');
  const readableAbsence = mayRead ? await findAbsence(db, id, scopeOf(caller)) : undefined;
  const writes = caller.peopleWrites && caller.scopes.includes('write:absences');
  if (readableAbsence !== undefined || !writes || (mayRead && actingCompany(caller) === undefined))
    return readableAbsence;
  const ownAbsence = await findAbsence(db, id, accessOf(caller, undefined).scope);
  return ownAbsence?.extension_id === caller.extensionId ? ownAbsence : undefined;
}

/** The record with the hints about it. The tag is that of reading it, which shows no hints. */
async function recordOf(reader: Reader, absence: NamedAbsence, { extensionId }: ApiCaller, at: Instant) {
  const body = await answerWith(reader, absence, extensionId, at);
  const { warnings: _, ...record } = body;
  return { etag: answerTag(absence, JSON.stringify(record)), body };
}

export const updateAbsence: ApiHandler<'updateAbsence'> = async ({ db, caller, path, body, headers, at }) =>
  db.write({ actor: callerActor(caller), at }, async (write) => {
    // If the process stops before the commit the absence is as it was, and no event says otherwise.
    const patch = patchOf(body);
    const { answer, headers: replayed } = await runOnce(
      write,
      {
        caller: callerKey(caller),
        key: headers['idempotency-key'],
        content: `absence ${path.id} ${JSON.stringify(patch)}`,
      },
      async () => {
        const access = accessOf(caller, headers['if-match']);
        return recordOf(write, await changeAbsence(write, { id: path.id, access, patch }), caller, at);
      },
    );
    return { status: 200, headers: { ...replayed, etag: answer.etag }, body: answer.body };
  });

export const deleteAbsence: ApiHandler<'deleteAbsence'> = async ({ db, caller, path, headers, at }) =>
  db.write({ actor: callerActor(caller), at }, async (write) => {
    // If the process stops before the commit the absence is as it was, and no event says otherwise.
    const {
      answer: { etag, body },
      headers: replayed,
    } = await runOnce(
      write,
      { caller: callerKey(caller), key: headers['idempotency-key'], content: `absence ${path.id} deleted` },
      async () => {
        const access = accessOf(caller, headers['if-match']);
        return recordOf(write, await withdrawOrCancelAbsence(write, { id: path.id, access }), caller, at);
      },
    );
    const answer = { headers: { ...replayed, etag }, body };
    return body.status === 'withdrawn' ? { status: 200, ...answer } : { status: 202, ...answer };
  });

export const listLeaves: ApiHandler<'listLeaves'> = async ({ db, cursors, caller, query }) => {
  const { user_id: personId, company_id: companyId, updated_since: updatedSince, cursor, limit = 100 } = query;
  const period = readPeriod(query);
  const scope = await narrowedScope(db, caller, { companyId, personId });
  const binding = ['listLeaves', callerKey(caller), bindingOf(scope), updatedSince, period];
  if (period === undefined) {
    const walk = await walkOf({ db, cursors }, binding, cursor, updatedSince!);
    const rows = await listAbsencesChanged(db, scope, { ...walk, limit: limit + 1 });
    const leavesByRow = await presentAbsences(db, rows, { extension: caller.extensionId });
    const page = pageOf(rows, limit, leavesByRow, (last) => cursors.write(binding, walkCursor(walk, last)));
    return { status: 200, body: { ...page, next_updated_since: walkToken(walk) } };
  }
  const after = cursor === undefined ? undefined : cursors.read<{ date: string; id: number }>(binding, cursor);
  const rows = await listInPeriod(db, scope, {
    states: 'counting',
    ...period,
    earliest: addDays(period.from, 1 - maxSpanDays),
    after,
    limit: limit + 1,
  });
  const leavesByRow = await presentAbsences(db, rows, { extension: caller.extensionId });
  return {
    status: 200,
    body: pageOf(rows, limit, leavesByRow, (last) => cursors.write(binding, { date: last.start_date, id: last.id })),
  };
};

export const listRemovedLeaves: ApiHandler<'listRemovedLeaves'> = (request) => listRemoved('absence', request);

export const listCompanyAbsenceTypes: ApiHandler<'listCompanyAbsenceTypes'> = async ({
  db,
  cursors,
  caller,
  query: { company_id: companyId, cursor, limit = 100 },
}) => {
  const scope = companiesOf(await narrowedScope(db, caller, { companyId }));
  const binding = ['listCompanyAbsenceTypes', callerKey(caller), bindingOf(scope)];
  const from = cursor === undefined ? 0 : cursors.read<number>(binding, cursor);
  // A key that reads linked people sees the companies of these.
  const [company] = await listCompanyRows(db, scope, { afterId: 0, limit: 1 });
  const types = company === undefined ? [] : await absenceTypesOf(db, company.id);
  const activeTypes = types.filter((type) => type.active).slice(from, from + limit + 1);
  const page = pageOf(
    activeTypes,
    limit,
    (type) => presentAbsenceType(type, 'en'),
    () => cursors.write(binding, from + limit),
  );
  return { status: 200, body: page };
};
