/** An open entry of an earlier working day stays without an end, because its person begins a new day. */
import { update } from '../store/tables.js';
import type { Write } from '../store/write.js';
import type { EntryRow } from './rows.js';
import { presentClock, presentEntry } from './time-entry.js';

/** The person is out of the entry; apps that follow the clock get it before the new one. */
export async function leaveWithoutEnd(write: Write, entry: EntryRow): Promise<void> {
  const { id, company_id: companyId, person_id: personId, status, updated_at } = entry;
  await update(write, 'time_entries', { id }, { status, updated_at });
  await write.event({
    type: 'clock.out',
    companyId,
    personId,
    data: {
      clock_state: presentClock({ ...outState, person_id: personId, company_id: companyId, updated_at }),
      time_entry: presentEntry(entry),
    },
  });
  await write.audit({
    companyId,
    action: 'entry.clock_out_missing',
    subject: `person ${personId}`,
    details: { entry: id },
  });
}

const outState = {
  state: 'out',
  since: null,
  break_since: null,
  source_kind: null,
  source_id: null,
  source_name: null,
} as const;
