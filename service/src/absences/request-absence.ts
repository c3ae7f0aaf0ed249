/** Requests an absence, for oneself or for another person. */
import type { Reader } from '@clockproof/platform/database/database';
import { addDays } from '@clockproof/platform/time/local-date';
import { findPerson } from '../people/rows.js';
import type { CompanyId, ExtensionId, PersonId } from '../store/ids.js';
import { invalidField, Refusal } from '../store/refusal.js';
import type { Write } from '../store/write.js';
import { refuseClosedSpan } from '../working-time/closed-months.js';
import { countHalfDays, loadWorkdays, type Workdays } from './days.js';
import { type AbsenceDraft, sameDraft } from './draft.js';
import { recordTransition } from './record-transition.js';
import {
  type AbsenceRow,
  type ApprovalRule,
  clearExternalId,
  findAbsence,
  findByExternalId,
  insertAbsence,
  listTouching,
  lockAbsences,
  maxSpanDays,
  type NamedAbsence,
  updateAbsence,
} from './rows.js';
import { refuseHalfDay, refuseOutsideEmployment, refuseOverlap, validateSpan } from './rules.js';
import { counts } from './state.js';
import { type AbsenceType, absenceTypesOf, offeredType } from './types.js';

/** How an absence was recorded, and who owns it from then on. */
export interface Author {
  readonly kind: AbsenceRow['author_kind'];
  /** The person who records it, if a person does. */
  readonly personId?: PersonId;
  /** The extension that creates it, for itself or through a personal link: the only one that may change it later. */
  readonly extension?: { readonly id: string; readonly name: string; readonly leading: boolean };
}

export interface AbsenceRequest {
  readonly personId: PersonId;
  readonly companyId: CompanyId;
  readonly draft: AbsenceDraft;
  readonly externalId?: string;
  readonly author: Author;
  /** Gives back approved vacation on these days; see {@link returnVacation}. */
  readonly returnsVacation?: boolean;
}

export interface RequestedAbsence {
  readonly absence: NamedAbsence;
  readonly created: boolean;
}

/**
 * Records an absence: row, audit entry and event, or nothing. The same `externalId` with the same data creates nothing
 * and returns the existing absence in its current state.
 * @throws Refusal `not_found`, `invalid_request`, `external_id_conflict`, `absence_type_unknown`,
 * `half_day_not_allowed`, `employment_ended`, `month_closed`, `absence_overlap`
 */
export async function requestAbsence(
  write: Write,
  { personId, companyId, draft, externalId, author, returnsVacation = false }: AbsenceRequest,
): Promise<RequestedAbsence> {
  const { at } = write;
  validateSpan(draft);
  const person = await findPerson(write, personId, { company: companyId });
  if (person === undefined) throw new Refusal('not_found');
  const ledger = await lockAbsences(write, personId);
  const extension = author.extension;
  const repeated =
    extension === undefined || externalId === undefined
      ? undefined
      : await findRepeated(write, { extensionId: extension.id, personId, externalId, draft });
  if (repeated !== undefined) return { absence: repeated, created: false };

  const types = await absenceTypesOf(write, person.company_id);
  const type = await offeredType(write, person.company_id, draft.type);
  refuseHalfDay(type, draft);
  const workdays = await loadWorkdays(write, person);
  if (returnsVacation) await returnVacation(write, personId, draft, { type, types, workdays });
  await refuseOverlap(write, draft, { personId, types });
  const halfDays = countHalfDays(draft, workdays);
  if (extension !== undefined && externalId !== undefined)
    await releaseExternalId(write, extension.id, personId, externalId);

  await refuseOutsideEmployment(write, personId, draft);
  await refuseClosedSpan(write, person.company_id, draft.start_date, draft.end_date);
  const absence = await insertAbsence(write, {
    company_id: person.company_id,
    person_id: personId,
    ...draft,
    half_days: halfDays,
    status: needsApproval(type, ledger.approval, author) ? 'waiting' : 'approved',
    extension_id: extension?.id ?? null,
    external_id: externalId ?? null,
    author_kind: author.kind,
    author_person_id: author.personId ?? null,
    author_name: extension?.name ?? null,
    created_at: at,
    updated_at: at,
  });
  await recordTransition(write, {
    event: absence.status === 'waiting' ? 'leave.requested' : 'leave.approved',
    action: 'absence.requested',
    absence,
    types,
  });
  return { absence, created: true };
}

