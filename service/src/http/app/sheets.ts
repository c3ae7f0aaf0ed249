/** A person's month as a document: for the person, and for those who decide about them. */
import type { Reader } from '@clockproof/platform/database/database';
import type { Handler } from '@clockproof/platform/http/operation';
import type { Instant } from '@clockproof/platform/time/instant';
import type { operations } from '../../generated/app-types.js';
import { actorOf } from '../../people/actor.js';
import { findPerson } from '../../people/rows.js';
import { readMonthSheet, signOff } from '../../sheets/month-sheet.js';
import { presentSheet } from '../../sheets/present.js';
import { sheetDocument } from '../../sheets/sheet-document.js';
import { sheetTable } from '../../sheets/sheet-table.js';
import { refuseFarMonth } from '../shared/far-month.js';
import { personInApproverScope } from './approver-scope.js';
import { ownScope, type PersonCaller } from './caller.js';
import type { AppNeeds } from './needs.js';

/** @throws Refusal `not_found` somebody else, whose requests do not reach the caller */
async function readableSheet(
  reader: Reader,
  caller: PersonCaller,
  { id, month }: { readonly id: number; readonly month: string },
  at: Instant,
) {
  refuseFarMonth(month, at);
  const person =
    id === caller.person.id
      ? ((await findPerson(reader, id, ownScope(caller))) ?? caller.person)
      : await personInApproverScope(reader, caller, id, at);
  return presentSheet(reader, await readMonthSheet(reader, person, month, at), caller.person);
}

export function showSheet({ db }: Pick<AppNeeds, 'db'>): Handler<operations['showSheet'], PersonCaller> {
  return async ({ caller, path, at }) => ({ status: 200, body: await readableSheet(db, caller, path, at) });
}

const file = (type: string, { id, month }: { readonly id: number; readonly month: string }, ending: string) => ({
  'content-type': type,
  'content-disposition': `attachment; filename="sheet-${id}-${month}.${ending}"`,
});

export function exportSheetTable({ db }: Pick<AppNeeds, 'db'>): Handler<operations['exportSheetTable'], PersonCaller> {
  return async ({ caller, path, at }) => ({
    status: 200,
    headers: file('text/csv; charset=utf-8', path, 'csv'),
    body: sheetTable(await readableSheet(db, caller, path, at)),
  });
}

export function exportSheetDocument({
  db,
}: Pick<AppNeeds, 'db'>): Handler<operations['exportSheetDocument'], PersonCaller> {
  return async ({ caller, path, at }) => ({
    status: 200,
    headers: file('application/pdf', path, 'pdf'),
    body: await sheetDocument(await readableSheet(db, caller, path, at), caller.person.language),
  });
}

export function signOffSheet({ db }: Pick<AppNeeds, 'db'>): Handler<operations['signOffSheet'], PersonCaller> {
  return ({ caller, path: { id, month }, body: { digest }, at }) => {
    refuseFarMonth(month, at);
    return db.write({ actor: actorOf(caller.person), at }, async (write) => {
      const sheet = await signOff(write, { personId: id, month, by: caller.person, digest });
      return { status: 200, body: await presentSheet(write, sheet, caller.person) };
    });
  };
}
