/** Entries of one person in a period, as a page. */

import type { Reader } from '@clockproof/platform/database/database';
import type { Handler } from '@clockproof/platform/http/operation';
import { type Instant, parseInstant } from '@clockproof/platform/time/instant';
import { correctEntry as correct, type EntryDraft } from '../../clocking/corrections.js';
import { presentCorrections, presentVersions } from '../../clocking/present-correction.js';
import { findEntry, listEntries } from '../../clocking/rows.js';
import { presentEntry } from '../../clocking/time-entry.js';
import { historyOf } from '../../clocking/versions.js';
import type { components, operations } from '../../generated/app-types.js';
import { actorOf } from '../../people/actor.js';
import { findPerson, type PersonRow } from '../../people/rows.js';
import { invalidField, Refusal } from '../../refusal.js';
import { allCompanies } from '../../tenant/scope.js';
import type { Cursors } from '../shared/cursor.js';
import { type Page, pageOf } from '../shared/page.js';
import { readPeriod } from '../shared/period.js';
import { personInApproverScope } from './approver-scope.js';
import type { PersonCaller } from './caller.js';
import type { AppNeeds } from './needs.js';

export interface EntryQuery {
  readonly from: string;
  readonly to: string;
  readonly cursor?: string;
  readonly limit?: number;
}

/** @param callerId the cursor belongs to the reader */
export async function listEntriesPage(
  reader: Reader,
  cursors: Cursors,
  callerId: number,
  person: PersonRow,
  { from, to, cursor, limit = 100 }: EntryQuery,
): Promise<Page<components['schemas']['TimeEntry']>> {
  const period = readPeriod({ from, to })!;
  const binding = ['entriesOfPerson', callerId, person.id, period];
  const after = cursor === undefined ? undefined : cursors.read<{ date: string; id: number }>(binding, cursor);
  const rows = await listEntries(
    reader,
    { company: person.company_id, person: person.id },
    { ...period, after, limit: limit + 1 },
  );
  return pageOf(rows, limit, presentEntry, (last) => cursors.write(binding, { date: last.date, id: last.id }));
}

export function listEntryHistory({ db }: Pick<AppNeeds, 'db'>): Handler<operations['listEntryHistory'], PersonCaller> {
  return async ({ caller, path: { id }, at }) => {
    const entry = await findEntry(db, id, allCompanies);
    if (entry === undefined) throw new Refusal('not_found');
    await personInApproverScope(db, caller, entry.person_id, at);
    return { status: 200, body: { data: await presentVersions(db, entry, await historyOf(db, entry)) } };
  };
}

/** What somebody writes into the form of a correction. */
type Body = components['schemas']['CorrectionRequest'];

/** @throws Refusal `invalid_request` members contradict each other or are missing */
export function draftOf({ entry_id: entryId, remove, start, end, breaks }: Body): EntryDraft {
  if (remove === true) {
    if (entryId === undefined) throw invalidField('entry_id', 'missing', 'Say which entry to strike out.');
    if (start !== undefined || end !== undefined || breaks !== undefined)
      throw invalidField('remove', 'contradiction', 'An entry that is struck out has no times.');
    return { entryId, remove: true };
  }
  return {
    entryId,
    times: {
      start: instant('start', start),
      end: instant('end', end),
      breaks: (breaks ?? []).map((interval, index) => ({
        start: instant(`breaks[${index}].start`, interval.start),
        end: instant(`breaks[${index}].end`, interval.end),
      })),
    },
  };
}

function instant(field: string, text: string | undefined): Instant {
  const at = text === undefined ? undefined : parseInstant(text);
  if (at === undefined)
    throw invalidField(
      field,
      text === undefined ? 'missing' : 'format',
      text === undefined ? 'Say when.' : 'Write an RFC 3339 instant.',
    );
  return at;
}

export function correctEntry({ db }: Pick<AppNeeds, 'db'>): Handler<operations['correctEntry'], PersonCaller> {
  return ({ caller, path: { id }, body, at }) =>
    db.write({ actor: actorOf(caller.person), at }, async (write) => {
      const person = await findPerson(write, id, allCompanies);
      if (person === undefined) throw new Refusal('not_found');
      const row = await correct(write, { person, by: caller.person, draft: draftOf(body), reason: body.reason });
      return { status: 201, body: (await presentCorrections(write, [row])).get(row)! };
    });
}
