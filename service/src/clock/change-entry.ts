/** Entries that change without a stamp: the row, and the event with the record. */
import type { Write } from '../store/write.js';
import { type EntryRow, insertEntry, type MovedEntry, moveEntry, type NewEntryRow } from './rows.js';
import { presentEntry } from './time-entry.js';

export async function addEntry(write: Write, row: NewEntryRow): Promise<EntryRow> {
  return announce(write, await insertEntry(write, row));
}

/** New times or another status, which may put the entry on another day. */
export async function changeEntry(write: Write, entry: MovedEntry): Promise<EntryRow> {
  return announce(write, await moveEntry(write, entry));
}

async function announce(write: Write, entry: EntryRow): Promise<EntryRow> {
  const { company_id: companyId, person_id: personId } = entry;
  await write.event({ type: 'time_entry.changed', companyId, personId, data: presentEntry(entry) });
  return entry;
}
