/** Change of a company's time zone: entries and requests in open months move to the date on which they began there. */
import { type LocalDate, localDateAt } from '@clockproof/platform/time/local-date';
import type { ZoneName } from '@clockproof/platform/time/zone';
import { moveRequest } from '../inbox/approvals.js';
import type { CompanyId } from '../store/ids.js';
import { Refusal } from '../store/refusal.js';
import { update } from '../store/tables.js';
import type { Write } from '../store/write.js';
import { firstOpenDay } from '../working-time/closed-months.js';
import { changeEntry } from './change-entry.js';
import { listWaitingCorrections } from './correction-rows.js';
import { findEntryAnywhere, listEntriesFrom } from './rows.js';
import { listWaitingStamps } from './unresolved-stamp-rows.js';

/**
 * Call it in the transaction that changes the zone, with everyone of the company locked.
 * @throws Refusal `month_closed` an entry began on a date of a closed month there
 */
export async function moveToZone(write: Write, companyId: CompanyId, zone: ZoneName): Promise<void> {
  const firstOpen = await firstOpenDay(write, companyId);
  for (const entry of await listEntriesFrom(write, companyId, firstOpen ?? '')) {
    const date = localDateAt(entry.start_at, zone);
    if (date === entry.date) continue;
    if (firstOpen !== undefined && date < firstOpen) throw new Refusal('month_closed');
    await changeEntry(write, { ...entry, date, updated_at: write.at });
    if (entry.status === 'pending')
      await moveRequest(write, { kind: 'offline_stamp', subjectId: entry.id, from: date, to: date });
  }
  for (const { id, stamped_at } of await listWaitingStamps(write, companyId))
    if (stamped_at !== null) await update(write, 'unresolved_stamps', { id }, { date: localDateAt(stamped_at, zone) });
  for (const { id, entry_id, start_at } of await listWaitingCorrections(write, companyId)) {
    const entry = entry_id === null ? undefined : await findEntryAnywhere(write, entry_id);
    const dates: LocalDate[] = entry === undefined ? [] : [entry.date];
    if (start_at !== null) dates.push(localDateAt(start_at, zone));
    const [from, to] = [dates.toSorted()[0]!, dates.toSorted().at(-1)!];
    await moveRequest(write, { kind: 'correction', subjectId: id, from, to });
  }
}
