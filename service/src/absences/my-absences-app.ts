/** The operations of people on their own absences. */

import { formatInstant } from '@clockproof/platform/time/instant';
import { addDays, localDateAt } from '@clockproof/platform/time/local-date';
import type { components } from '../generated/app-types.js';
import type { AppHandler } from '../http/handler.js';
import { pageOf } from '../http/page.js';
import { readPeriod } from '../http/period.js';
import { type ApprovalRow, latestAbsenceDecisions } from '../inbox/approval-rows.js';
import { actorOf, personReference } from '../people/actor.js';
import { ownScope, type PersonCaller } from '../people/caller.js';
import { listNames } from '../people/rows.js';
import { presentHoliday } from '../working-time/present.js';
import { readHolidays } from '../working-time/rows.js';
import { changeAbsence, mayEndEarly, withdrawOrCancelAbsence } from './change-absence.js';
import { draftOf, patchOf } from './draft.js';
import { changeOwnAbsence, requestOwnAbsence } from './own-absence.js';
import { presentAbsences, presentAbsenceType, presentReturned, presentVacation } from './present.js';
import { previewAbsence } from './preview-absence.js';
import { type AbsenceRequest, requestAbsence } from './request-absence.js';
import { answerWith } from './requests.js';
import { listInPeriod, maxSpanDays, readApprovalRule } from './rows.js';
import { type AbsenceAccess, entityTag } from './rules.js';
import { absenceTypesOf } from './types.js';
import { readVacationAccount } from './vacation/vacation-account.js';

function ownRequest(caller: PersonCaller, body: components['schemas']['OwnAbsenceRequest']): AbsenceRequest {
  const { id, company_id } = caller.person;
  return {
    personId: id,
    companyId: company_id,
    draft: draftOf(body),
    author: { kind: 'person', personId: id },
    returnsVacation: body.returns_vacation ?? false,
  };
}

function ownAccess(caller: PersonCaller, ifMatch: string | undefined): AbsenceAccess {
  return { by: 'person', personId: caller.person.id, ifMatch };
}

export const listMyAbsences: AppHandler<'listMyAbsences'> = async ({
  db,
  cursors,
  caller,
  query: { from, to, cursor, limit = 100 },
}) => {
  const period = readPeriod({ from, to })!;
  const binding = ['listMyAbsences', caller.person.id, period];
  const after = cursor === undefined ? undefined : cursors.read<{ date: string; id: number }>(binding, cursor);
  const rows = await listInPeriod(db, ownScope(caller), {
    states: 'every',
    ...period,
    earliest: addDays(from, 1 - maxSpanDays),
    after,
    limit: limit + 1,
  });
  const absencesByRow = await presentAbsences(db, rows, { language: caller.person.language });
  const decisions = await latestAbsenceDecisions(
    db,
    rows.map(({ id }) => id),
  );
  const types = await absenceTypesOf(db, caller.person.company_id);
  const rule = await readApprovalRule(db, caller.person.id);
  const names = await listNames(
    db,
    [...decisions.values()].map((row) => row.decided_by!),
  );
  return {
    status: 200,
    body: pageOf(
      rows,
      limit,
      (row) => ({
        ...absencesByRow.get(row)!,
        ...presentDecision(decisions.get(row.id), names),
        ...presentReturned(row),
        may_end_early: mayEndEarly(row, types, rule),
      }),
      (last) => cursors.write(binding, { date: last.start_date, id: last.id }),
    ),
  };
};

function presentDecision(
  decision: ApprovalRow | undefined,
  names: ReadonlyMap<number, string>,
): components['schemas']['AbsenceDecision'] {
  if (decision?.decided_by == null) return {};
  return {
    decided_by: personReference(decision.decided_by, names),
    decided_at: formatInstant(decision.decided_at),
    decision_comment: decision.comment ?? undefined,
  };
}

export const listMyAbsenceTypes: AppHandler<'listMyAbsenceTypes'> = async ({ db, caller: { person } }) => {
  const types = await absenceTypesOf(db, person.company_id);
  return {
    status: 200,
    body: { data: types.filter((type) => type.active).map((type) => presentAbsenceType(type, person.language)) },
  };
};

export const previewMyAbsence: AppHandler<'previewMyAbsence'> = async ({
  db,
  caller,
  query: { changes },
  body,
  at,
}) => ({
  status: 200,
  body: await previewAbsence(db, { actor: actorOf(caller.person), at }, async (write) =>
    changes === undefined
      ? (await requestAbsence(write, ownRequest(caller, body))).absence
      : changeAbsence(write, { id: changes, access: ownAccess(caller, undefined), patch: draftOf(body) }),
  ),
});

export const requestMyAbsence: AppHandler<'requestMyAbsence'> = async ({ db, caller, body, at }) =>
  db.write({ actor: actorOf(caller.person), at }, async (write) => {
    const absence = await requestOwnAbsence(write, ownRequest(caller, body));
    return {
      status: 201,
      headers: { etag: entityTag(absence) },
      body: await answerWith(write, absence, undefined, at),
    };
  });

export const changeMyAbsence: AppHandler<'changeMyAbsence'> = async ({ db, caller, path: { id }, body, headers, at }) =>
  db.write({ actor: actorOf(caller.person), at }, async (write) => {
    const absence = await changeOwnAbsence(write, {
      id,
      access: ownAccess(caller, headers['if-match']),
      patch: patchOf(body),
    });
    return {
      status: 200,
      headers: { etag: entityTag(absence) },
      body: await answerWith(write, absence, undefined, at),
    };
  });

export const withdrawMyAbsence: AppHandler<'withdrawMyAbsence'> = async ({ db, caller, path: { id }, headers, at }) =>
  db.write({ actor: actorOf(caller.person), at }, async (write) => {
    const absence = await withdrawOrCancelAbsence(write, {
      id,
      access: ownAccess(caller, headers['if-match']),
    });
    return {
      status: 200,
      headers: { etag: entityTag(absence) },
      body: await answerWith(write, absence, undefined, at),
    };
  });

export const showMyVacation: AppHandler<'showMyVacation'> = async ({
  db,
  caller: { person },
  query: { year },
  at,
}) => ({
  status: 200,
  body: presentVacation(year, await readVacationAccount(db, person, year, localDateAt(at, person.time_zone))),
});

export const listMyHolidays: AppHandler<'listMyHolidays'> = async ({ db, caller: { person }, query: { year } }) => {
  const holidays = await readHolidays(db, { ...person, id: person.company_id });
  return {
    status: 200,
    body: { data: holidays.ofYear(year).map((holiday) => presentHoliday(holiday, person.language)) },
  };
};
