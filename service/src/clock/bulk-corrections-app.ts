/** The operations behind the page that corrects several people at once. */

import type { Handler } from '@clockproof/platform/http/operation';
import { approverScope } from '../absences/approver-scope.js';
import { authorityOf, undecidableApprovers } from '../absences/deciding.js';
import type { components, operations } from '../generated/app-types.js';
import type { AppNeeds } from '../http/needs.js';
import { pageOf } from '../http/page.js';
import { readPeriod } from '../http/period.js';
import { numberIn } from '../http/prefixed-id.js';
import { actorOf } from '../people/actor.js';
import type { PersonCaller } from '../people/caller.js';
import { Refusal } from '../store/refusal.js';
import { isPresence, permitOf, presentSince } from '../working-time/evaluations.js';
import {
  correctEntries as correct,
  ofCorrection,
  previewCorrection,
  undoCorrections as undo,
} from './bulk-corrections.js';
import { draftOf } from './entry-draft.js';
import { presentCorrections } from './present-correction.js';
import { listTeamEntryRows, type TeamEntryRow } from './team-entry-rows.js';
import { presentEntry } from './time-entry.js';

type Schemas = components['schemas'];

export function listTeamEntries({
  db,
  cursors,
}: Pick<AppNeeds, 'db' | 'cursors'>): Handler<operations['listTeamEntries'], PersonCaller> {
  return async ({ caller, query, at }) => {
    const { from, to, without_end: withoutEnd = false, cursor, limit = 100 } = query;
    const period = readPeriod({ from, to })!;
    const authority = await authorityOf(db, caller.person, at);
    const asked = { companyId: query.company_id, departmentId: query.department_id };
    const scope = await approverScope(db, caller, asked, authority);
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
}

function presentTeamEntry(row: TeamEntryRow): Schemas['TeamEntry'] {
  return {
    person: { id: row.person_id, name: row.person_name },
    ...(row.department_id === null ? {} : { department: { id: row.department_id, name: row.department_name! } }),
    entry: presentEntry(row),
  };
}

export function previewCorrections({
  db,
}: Pick<AppNeeds, 'db'>): Handler<operations['previewCorrections'], PersonCaller> {
  return async ({ caller, body, at }) => {
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
      const shown =
        entry !== undefined &&
        (!isPresence(entry, at) || (await permitOf(db, person.company_id, 'presence')) !== undefined);
      data.push({
        user_id: draft.user_id,
        ...(shown ? { entry: presentEntry(entry) } : {}),
        worked_minutes: workedMinutes,
      });
    }
    return { status: 200, body: { data } };
  };
}

export function correctEntries({ db }: Pick<AppNeeds, 'db'>): Handler<operations['correctEntries'], PersonCaller> {
  return ({ caller, body, at }) => {
    const drafts = body.corrections.map((draft, index) => ({
      personId: draft.user_id,
      draft: readDraft(draft, index),
    }));
    return db.write({ actor: actorOf(caller.person), at }, async (write) => {
      const rows = await correct(write, { by: caller.person, drafts, reason: body.reason });
      const shown = await presentCorrections(write, rows);
      return { status: 201, body: { data: rows.map((row) => shown.get(row)!) } };
    });
  };
}

function readDraft(draft: Schemas['CorrectionDraft'], index: number): ReturnType<typeof draftOf> {
  try {
    return draftOf(draft);
  } catch (error) {
    throw error instanceof Refusal ? ofCorrection(index, error) : error;
  }
}

export function undoCorrections({ db }: Pick<AppNeeds, 'db'>): Handler<operations['undoCorrections'], PersonCaller> {
  return ({ caller, body, at }) => {
    const ids = body.correction_ids.map((id) => numberIn(id, 'cor'));
    return db.write({ actor: actorOf(caller.person), at }, async (write) => {
      const entries = await undo(write, { by: caller.person, ids });
      return { status: 200, body: { data: entries.map(presentEntry) } };
    });
  };
}
