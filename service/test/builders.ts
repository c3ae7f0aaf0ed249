/** People and entries as most tests need them; a test names only what it is about. */
import { addEntry } from '../src/clock/change-entry.js';
import type { NewEntryRow } from '../src/clock/rows.js';
import { type NewPerson, recordPerson } from '../src/people/people.js';
import type { PersonId } from '../src/store/ids.js';
import type { Write } from '../src/store/write.js';

export type Newcomer = Partial<NewPerson>;

/** Adds an employee who reads English. Without a name of their own they are Newt. */
export function hire(write: Write, person: Pick<NewPerson, 'companyId'> & Newcomer): Promise<PersonId> {
  return recordPerson(write, { firstName: 'Newt', lastName: 'Test', role: 'employee', language: 'en', ...person });
}

/** Adds an entry without breaks, of the day on which it starts in UTC. The caller audits. */
export function recordEntry(
  write: Write,
  entry: Pick<NewEntryRow, 'company_id' | 'person_id' | 'start_at' | 'end_at'> & Partial<NewEntryRow>,
): ReturnType<typeof addEntry> {
  return addEntry(write, {
    date: new Date(entry.start_at).toISOString().slice(0, 10),
    breaks: '[]',
    status: 'recorded',
    source_kind: 'web',
    source_id: null,
    source_name: null,
    proof: null,
    comment: null,
    created_at: entry.start_at,
    updated_at: entry.start_at,
    ...entry,
  });
}

/** Of a terminal that had no connection: waits for approval. */
export const offlineStamp = {
  status: 'pending',
  source_kind: 'offline',
  source_id: 'trm_1',
  source_name: 'Gate',
  proof: 'none',
} as const satisfies Partial<NewEntryRow>;
