/** Entries of one person in a period, as a page. */
import type { Reader } from '@clockproof/platform/database/database';
import type { Cursors } from '../../api/cursor.js';
import { type Page, pageOf } from '../../api/page.js';
import { readPeriod } from '../../api/period.js';
import { presentEntry } from '../../clocking/present.js';
import { listEntries } from '../../clocking/rows.js';
import type { components } from '../../generated/app-types.js';
import type { PersonRow } from '../../people/rows.js';

export interface EntryQuery {
  readonly from: string;
  readonly to: string;
  readonly cursor?: string;
  readonly limit?: number;
}

/** @param callerId the cursor belongs to whoever reads */
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
  const rows = await listEntries(reader, {
    companyId: person.company_id,
    personId: person.id,
    ...period,
    after,
    limit: limit + 1,
  });
  return pageOf(rows, limit, presentEntry, (last) => cursors.write(binding, { date: last.date, id: last.id }));
}