/** A request with an id of the extension's own. */
export interface ExternalRequest {
  readonly extensionId: ExtensionId;
  readonly personId: PersonId;
  readonly externalId: string;
  readonly draft: AbsenceDraft;
}

/**
 * The absence that an extension created with this id for this person, if the data is the same. One that was taken back
 * does not count: its id is free again.
 * @throws Refusal `external_id_conflict` different kind, days, half day or comment; the body names the absence
 */
export async function findRepeated(
  reader: Reader,
  { extensionId, personId, externalId, draft }: ExternalRequest,
): Promise<NamedAbsence | undefined> {
  const known = await findByExternalId(reader, extensionId, personId, externalId);
  if (known === undefined || isTakenBack(known)) return undefined;
  if (!sameDraft(known, draft)) throw new Refusal('external_id_conflict', { extra: { id: known.id } });
  return known;
}

const isTakenBack = ({ status }: NamedAbsence) => status === 'withdrawn' || status === 'cancelled';

/** The id of an absence that was taken back goes to the one that is created with it now. */
async function releaseExternalId(
  write: Write,
  extensionId: ExtensionId,
  personId: PersonId,
  externalId: string,
): Promise<void> {
  const known = await findByExternalId(write, extensionId, personId, externalId);
  if (known === undefined) return;
  await clearExternalId(write, known.id, write.at);
}

/**
 * An absence recorded by a leading system or an approver is already decided; otherwise the person's rule applies, then
 * the kind's.
 */
function needsApproval(type: AbsenceType, rule: ApprovalRule, author: Author): boolean {
  if (author.extension?.leading === true || author.kind === 'admin' || rule === 'never') return false;
  return rule === 'always' || type.requiresApproval;
}

/**
 * Vacation that turns out to be something else, such as sickness, is given back (§9 BUrlG).
 *
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
  if (draft.half_day !== null)
    throw invalidField('returns_vacation', 'contradiction', 'Only whole days of vacation are given back.');
  const kinds = new Set(types.filter(({ countsAsVacation }) => countsAsVacation).map(({ key }) => key));
  const { start_date: from, end_date: to } = draft;
  const because = 'returned';
  for (const row of await listTouching(write, { personId, from, to, earliest: addDays(from, 1 - maxSpanDays) })) {
    if (!kinds.has(row.type) || !counts(row.status)) continue;
    const before = (await findAbsence(write, row.id, { company: row.company_id }))!;
    const stored = { ...before, updated_at: write.at };
    if (row.start_date >= from && row.end_date <= to) {
      const absence = await updateAbsence(write, { ...stored, status: 'cancelled' });
      const step = { event: 'leave.cancelled', action: 'absence.cancelled' } as const;
      await recordTransition(write, { ...step, absence, before, types, because });
      continue;
    }
    const first = { start_date: row.start_date, end_date: addDays(from, -1) };
    const last = { start_date: addDays(to, 1), end_date: row.end_date };
    const kept = row.start_date < from ? first : last;
    const absence = await updateAbsence(write, {
      ...stored,
      ...kept,
      half_days: countHalfDays({ ...row, ...kept }, workdays),
    });
    const step = { event: 'leave.changed', action: 'absence.changed' } as const;
    await recordTransition(write, { ...step, absence, before, types, because });
    if (row.start_date >= from || row.end_date <= to) continue;
    const { id: _, ...copied } = row;
    const rest = await insertAbsence(write, {
      ...copied,
      ...last,
      half_days: countHalfDays({ ...row, ...last }, workdays),
      status: 'approved',
      external_id: null,
      created_at: write.at,
      updated_at: write.at,
    });
    const added = { event: 'leave.approved', action: 'absence.requested' } as const;
    await recordTransition(write, { ...added, absence: rest, types, because });
  }
}
