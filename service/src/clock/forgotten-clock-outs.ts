/** People who have probably forgotten to clock out get a notice in the morning after, once for each entry. */
import { hour, type Instant } from '@clockproof/platform/time/instant';
import { addDays, startOfDay } from '@clockproof/platform/time/local-date';
import { notify } from '../inbox/notices.js';
import type { Store } from '../store/write.js';
import { presentFinding, type Warning } from '../working-time/warnings.js';
import { type ClockRow, type ForgottenEntry, findOpenEntry, listOpenEntriesWithoutReminder } from './rows.js';
import { forgottenClockOut, longestPresence } from './stamp-decision.js';

/** Nobody gets a notice at night. Hours after midnight. */
const morning = 6;

export async function tellForgottenClockOuts(db: Store, at: Instant): Promise<void> {
  for (const entry of await listOpenEntriesWithoutReminder(db, at - longestPresence)) {
    if (at < morningAfter(entry)) continue;
    // If the process dies after some of them, the others get theirs the next time.
    await db.write({ actor: { kind: 'system' }, at }, async (write) => {
      write.unaudited('reminder');
      if ((await findOpenEntry(write, entry.person_id))?.id !== entry.id) return;
      const { id, date, person_id: person } = entry;
      await notify(write, [person], { kind: 'clock_out_missing', entry: id, day: date });
    });
  }
}

function morningAfter({ date, time_zone: timeZone }: ForgottenEntry): Instant {
  return startOfDay(addDays(date, 1), timeZone) + morning * hour;
}

export function hintsAt({ state, since }: ClockRow, language: string, at: Instant): Warning[] {
  if (state === 'out' || since === null) return [];
  return forgottenClockOut(since, at).map((finding) => presentFinding(finding, language));
}
