/** Absences of a person in the hands of those who decide about them: seen, changed, shortened and cancelled. */

import { addDays } from '@clockproof/platform/time/local-date';
import type { components } from '../generated/app-types.js';
import type { AppHandler } from '../http/handler.js';
import { pageOf } from '../http/page.js';
import { readPeriod } from '../http/period.js';
import { requireApprover } from '../inbox/approvals.js';
import { actorOf } from '../people/actor.js';
import type { PersonCaller } from '../people/caller.js';
import { findPerson } from '../people/rows.js';
import { invalidField, Refusal } from '../store/refusal.js';
import type { Write } from '../store/write.js';
import { changeAbsence, withdrawOrCancelAbsence } from './change-absence.js';
import { personInApproverScope } from './deciders/approver-scope.js';
import { patchOf } from './draft.js';
import type { FreedDays } from './freed-days.js';
import { presentAbsences, presentReturned } from './present.js';
import { answerWith } from './requests.js';
import { findAbsenceAnywhere, listInPeriod, maxSpanDays } from './rows.js';
import { type AbsenceAccess, entityTag } from './rules.js';

export const listAbsencesOfPerson: AppHandler<'listAbsencesOfPerson'> = async ({
  db,
  cursors,
  caller,
  path: { id },
  query: { from, to, cursor, limit = 100 },
  at,
}) => {
  const person = await personInApproverScope(db, caller, id, at);
  const period = readPeriod({ from, to })!;
  const binding = ['listAbsencesOfPerson', caller.person.id, person.id, period];
  const after = cursor === undefined ? undefined : cursors.read<{ date: string; id: number }>(binding, cursor);
  const rows = await listInPeriod(
    db,
    { company: person.company_id, person: person.id },
    { states: 'every', ...period, earliest: addDays(from, 1 - maxSpanDays), after, limit: limit + 1 },
  );
  const absencesByRow = await presentAbsences(db, rows, { language: caller.person.language });
  return {
    status: 200,
    body: pageOf(
      rows,
      limit,
      (row) => ({ ...absencesByRow.get(row)!, ...presentReturned(row) }),
      (last) => cursors.write(binding, { date: last.start_date, id: last.id }),
    ),
  };
};

/** @throws Refusal `not_found` the caller does not decide about the person, `own_request` */
async function decidableAbsence(
  write: Write,
  caller: PersonCaller,
  id: number,
  ifMatch: string | undefined,
): Promise<AbsenceAccess> {
  const absence = await findAbsenceAnywhere(write, id);
  const person = absence && (await findPerson(write, absence.person_id, { company: absence.company_id }));
  if (absence === undefined || person === undefined) throw new Refusal('not_found');
  await requireApprover(write, caller.person, person);
  return { by: 'approver', scope: { company: absence.company_id, person: person.id }, ifMatch };
}

/** @throws Refusal `invalid_request` the kind is missing, or nothing asks for it */
function freedDaysOf(
  caller: PersonCaller,
  { freed_days: kind, freed_days_type: type }: components['schemas']['AbsenceOfPersonChange'],
): FreedDays | undefined {
  if ((kind === 'another_kind') !== (type !== undefined))
    throw invalidField('freed_days_type', 'contradiction', 'Name the kind with `another_kind`, and only then.');
  if (kind !== 'another_kind') return kind === undefined ? undefined : { kind };
  return { kind, type: type!, author: { kind: 'admin', personId: caller.person.id } };
}

export const changeAbsenceOfPerson: AppHandler<'changeAbsenceOfPerson'> = ({
  db,
  caller,
  path: { id },
  body,
  headers,
  at,
}) =>
  db.write({ actor: actorOf(caller.person), at }, async (write) => {
    const access = await decidableAbsence(write, caller, id, headers['if-match']);
    const absence = await changeAbsence(write, {
      id,
      access,
      patch: patchOf(body),
      freedDays: freedDaysOf(caller, body),
    });
    return {
      status: 200,
      headers: { etag: entityTag(absence) },
      body: await answerWith(write, absence, undefined, at),
    };
  });

export const cancelAbsenceOfPerson: AppHandler<'cancelAbsenceOfPerson'> = ({
  db,
  caller,
  path: { id },
  query: { freed_days: kind },
  headers,
  at,
}) =>
  db.write({ actor: actorOf(caller.person), at }, async (write) => {
    const access = await decidableAbsence(write, caller, id, headers['if-match']);
    const absence = await withdrawOrCancelAbsence(write, {
      id,
      access,
      freedDays: kind === undefined ? undefined : { kind },
    });
    return {
      status: 200,
      headers: { etag: entityTag(absence) },
      body: await answerWith(write, absence, undefined, at),
    };
  });
