import type { Reader } from '@clockproof/platform/database/database';
import type { components } from '../generated/app-types.js';
import type { Cursors } from '../http/cursor.js';
import { type Page, pageOf } from '../http/page.js';
import { readPeriod } from '../http/period.js';
import type { PersonRow } from '../people/rows.js';
import { listEntries } from './rows.js';
import { presentEntry } from './time-entry.js';

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
