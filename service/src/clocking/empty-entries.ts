/**
 * Entries without a minute, clocked in by mistake and out again. They do not keep anybody from recording the real work
 * around them; they are struck out with it, so that no two counting entries overlap.
 */
import { refuseClosedMonth } from '../months/months.js';
import type { Write } from '../write/write.js';
import { type EntryRow, listEmptyEntries, moveEntry } from './rows.js';
import { recordVersion } from './versions.js';

/**
 * Strikes out those that the times of an entry cover.
 * @param entry as it counts from now on
 * @throws Refusal `month_closed` one of them lies in a closed month
 */
export async function strikeOutCovered(
  write: Write,
  entry: EntryRow,
  { by, reason }: { readonly by: number; readonly reason: string | null },
): Promise<void> {
  const { at } = write;
  const { person_id: personId, start_at: start, end_at: end, id: except } = entry;
  for (const before of end === null ? [] : await listEmptyEntries(write, { personId, start, end, except })) {
    await refuseClosedMonth(write, before.company_id, before.date);
    const changed = await write.allocateSequence();
    const after = await moveEntry(write, { ...before, status: 'rejected', updated_at: at, changed });
    await recordVersion(write, { before, after, change: 'struck_out', by, reason, at });
    await write.audit({
      companyId: before.company_id,
      action: 'entry.struck_out',
      subject: `person ${personId}`,
      details: { entry: before.id },
    });
  }
}
