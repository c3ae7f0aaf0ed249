import type { Handler } from '@clockproof/platform/http/operation';
import { localDateAt } from '@clockproof/platform/time/local-date';
import { personInApproverScope, viewerOf } from '../absences/approver-scope.js';
import { draftOf } from '../absences/draft.js';
import { presentVacation } from '../absences/present.js';
import { requestAbsence } from '../absences/request-absence.js';
import { answerWith } from '../absences/requests.js';
import { entityTag } from '../absences/rules.js';
import { readVacationAccount } from '../absences/vacation/vacation-account.js';
import { listEntriesPage } from '../clock/entries-page.js';
import type { operations } from '../generated/app-types.js';
import type { AppNeeds } from '../http/needs.js';
import { readPeriod } from '../http/period.js';
import { requireApprover } from '../inbox/approvals.js';
import { actorOf } from '../people/actor.js';
import type { PersonCaller } from '../people/caller.js';
import { findPersonAnywhere } from '../people/rows.js';
import { Refusal } from '../store/refusal.js';
import { requirePermitFor } from '../working-time/evaluations.js';
import { readMonthsOfYear } from './months-of-year.js';
import { readDaysForViewer } from './person-balance.js';
import { presentDay, presentMonth } from './present.js';

export function listEntriesOfPerson({
  db,
  cursors,
}: Pick<AppNeeds, 'db' | 'cursors'>): Handler<operations['listEntriesOfPerson'], PersonCaller> {
  return async ({ caller, path: { id }, query, at }) => ({
    status: 200,
    body: await listEntriesPage(
      db,
      cursors,
      { id: caller.person.id, at },
      await personInApproverScope(db, caller, id, at),
      query,
    ),
  });
}

export function listDaysOfPerson({ db }: Pick<AppNeeds, 'db'>): Handler<operations['listDaysOfPerson'], PersonCaller> {
  return async ({ caller, path: { id }, query, at }) => {
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
}

export function listMonthsOfPerson({
  db,
}: Pick<AppNeeds, 'db'>): Handler<operations['listMonthsOfPerson'], PersonCaller> {
  return async ({ caller, path: { id }, query: { year }, at }) => {
    const person = await personInApproverScope(db, caller, id, at);
    await requirePermitFor(db, { caller: caller.person.id, person }, 'month_reports');
    return { status: 200, body: { data: (await readMonthsOfYear(db, person, year, at)).map(presentMonth) } };
  };
}

export function recordAbsence({ db }: Pick<AppNeeds, 'db'>): Handler<operations['recordAbsence'], PersonCaller> {
  return async ({ caller, path: { id }, body, at }) =>
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
}

export function showVacationOfPerson({
  db,
}: Pick<AppNeeds, 'db'>): Handler<operations['showVacationOfPerson'], PersonCaller> {
  return async ({ caller, path: { id }, query: { year }, at }) => {
    const person = await personInApproverScope(db, caller, id, at);
    return {
      status: 200,
      body: presentVacation(year, await readVacationAccount(db, person, year, localDateAt(at, person.time_zone))),
    };
  };
}
