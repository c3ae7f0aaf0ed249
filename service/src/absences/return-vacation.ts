/** Vacation that turns out to be something else, such as sickness, is given back (§9 BUrlG). */
import { addDays } from '@clockproof/platform/time/local-date';
import { invalidField } from '../refusal.js';
import type { Write } from '../write/write.js';
import { countHalfDays, type Workdays } from './days.js';
import { recordTransition } from './record-transition.js';
import { findAbsence, insertAbsence, listTouching, maxSpanDays, updateAbsence } from './rows.js';
import type { AbsenceDraft } from './rules.js';
import { counts } from './state.js';
import type { AbsenceType } from './types.js';

/**
 * Takes the days of an absence out of approved vacation: what lies within is cancelled, what reaches beyond is shortened,
 * and what surrounds it is divided. Call it with the person's absences locked. Vacation that still waits is left, so that
 * it overlaps.
 * @throws Refusal `invalid_request` the absence is vacation itself, or half a day
 */
export async function returnVacation(
  write: Write,
  personId: number,
  draft: AbsenceDraft,
  {
    type,
    types,
    workdays,
  }: { readonly type: AbsenceType; readonly types: readonly AbsenceType[]; readonly workdays: Workdays },
): Promise<void> {
  if (type.countsAsVacation || type.overlapClass !== 'away')
    throw invalidField('returns_vacation', 'contradiction', 'This kind gives no vacation back.');
  if (draft.halfDay !== null)
    throw invalidField('returns_vacation', 'contradiction', 'Only whole days of vacation are given back.');
  const kinds = new Set(types.filter(({ countsAsVacation }) => countsAsVacation).map(({ key }) => key));
  const { startDate: from, endDate: to } = draft;
  const because = 'returned';
  for (const row of await listTouching(write, { personId, from, to, earliest: addDays(from, 1 - maxSpanDays) })) {
    if (!kinds.has(row.type) || !counts(row.status)) continue;
    const before = (await findAbsence(write, row.id, { company: row.company_id }))!;
    const changed = await write.allocateSequence();
    const stored = { ...before, updated_at: write.at, changed };
    if (row.start_date >= from && row.end_date <= to) {
      const absence = await updateAbsence(write, { ...stored, status: 'cancelled' });
      const step = { event: 'leave.cancelled', action: 'absence.cancelled' } as const;
      await recordTransition(write, { ...step, absence, before, types, because });
      continue;
    }
    const first = { start: row.start_date, end: addDays(from, -1) };
    const last = { start: addDays(to, 1), end: row.end_date };
    const kept = row.start_date < from ? first : last;
    const daysOf = ({ start, end }: typeof kept) =>
      countHalfDays({ startDate: start, endDate: end, halfDay: row.half_day }, workdays);
    const absence = await updateAbsence(write, {
      ...stored,
      start_date: kept.start,
      end_date: kept.end,
      half_days: daysOf(kept),
    });
    const step = { event: 'leave.changed', action: 'absence.changed' } as const;
    await recordTransition(write, { ...step, absence, before, types, because });
    if (row.start_date >= from || row.end_date <= to) continue;
    const { id: _, ...copied } = row;
    const rest = await insertAbsence(write, {
      ...copied,
      start_date: last.start,
      end_date: last.end,
      half_days: daysOf(last),
      status: 'approved',
      external_id: null,
      created_at: write.at,
      updated_at: write.at,
      changed: await write.allocateSequence(),
    });
    const added = { event: 'leave.approved', action: 'absence.requested' } as const;
    await recordTransition(write, { ...added, absence: rest, types, because });
  }
}
