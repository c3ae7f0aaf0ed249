/** The operations behind the page that corrects several people at once. */

import { approverScope } from '../absences/deciders/approver-scope.js';
import { authorityOf, undecidableApprovers } from '../absences/deciders/authority.js';
import type { components } from '../generated/app-types.js';
import type { AppHandler } from '../http/handler.js';
import { pageOf } from '../http/page.js';
import { readPeriod } from '../http/period.js';
import { numberIn } from '../http/prefixed-id.js';
import { actorOf } from '../people/actor.js';
import { Refusal } from '../store/refusal.js';
import { isPresence, permitOf, presentSince } from '../working-time/evaluations.js';
import { correctAll, ofCorrection, previewCorrection, undoAll } from './bulk-corrections.js';
import { draftOf } from './entry-draft.js';
import { presentCorrections } from './present-correction.js';
import { listTeamEntryRows, type TeamEntryRow } from './team-entry-rows.js';
import { presentEntry } from './time-entry.js';

type Schemas = components['schemas'];

export const listTeamEntries: AppHandler<'listTeamEntries'> = async ({ db, cursors, caller, query, at }) => {
  const { from, to, without_end: withoutEnd = false, cursor, limit = 100 } = query;
  const period = readPeriod({ from, to })!;
  const authority = await authorityOf(db, caller.person, at);
  const filter = { companyId: query.company_id, departmentId: query.department_id };
  const scope = await approverScope(db, caller, filter, authority);
  const binding = ['listTeamEntries', caller.person.id, period, withoutEnd, scope];
  const after = cursor === undefined ? undefined : cursors.read<{ date: string; id: number }>(binding, cursor);
  const rows = await listTeamEntryRows(db, scope, {
    ...period,
    after,
    limit: limit + 1,
    exceptPeople: [caller.person.id, ...(await undecidableApprovers(db, authority, caller.person))],
    withoutEndAt: withoutEnd ? at : undefined,
    presentSince: presentSince(at),
  });
  return {
    status: 200,
    body: pageOf(rows, limit, presentTeamEntry, ({ date, id }) => cursors.write(binding, { date, id })),
  };
};

function presentTeamEntry(row: TeamEntryRow): Schemas['TeamEntry'] {
  return {
    person: { id: row.person_id, name: row.person_name },
    department: row.department_id === null ? undefined : { id: row.department_id, name: row.department_name! },
    entry: presentEntry(row),
  };
}

export const previewCorrections: AppHandler<'previewCorrections'> = async ({ db, caller, body, at }) => {
  const data: Schemas['CorrectionPreview'][] = [];
  for (const draft of body.corrections) {
    const effect = await previewCorrection(
      db,
      { by: caller.person, personId: draft.user_id, draftOf: () => draftOf(draft) },
      at,
    );
    if ('refusal' in effect) {
      data.push({ user_id: draft.user_id, refusal: effect.refusal });
      continue;
    }
    const { entry, person, workedMinutes } = effect;
    const isEntryVisible =
      entry !== undefined &&
      (!isPresence(entry, at) || (await permitOf(db, person.company_id, 'presence')) !== undefined);
    data.push({
      user_id: draft.user_id,
      entry: isEntryVisible ? presentEntry(entry) : undefined,
      worked_minutes: workedMinutes,
    });
  }
  return { status: 200, body: { data } };
};

export const correctEntries: AppHandler<'correctEntries'> = ({ db, caller, body, at }) => {
  const drafts = body.corrections.map((draft, index) => ({
    personId: draft.user_id,
    draft: readDraft(draft, index),
  }));
  return db.write({ actor: actorOf(caller.person), at }, async (write) => {
    const rows = await correctAll(write, { by: caller.person, drafts, reason: body.reason });
    const correctionsByRow = await presentCorrections(write, rows);
    return { status: 201, body: { data: rows.map((row) => correctionsByRow.get(row)!) } };
  });
};

function readDraft(draft: Schemas['CorrectionDraft'], index: number): ReturnType<typeof draftOf> {
  try {
    return draftOf(draft);
  } catch (error) {
    throw error instanceof Refusal ? ofCorrection(index, error) : error;
  }
}

export const undoCorrections: AppHandler<'undoCorrections'> = ({ db, caller, body, at }) => {
  const ids = body.correction_ids.map((id) => numberIn(id, 'cor'));
  return db.write({ actor: actorOf(caller.person), at }, async (write) => {
    const entries = await undoAll(write, { by: caller.person, ids });
    return { status: 200, body: { data: entries.map(presentEntry) } };
  });
};
