/** An employment ends while the person is clocked in, or they are still clocked in after it. */

import { day, type Instant } from '@clockproof/platform/time/instant';
import { addDays, type LocalDate, localDateAt, startOfDay } from '@clockproof/platform/time/local-date';
import { utc } from '@clockproof/platform/time/zone';
import { dayInLanguage, inLanguage } from '../people/language.js';
import { findPersonAnywhere, type PersonRow } from '../people/rows.js';
import type { PersonId } from '../store/ids.js';
import type { Store, Write } from '../store/write.js';
import { closedInSpan } from '../working-time/closed-month-rows.js';
import { changeEntry } from './change-entry.js';
import { endClock, lastKnown } from './corrections.js';
import { type EntryRow, findOpenEntry, listClockedInAfterLastDay, lockClock } from './rows.js';
import { correctStamps, readBreaks, writeBreaks } from './time-entry.js';
import { recordVersion } from './versions.js';

export interface EntryResolution {
  /** As it is now, with its end. */
  readonly entry: EntryRow;
  readonly outcome: 'ended' | 'struck_out';
}

type Employed = Pick<PersonRow, 'id' | 'company_id' | 'time_zone' | 'language' | 'employment_end'>;

/** The last day of an employment that is over at an instant. */
export function lastDayBefore(
  at: Instant,
  { employment_end: lastDay, time_zone: timeZone }: Pick<Employed, 'employment_end' | 'time_zone'>,
): LocalDate | undefined {
  return lastDay !== null && lastDay < localDateAt(at, timeZone) ? lastDay : undefined;
}

/** Ends the open entries of people whose last day has passed, so that it does not matter when it was set. */
export async function endClocksAfterLastDay(db: Store, at: Instant): Promise<void> {
  // If the process dies after some of them, the others follow the next time.
  for (const id of await listClockedInAfterLastDay(db, localDateAt(at + day, utc)))
    await db.write({ actor: { kind: 'system' }, at }, async (write) => {
      await write.lock({ people: [id] });
      const person = await findPersonAnywhere(write, id);
      const lastDay = person && lastDayBefore(at, person);
      const endedEntry =
        lastDay === undefined ? undefined : await resolveOpenEntry(write, person!, { lastDay, by: null });
      if (endedEntry === undefined) write.unaudited('attempt');
    });
}

/**
 * Ends the open entry now, or at the end of the last day if that is over. An entry that began after the last day, or in
 * a closed month, counts as no work and is struck out. An approver can correct either.
 * @param by the person who ends the employment or stamps after it; null for the service
 */
export async function resolveOpenEntry(
  write: Write,
  person: Employed,
  { lastDay, by }: { readonly lastDay: LocalDate; readonly by: PersonId | null },
): Promise<EntryResolution | undefined> {
  const { at } = write;
  const clock = await lockClock(write, person.id);
  const before = await findOpenEntry(write, person.id);
  if (before === undefined) return undefined;
  const month = before.date.slice(0, 7);
  const isCounted = before.date <= lastDay && !(await closedInSpan(write, person.company_id, month, month));
  const end = isCounted
    ? Math.max(lastKnown(before), Math.min(at, startOfDay(addDays(lastDay, 1), person.time_zone)))
    : lastKnown(before);
  const times = {
    start_at: before.start_at,
    end_at: end,
    breaks: writeBreaks(readBreaks(before.breaks).map((pause) => ({ start: pause.start, end: pause.end ?? end }))),
  };
  const after = await changeEntry(write, {
    ...before,
    ...times,
    stamps: correctStamps(before, times),
    status: isCounted ? 'recorded' : 'rejected',
    updated_at: at,
  });
  const change = isCounted ? 'corrected' : 'struck_out';
  const day = dayInLanguage(person.language, lastDay);
  const reason = inLanguage(person.language, {
    de: `Das Arbeitsverhältnis endete am ${day}.`,
    en: `The employment ended on ${day}.`,
  });
  await recordVersion(write, { before, after, change, by, reason, at });
  await endClock(write, clock, after);
  await write.audit({
    companyId: person.company_id,
    action: `entry.${change}`,
    subject: `person ${person.id}`,
    details: { entry: after.id, because: 'employment_ended' },
  });
  return { entry: after, outcome: isCounted ? 'ended' : 'struck_out' };
}
