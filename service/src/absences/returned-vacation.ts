/**
 * Vacation that turns out to be something else, such as sickness, is given back (§9 BUrlG). The absence remembers which
 * days were vacation, so that they can be vacation again if it ends early.
 */
import type { Reader } from '@clockproof/platform/database/database';
import { addDays } from '@clockproof/platform/time/local-date';
import type { PersonId } from '../store/ids.js';
import { invalidField } from '../store/refusal.js';
import type { Write } from '../store/write.js';
import { countHalfDays, type Workdays } from './days.js';
import { type AbsenceDraft, draftOf } from './draft.js';
import { recordTransition } from './record-transition.js';
import { intersectionOf, type ReturnedSpan, returnedSpans, type Span } from './returned-spans.js';
import {
  type AbsenceRow,
  findAbsence,
  insertAbsence,
  listTouching,
  maxSpanDays,
  type NamedAbsence,
  updateAbsence,
} from './rows.js';
import { counts } from './state.js';
import type { AbsenceType } from './types.js';

/** Whether absences of a kind can give vacation back. */
export function mayReturnVacation(type: AbsenceType): boolean {
  return !type.countsAsVacation && type.overlapClass === 'away';
}

/** @throws Refusal `invalid_request` the absence is vacation itself, work elsewhere, or half a day */
export function refuseReturn(type: AbsenceType, { half_day }: AbsenceDraft): void {
  if (!mayReturnVacation(type))
    throw invalidField('returns_vacation', 'contradiction', 'This kind gives no vacation back.');
  if (half_day !== null)
    throw invalidField('returns_vacation', 'contradiction', 'Only whole days of vacation are given back.');
}

/** The approved vacation of a person on some days. */
async function vacationOn(
  reader: Reader,
  personId: PersonId,
  { start_date: from, end_date: to }: Span,
  types: readonly AbsenceType[],
): Promise<AbsenceRow[]> {
  const kinds = new Set(types.filter(({ countsAsVacation }) => countsAsVacation).map(({ key }) => key));
  const absences = await listTouching(reader, { personId, from, to, earliest: addDays(from, 1 - maxSpanDays) });
  return absences.filter(({ type, status }) => kinds.has(type) && counts(status));
}

/** Working days of vacation, in halves, that an absence has given back, or will once it is approved. */
export async function returnedHalfDays(
  reader: Reader,
  absence: NamedAbsence,
  { types, workdays }: { readonly types: readonly AbsenceType[]; readonly workdays: Workdays },
): Promise<number> {
  if (absence.returned_vacation === null) return 0;
  let halfDays = 0;
  if (absence.status === 'waiting')
    for (const row of await vacationOn(reader, absence.person_id, absence, types))
      halfDays += countHalfDays({ ...row, ...intersectionOf(row, absence)! }, workdays);
  for (const { vacation, ...span } of returnedSpans(absence)) {
    const row = await findAbsence(reader, vacation, { company: absence.company_id });
    halfDays += countHalfDays({ half_day: row?.half_day ?? null, ...span }, workdays);
  }
  return halfDays;
}

/**
 * Takes the days of an absence out of approved vacation: vacation within it is cancelled, vacation that reaches beyond
 * is shortened, and vacation around it is divided. Call it with the person's absences locked. Waiting vacation is left
 * alone, so that it overlaps.
 * @returns the days that were vacation
 */
export async function returnVacation(
  write: Write,
  personId: PersonId,
  draft: Span,
  { types, workdays }: { readonly types: readonly AbsenceType[]; readonly workdays: Workdays },
): Promise<ReturnedSpan[]> {
  const { start_date: from, end_date: to } = draft;
  const reason = 'returned';
  const returnedDays: ReturnedSpan[] = [];
  for (const row of await vacationOn(write, personId, draft, types)) {
    returnedDays.push({ vacation: row.id, ...intersectionOf(row, draft)! });
    const before = (await findAbsence(write, row.id, { company: row.company_id }))!;
    const touchedRow = { ...before, updated_at: write.at };
    if (row.start_date >= from && row.end_date <= to) {
      const absence = await updateAbsence(write, { ...touchedRow, status: 'cancelled' });
      const step = { event: 'leave.cancelled', action: 'absence.cancelled' } as const;
      await recordTransition(write, { ...step, absence, before, types, because: reason });
      continue;
    }
    const first = { start_date: row.start_date, end_date: addDays(from, -1) };
    const last = { start_date: addDays(to, 1), end_date: row.end_date };
    const keptSpan = row.start_date < from ? first : last;
    const absence = await updateAbsence(write, {
      ...touchedRow,
      ...keptSpan,
      half_days: countHalfDays({ ...row, ...keptSpan }, workdays),
    });
    const step = { event: 'leave.changed', action: 'absence.changed' } as const;
    await recordTransition(write, { ...step, absence, before, types, because: reason });
    if (row.start_date >= from || row.end_date <= to) continue;
    await insertVacation(write, row, last, { types, workdays, because: reason });
  }
  return returnedDays;
}

/**
 * Makes vacation again of the days an absence has freed, as far as they were vacation. Call it after the absence is
 * shortened or cancelled.
 */
export async function restoreVacation(
  write: Write,
  { company_id: company }: Pick<AbsenceRow, 'company_id'>,
  spans: readonly ReturnedSpan[],
  { types, workdays }: { readonly types: readonly AbsenceType[]; readonly workdays: Workdays },
): Promise<void> {
  for (const { vacation, ...span } of spans) {
    const row = await findAbsence(write, vacation, { company });
    if (row !== undefined) await insertVacation(write, row, span, { types, workdays, because: 'restored' });
  }
}

/** Inserts another part of an approved vacation. */
async function insertVacation(
  write: Write,
  vacation: AbsenceRow,
  span: Span,
  {
    types,
    workdays,
    because,
  }: {
    readonly types: readonly AbsenceType[];
    readonly workdays: Workdays;
    readonly because: 'returned' | 'restored';
  },
): Promise<void> {
  const { company_id, person_id, extension_id, author_kind, author_person_id, author_name } = vacation;
  const draft = draftOf({ ...vacation, ...span });
  const absence = await insertAbsence(write, {
    company_id,
    person_id,
    ...draft,
    half_days: countHalfDays(draft, workdays),
    status: 'approved',
    extension_id,
    external_id: null,
    author_kind,
    author_person_id,
    author_name,
    returned_vacation: null,
    created_at: write.at,
    updated_at: write.at,
  });
  await recordTransition(write, { event: 'leave.approved', action: 'absence.requested', absence, types, because });
}
