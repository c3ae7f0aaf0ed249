/**
 * The end of an employment, whichever entry point sets it: nothing of the person stays behind that they could no longer
 * end themselves.
 */

import { localDateAt } from '@clockproof/platform/time/local-date';
import { type EndedAbsence, endAbsencesAfter } from '../absences/end-absences.js';
import { type EntryResolution, resolveOpenEntry } from '../clock/resolve-open-entry.js';
import { countWorkAfter } from '../clock/rows.js';
import type { PersonRow } from '../people/rows.js';
import type { Write } from '../store/write.js';

export interface EmploymentEnd {
  readonly openEntry: EntryResolution | undefined;
  readonly absences: readonly EndedAbsence[];
  /** Finished entries after the last day; they stay. */
  readonly entriesAfter: number;
}

/**
 * Resolves records after the last day: an open entry once the employment is over, and absences. The person is locked.
 * @param person after the change
 */
export async function resolveAfterEmployment(
  write: Write,
  person: PersonRow,
  by: PersonRow,
): Promise<EmploymentEnd | undefined> {
  const lastDay = person.employment_end;
  if (lastDay === null) return undefined;
  const isOver = person.active === 0 || lastDay < localDateAt(write.at, person.time_zone);
  return {
    openEntry: isOver ? await resolveOpenEntry(write, person, { lastDay, by: by.id }) : undefined,
    absences: await endAbsencesAfter(write, person, lastDay),
    entriesAfter: await countWorkAfter(write, person.id, lastDay),
  };
}
