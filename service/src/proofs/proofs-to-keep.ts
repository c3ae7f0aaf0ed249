/** A notice tells people who leave soon to download their proofs: once deactivated, they can no longer sign in. */
import { formatInstant, hour, type Instant } from '@clockproof/platform/time/instant';
import { addDays, type LocalDate, localDateAt, startOfDay } from '@clockproof/platform/time/local-date';
import type { ZoneName } from '@clockproof/platform/time/zone';
import { notify } from '../inbox/notices.js';
import { findPersonAnywhere } from '../people/rows.js';
import type { Store } from '../store/write.js';
import { listLeaversWithoutNotice } from './rows.js';

const daysBefore = 14;
/** Hours after midnight. No notice is sent at night. */
const morning = 6;

export async function tellProofsToKeep(db: Store, at: Instant): Promise<void> {
  const today = formatInstant(at).slice(0, 10);
  // It is a day earlier or later elsewhere.
  const people = await listLeaversWithoutNotice(db, addDays(today, -1), addDays(today, daysBefore + 1));
  for (const { id } of people) {
    // If the process stops after some of them, the others get theirs the next time.
    await db.write({ actor: { kind: 'system' }, at }, async (write) => {
      write.unaudited('reminder');
      const person = await findPersonAnywhere(write, id);
      const day = person?.employment_end ?? null;
      if (person === undefined || day === null || !isNear(day, person.time_zone, at)) return;
      await notify(write, [id], { kind: 'proofs_to_keep', day });
    });
  }
}

/** In the last two weeks, and not at night. */
function isNear(lastDay: LocalDate, timeZone: ZoneName, at: Instant): boolean {
  const today = localDateAt(at, timeZone);
  return (
    today <= lastDay && lastDay <= addDays(today, daysBefore) && at >= startOfDay(today, timeZone) + morning * hour
  );
}
