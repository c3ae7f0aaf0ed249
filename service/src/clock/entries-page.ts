import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import type { components } from '../generated/app-types.js';
import type { Cursors } from '../http/cursor.js';
import { type Page, pageOf } from '../http/page.js';
import { readPeriod } from '../http/period.js';
import type { PersonRow } from '../people/rows.js';
import type { PersonId } from '../store/ids.js';
import { presentSince, revealedTo } from '../working-time/evaluations.js';
import { presentEntriesWithChange } from './present-correction.js';
import { listEntries } from './rows.js';

export interface EntryQuery {
  readonly from: string;
  readonly to: string;
  readonly cursor?: string;
  readonly limit?: number;
}

/** @param caller the owner of the cursor; sees presence at work only if the company shows it to them */
export async function listEntriesPage(
  reader: Reader,
  cursors: Cursors,
  { id: callerId, at }: { readonly id: PersonId; readonly at: Instant },
  person: PersonRow,
  { from, to, cursor, limit = 100 }: EntryQuery,
): Promise<Page<components['schemas']['PersonEntry']>> {
  const period = readPeriod({ from, to })!;
  const binding = ['entriesOfPerson', callerId, person.id, period];
  const after = cursor === undefined ? undefined : cursors.read<{ date: string; id: number }>(binding, cursor);
  const { presence } = await revealedTo(reader, callerId, person);
  const openUntil = presence ? undefined : presentSince(at);
  const rows = await listEntries(
    reader,
    { company: person.company_id, person: person.id },
    { ...period, after, limit: limit + 1, openUntil },
  );
  const presentedEntries = await presentEntriesWithChange(reader, rows);
  return pageOf(rows, limit, presentedEntries, (last) => cursors.write(binding, { date: last.date, id: last.id }));
}
