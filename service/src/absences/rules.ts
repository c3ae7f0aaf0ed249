/**
 * The rules for every write to an absence, from every entry point, and how a caller opens the absence they want to
 * change.
 */
import type { Reader } from '@clockproof/platform/database/database';
import { entityTagOf } from '@clockproof/platform/http/conditional';
import { addDays, daysInclusive } from '@clockproof/platform/time/local-date';
import { refuseUnemployed } from '../people/employment.js';
import { findPersonAnywhere } from '../people/rows.js';
import { allCompanies } from '../store/every-company.js';
import type { AbsenceId, ExtensionId, PersonId } from '../store/ids.js';
import { invalidField, Refusal } from '../store/refusal.js';
import type { TenantScope } from '../store/scope.js';
import type { Write } from '../store/write.js';
import type { AbsenceDraft } from './draft.js';
import {
  type AbsenceRow,
  type ApprovalRule,
  findAbsence,
  listTouching,
  lockAbsences,
  maxSpanDays,
  type NamedAbsence,
} from './rows.js';
import { type AbsenceRole, counts } from './state.js';
import type { AbsenceType } from './types.js';

/** @throws Refusal `invalid_request` it ends before it begins, is longer than 366 days, or is half a day of several */
export function validateSpan({ start_date, end_date, half_day }: AbsenceDraft): void {
  if (end_date < start_date) throw invalidField('end_date', 'before_start', 'The absence ends before it begins.');
  if (daysInclusive(start_date, end_date) > maxSpanDays)
    throw invalidField('end_date', 'too_long', `An absence covers at most ${maxSpanDays} days.`);
  if (half_day !== null && start_date !== end_date)
    throw invalidField('half_day', 'contradiction', 'Half a day begins and ends on the same day.');
}

/** @throws Refusal `half_day_not_allowed` */
export function refuseHalfDay(type: AbsenceType, { half_day }: AbsenceDraft): void {
  if (half_day !== null && !type.halfDay)
    throw new Refusal('half_day_not_allowed', {
      details: [{ field: 'half_day', code: 'not_allowed', error: 'This kind is given for whole days only.' }],
    });
}

/** The person's rule applies, then the kind's. */
export function needsApproval(type: AbsenceType, rule: ApprovalRule): boolean {
  return rule === 'always' || (rule === 'by_type' && type.requiresApproval);
}

type Span = Pick<AbsenceDraft, 'start_date' | 'end_date'>;

/**
 * Call it after allocating a sequence number: ending an employment allocates one too, so one of the two sees the other.
 * @throws Refusal `employment_ended` a day of it is outside the person's employment; `not_found` the person was erased
 * meanwhile
 */
export async function refuseOutsideEmployment(
  reader: Reader,
  personId: PersonId,
  { start_date, end_date }: Span,
): Promise<void> {
  const person = await findPersonAnywhere(reader, personId);
  if (person === undefined) throw new Refusal('not_found');
  refuseUnemployed(person, start_date);
  refuseUnemployed(person, end_date);
}

/**
 * A half day belongs to one absence. Only two different kinds of working elsewhere, such as a business trip during a
 * month of home office, can share it.
 * @param except the absence that is being changed
 * @param returnsVacation approved vacation is not in its way: it will be given back
 * @throws Refusal `absence_overlap`
 */
export async function refuseOverlap(
  reader: Reader,
  draft: AbsenceDraft,
  {
    personId,
    types,
    except,
    returnsVacation = false,
  }: {
    readonly personId: PersonId;
    readonly types: readonly AbsenceType[];
    readonly except?: AbsenceId;
    readonly returnsVacation?: boolean;
  },
): Promise<void> {
  const absences = await listTouching(reader, {
    personId,
    from: draft.start_date,
    to: draft.end_date,
    earliest: addDays(draft.start_date, 1 - maxSpanDays),
  });
  const typeOf = ({ type }: Pick<AbsenceRow, 'type'>) => types.find(({ key }) => key === type);
  const givesWay = (other: AbsenceRow) =>
    returnsVacation && counts(other.status) && typeOf(other)?.countsAsVacation === true;
  const blockingAbsence = absences.find(
    (absence) =>
      absence.id !== except &&
      !givesWay(absence) &&
      !sharesNoHalf(absence, draft) &&
      !mayShare(typeOf(draft), typeOf(absence)),
  );
  if (blockingAbsence !== undefined) throw new Refusal('absence_overlap');
}

/**
 * Two halves of one day. If two absences overlap, a half-day one covers a single day, so both halves are on the same
 * date.
 */
function sharesNoHalf(absence: AbsenceRow, draft: AbsenceDraft): boolean {
  return absence.half_day !== null && draft.half_day !== null && absence.half_day !== draft.half_day;
}

function mayShare(first: AbsenceType | undefined, second: AbsenceType | undefined): boolean {
  return first?.overlapClass === 'elsewhere' && second?.overlapClass === 'elsewhere' && first.key !== second.key;
}

/** The caller and their tenant scope. */
export type AbsenceAccess = {
  /** The version they read (`If-Match`): `*` or an entity tag. */
  readonly ifMatch?: string | undefined;
} & (
  | {
      readonly by: 'extension';
      readonly extensionId: ExtensionId;
      /** With a personal link: its person. */
      readonly scope: TenantScope;
      readonly leading: boolean;
    }
  | { readonly by: 'person'; readonly personId: PersonId }
  | { readonly by: 'approver'; readonly scope: TenantScope }
);

/**
 * RFC 9110 §8.8.3: the version is the sequence number of the last change, which is unique to this version of the
 * record.
 */
export function entityTag({ changed: version }: Pick<NamedAbsence, 'changed'>): string {
  return `"v${version}"`;
}

/** The tag of an answer that can be revalidated. It also covers names beside the absence, such as that of its kind. */
export function answerTag({ changed: version }: Pick<NamedAbsence, 'changed'>, json: string): string {
  return `"v${version}-${entityTagOf(json).slice(1)}`;
}

/** `If-Match` covers the absence alone: a changed name beside it is no conflict. */
function isVersion(tag: string, { changed: version }: Pick<NamedAbsence, 'changed'>): boolean {
  return tag === '*' || /^"v(\d+)[-"]/.exec(tag)?.[1] === String(version);
}

/**
 * The absence under the lock, and the caller's role for it. Absences of another extension, person or company are not
 * found.
 * @throws Refusal `not_found`, `precondition_failed`
 */
export async function openAbsence(
  write: Write,
  id: number,
  access: AbsenceAccess,
): Promise<{ readonly absence: NamedAbsence; readonly role: AbsenceRole }> {
  const scope = access.by === 'person' ? { ...allCompanies, person: access.personId } : access.scope;
  const unlockedAbsence = await findAbsence(write, id, scope);
  if (
    unlockedAbsence === undefined ||
    (access.by === 'extension' && unlockedAbsence.extension_id !== access.extensionId)
  )
    throw new Refusal('not_found');
  await lockAbsences(write, unlockedAbsence.person_id);
  const absence = await findAbsence(write, id, scope);
  if (absence === undefined) throw new Refusal('not_found');
  if (access.ifMatch !== undefined && !isVersion(access.ifMatch, absence)) throw new Refusal('precondition_failed');
  return {
    absence,
    role:
      access.by === 'approver'
        ? 'approver'
        : access.by === 'extension' && access.leading
          ? 'leading_system'
          : 'requester',
  };
}
