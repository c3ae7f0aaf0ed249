/**
 * The four clock operations of the pages: the person stamps for themselves, by the same rule as through every other
 * door.
 */
import type { Database } from '@clockproof/platform/database/database';
import { formatInstant, type Instant } from '@clockproof/platform/time/instant';
import type { StampKind } from '../../clocking/clock-state.js';
import { presentClock, presentEntry } from '../../clocking/present.js';
import { stamp } from '../../clocking/stamp.js';
import type { components } from '../../generated/app-types.js';
import { findPerson } from '../../people/rows.js';
import { Refusal } from '../../refusal.js';
import { actorOf, type PersonCaller } from '../caller.js';

export async function clockMyself(
  db: Database,
  kind: StampKind,
  { caller, at }: { readonly caller: PersonCaller; readonly at: Instant },
): Promise<{ readonly status: 200; readonly body: components['schemas']['ClockResult'] }> {
  const { clock, entry, warnings } = await db.write(async (tx) => {
    const person = await findPerson(tx, caller.person.id, caller.person.company_id);
    if (person === undefined) throw new Refusal('not_found');
    return stamp(tx, { person, kind, at, source: { kind: 'web' }, actor: actorOf(caller) });
  });
  return {
    status: 200,
    body: {
      clock_state: presentClock(clock),
      time_entry: presentEntry(entry),
      server_time: formatInstant(at),
      warnings: [...warnings],
    },
  };
}
