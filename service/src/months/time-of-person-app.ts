import { localDateAt } from '@clockproof/platform/time/local-date';
import { personInApproverScope, viewerOf } from '../absences/deciders/approver-scope.js';
import { draftOf } from '../absences/draft.js';
import { presentVacation } from '../absences/present.js';
import { requestAbsence } from '../absences/request-absence.js';
import { answerWith } from '../absences/requests.js';
import { entityTag } from '../absences/rules.js';
import { daysOfAbsence, readVacationAccount } from '../absences/vacation/vacation-account.js';
import { listEntriesPage } from '../clock/entries-page.js';
import type { AppHandler } from '../http/handler.js';
import { readPeriod } from '../http/period.js';
import { requireApprover } from '../inbox/approvals.js';
import { actorOf } from '../people/actor.js';
import { findPersonAnywhere } from '../people/rows.js';
import { Refusal } from '../store/refusal.js';
import { requirePermitFor } from '../working-time/evaluations.js';
import { readMonthsOfYear } from './months-of-year.js';
import { readDaysForViewer } from './person-balance.js';
import { presentDay, presentMonth } from './present.js';

export const listEntriesOfPerson: AppHandler<'listEntriesOfPerson'> = async ({
  db,
  cursors,
  caller,
  path: { id },
  query,
  at,
}) => ({
  status: 200,
  body: await listEntriesPage(
    db,
    cursors,
    { id: caller.person.id, at },
    await personInApproverScope(db, caller, id, at),
    query,
  ),
});

export const listDaysOfPerson: AppHandler<'listDaysOfPerson'> = async ({ db, caller, path: { id }, query, at }) => {
  const person = await personInApproverScope(db, caller, id, at);
  const span = readPeriod(query)!;
  const viewer = await viewerOf(db, caller, person);
  return {
    status: 200,
    body: {
      data: (await readDaysForViewer(db, person, span, at, viewer)).map((day) =>
        presentDay(day, caller.person.language, viewer),
      ),
    },
  };
};

export const listMonthsOfPerson: AppHandler<'listMonthsOfPerson'> = async ({
  db,
  caller,
  path: { id },
  query: { year },
  at,
}) => {
  const person = await personInApproverScope(db, caller, id, at);
  await requirePermitFor(db, { caller: caller.person.id, person }, 'month_reports');
  return { status: 200, body: { data: (await readMonthsOfYear(db, person, year, at)).map(presentMonth) } };
};

export const recordAbsence: AppHandler<'recordAbsence'> = async ({ db, caller, path: { id }, body, at }) =>
  db.write({ actor: actorOf(caller.person), at }, async (write) => {
    const person = await findPersonAnywhere(write, id);
    if (person === undefined) throw new Refusal('not_found');
    await requireApprover(write, caller.person, person);
    const { absence } = await requestAbsence(write, {
      personId: id,
      companyId: person.company_id,
      draft: draftOf(body),
      author: { kind: 'admin', personId: caller.person.id },
      returnsVacation: body.returns_vacation ?? false,
    });
    return {
      status: 201,
      headers: { etag: entityTag(absence) },
      body: await answerWith(write, absence, undefined, at),
    };
  });

export const showVacationOfPerson: AppHandler<'showVacationOfPerson'> = async ({
  db,
  caller,
  path: { id },
  query: { year, absence },
  at,
}) => {
  const person = await personInApproverScope(db, caller, id, at);
  const account = await readVacationAccount(db, person, year, localDateAt(at, person.time_zone));
  return {
    status: 200,
    body: {
      ...presentVacation(year, account),
      absence_days: absence === undefined ? undefined : await daysOfAbsence(db, person, year, absence),
    },
  };
};
