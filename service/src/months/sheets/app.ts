/** A person's month as a document: for the person, and for those who decide about them. */

import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { lastDayOf, localDateAt } from '@clockproof/platform/time/local-date';
import { personInApproverScope, viewerOf } from '../../absences/deciders/approver-scope.js';
import { refuseFarMonth } from '../../http/far-month.js';
import type { AppHandler } from '../../http/handler.js';
import { actorOf } from '../../people/actor.js';
import { ownScope, type PersonCaller } from '../../people/caller.js';
import { findPerson } from '../../people/rows.js';
import { requirePermitFor } from '../../working-time/evaluations.js';
import { readMonthSheet, signOff } from './month-sheet.js';
import { presentSheet } from './present.js';
import { sheetDocument } from './sheet-document.js';
import { sheetTable } from './sheet-table.js';

/** @throws Refusal `not_found` somebody else, whose requests do not reach the caller */
async function readablePerson(
  reader: Reader,
  caller: PersonCaller,
  { id, month }: { readonly id: number; readonly month: string },
  at: Instant,
) {
  const person =
    id === caller.person.id
      ? ((await findPerson(reader, id, ownScope(caller))) ?? caller.person)
      : await personInApproverScope(reader, caller, id, at);
  refuseFarMonth(month, localDateAt(at, person.time_zone));
  return person;
}

async function readableSheet(
  reader: Reader,
  caller: PersonCaller,
  path: { readonly id: number; readonly month: string },
  at: Instant,
) {
  const person = await readablePerson(reader, caller, path, at);
  const viewer = await viewerOf(reader, caller, person);
  const sheet = await readMonthSheet(reader, person, path.month, at, viewer);
  return presentSheet(reader, sheet, caller.person, viewer);
}

export const showSheet: AppHandler<'showSheet'> = async ({ db, caller, path, at }) => ({
  status: 200,
  body: await readableSheet(db, caller, path, at),
});

/** @throws Refusal `not_found`, `evaluation_off` a file of somebody else's sheet */
async function sheetForFile(
  reader: Reader,
  caller: PersonCaller,
  path: { readonly id: number; readonly month: string },
  at: Instant,
) {
  const person = await readablePerson(reader, caller, path, at);
  const permit = await requirePermitFor(reader, { caller: caller.person.id, person }, 'sheet_exports');
  return { permit, sheet: await readableSheet(reader, caller, path, at) };
}

const file = (type: string, { id, month }: { readonly id: number; readonly month: string }, ending: string) => ({
  'content-type': type,
  'content-disposition': `attachment; filename="sheet-${id}-${month}.${ending}"`,
});

export const exportSheetTable: AppHandler<'exportSheetTable'> = async ({ db, caller, path, at }) => {
  const { permit, sheet } = await sheetForFile(db, caller, path, at);
  return {
    status: 200,
    headers: file('text/csv; charset=utf-8', path, 'csv'),
    body: sheetTable(permit, sheet),
  };
};

export const exportSheetDocument: AppHandler<'exportSheetDocument'> = async ({ db, caller, path, at }) => {
  const { permit, sheet } = await sheetForFile(db, caller, path, at);
  const today = localDateAt(at, sheet.time_zone);
  return {
    status: 200,
    headers: file('application/pdf', path, 'pdf'),
    body: await sheetDocument(permit, sheet, caller.person.language, lastDayOf(sheet.month) < today),
  };
};

export const signOffSheet: AppHandler<'signOffSheet'> = ({ db, caller, path: { id, month }, body: { digest }, at }) => {
  return db.write({ actor: actorOf(caller.person), at }, async (write) => {
    const sheet = await signOff(write, { personId: id, month, by: caller.person, digest }, (person) => {
      refuseFarMonth(month, localDateAt(at, person.time_zone));
      return viewerOf(write, caller, person);
    });
    return { status: 200, body: await presentSheet(write, sheet, caller.person, sheet.viewer) };
  });
};
