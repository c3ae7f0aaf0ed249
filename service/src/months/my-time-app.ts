import { seesAll } from '../absences/deciders/approver-scope.js';
import { listCorrections } from '../clock/correction-rows.js';
import { retractCorrection, submitCorrection } from '../clock/corrections.js';
import { listEntriesPage } from '../clock/entries-page.js';
import { draftOf } from '../clock/entry-draft.js';
import { presentCorrections, presentVersions } from '../clock/present-correction.js';
import { findEntry } from '../clock/rows.js';
import { historyOf } from '../clock/versions.js';
import type { AppHandler } from '../http/handler.js';
import { pageOf } from '../http/page.js';
import { readPeriod } from '../http/period.js';
import { numberIn } from '../http/prefixed-id.js';
import { actorOf } from '../people/actor.js';
import { ownScope } from '../people/caller.js';
import { findPerson } from '../people/rows.js';
import { Refusal } from '../store/refusal.js';
import { readMonthsOfYear } from './months-of-year.js';
import { readDaysForViewer } from './person-balance.js';
import { presentDay, presentMonth } from './present.js';

export const listMyEntries: AppHandler<'listMyEntries'> = async ({ db, cursors, caller: { person }, query, at }) => ({
  status: 200,
  body: await listEntriesPage(db, cursors, { id: person.id, at }, person, query),
});

export const listMyEntryHistory: AppHandler<'listMyEntryHistory'> = async ({ db, caller, path: { id } }) => {
  const entry = await findEntry(db, id, ownScope(caller));
  if (entry === undefined) throw new Refusal('not_found');
  return { status: 200, body: { data: await presentVersions(db, entry, await historyOf(db, entry)) } };
};

export const listMyDays: AppHandler<'listMyDays'> = async ({ db, caller: { person }, query, at }) => {
  const span = readPeriod(query)!;
  return {
    status: 200,
    body: {
      data: (await readDaysForViewer(db, person, span, at, seesAll)).map((day) =>
        presentDay(day, person.language, seesAll),
      ),
    },
  };
};

export const listMyMonths: AppHandler<'listMyMonths'> = async ({ db, caller: { person }, query: { year }, at }) => ({
  status: 200,
  body: { data: (await readMonthsOfYear(db, person, year, at)).map(presentMonth) },
});

export const listMyCorrections: AppHandler<'listMyCorrections'> = async ({
  db,
  cursors,
  caller: { person },
  query: { cursor, limit = 100 },
}) => {
  const binding = ['listMyCorrections', person.id];
  const beforeId = cursor === undefined ? Number.MAX_SAFE_INTEGER : cursors.read<number>(binding, cursor);
  const rows = await listCorrections(db, { personId: person.id, beforeId, limit: limit + 1 });
  const correctionsByRow = await presentCorrections(db, rows);
  return {
    status: 200,
    body: pageOf(rows, limit, correctionsByRow, (last) => cursors.write(binding, last.id)),
  };
};

export const requestCorrection: AppHandler<'requestCorrection'> = ({ db, caller, body, at }) =>
  db.write({ actor: actorOf(caller.person), at }, async (write) => {
    const person = await findPerson(write, caller.person.id, ownScope(caller));
    if (person === undefined) throw new Refusal('not_found');
    const row = await submitCorrection(write, { person, by: person, draft: draftOf(body), reason: body.reason });
    return { status: 201, body: (await presentCorrections(write, [row])).get(row)! };
  });

export const withdrawCorrection: AppHandler<'withdrawCorrection'> = ({ db, caller, path: { id }, at }) =>
  db.write({ actor: actorOf(caller.person), at }, async (write) => {
    const row = await retractCorrection(write, { id: numberIn(id, 'cor'), by: caller.person });
    return { status: 200, body: (await presentCorrections(write, [row])).get(row)! };
  });
