/** People who have probably forgotten to clock out get a notice in the morning after, once for each entry. */
import { hour, type Instant } from '@clockproof/platform/time/instant';
import { addDays, startOfDay } from '@clockproof/platform/time/local-date';
import { notify } from '../inbox/notices.js';
import type { PersonRow } from '../people/rows.js';
import type { Store } from '../store/write.js';
import { presentFinding, type Warning } from '../working-time/warnings.js';
import { forgottenClockOut, presenceLimit } from './forgotten.js';
import { type ClockRow, type ForgottenEntry, findEntryAnywhere, listEntriesWithoutReminder } from './rows.js';

/** Hours after midnight. No notice is sent at night. */
const morning = 6;

export async function tellForgottenClockOuts(db: Store, at: Instant): Promise<void> {
  for (const entry of await listEntriesWithoutReminder(db, at)) {
    if (at < morningAfter(entry)) continue;
    // If the process dies after some of them, the others get theirs the next time.
    await db.write({ actor: { kind: 'system' }, at }, async (write) => {
      write.unaudited('reminder');
      if ((await findEntryAnywhere(write, entry.id))?.status !== entry.status) return;
      const { id, date, person_id: person } = entry;
      await notify(write, [person], { kind: 'clock_out_missing', entry: id, day: date });
    });
  }
}

function morningAfter({ date, time_zone: timeZone }: ForgottenEntry): Instant {
  return startOfDay(addDays(date, 1), timeZone) + morning * hour;
}

/** True if the person is clocked in for so long that they have probably left. */
export function hasProbablyLeft(
  { state, since }: Pick<ClockRow, 'state' | 'since'>,
  hours: number | null,
  at: Instant,
): boolean {
  return state !== 'out' && since !== null && at - since > presenceLimit(hours);
}

export function hintsAt(
  clock: ClockRow,
  { language, new_day_after_hours: hours }: Pick<PersonRow, 'language' | 'new_day_after_hours'>,
  at: Instant,
): Warning[] {
  if (!hasProbablyLeft(clock, hours, at)) return [];
  return forgottenClockOut(clock.since!, at, presenceLimit(hours)).map((finding) => presentFinding(finding, language));
}
