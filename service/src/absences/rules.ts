/** The rules for every write to an absence, from every entry point. */
import type { Reader } from '@clockproof/platform/database/database';
import { addDays, daysInclusive, type LocalDate } from '@clockproof/platform/time/local-date';
import type { PersonId } from '../ids.js';
import { refuseUnemployed } from '../people/employment.js';
import { findPerson } from '../people/rows.js';
import { invalidField, Refusal } from '../refusal.js';
import { allCompanies } from '../tenant/scope.js';
import { type AbsenceRow, type HalfDay, listTouching, maxSpanDays } from './rows.js';
import type { AbsenceType } from './types.js';

/** The proposed change: the part of an absence that a request or a change sets. */
export interface AbsenceDraft {
  readonly type: string;
  readonly startDate: LocalDate;
  readonly endDate: LocalDate;
  readonly halfDay: HalfDay | null;
  readonly comment: string | null;
}

/** @throws Refusal `invalid_request` it ends before it begins, is longer than 366 days, or is half a day of several */
export function validateSpan({ startDate, endDate, halfDay }: AbsenceDraft): void {
  if (endDate < startDate) throw invalidField('end_date', 'out_of_range', 'The absence ends before it begins.');
  if (daysInclusive(startDate, endDate) > maxSpanDays)
    throw invalidField('end_date', 'out_of_range', `An absence covers at most ${maxSpanDays} days.`);
  if (halfDay !== null && startDate !== endDate)
    throw invalidField('half_day', 'contradiction', 'Half a day begins and ends on the same day.');
}

/** @throws Refusal `half_day_not_allowed` */
export function refuseHalfDay(type: AbsenceType, { halfDay }: AbsenceDraft): void {
  if (halfDay !== null && !type.halfDay)
    throw new Refusal('half_day_not_allowed', {
      details: [{ field: 'half_day', code: 'not_allowed', error: 'This kind is given for whole days only.' }],
    });
}

type Span = Pick<AbsenceDraft, 'startDate' | 'endDate'>;

/**
 * Call it after allocating a sequence number: ending an employment allocates one too, so one of the two sees the other.
 * @throws Refusal `employment_ended` a day of it is outside the person's employment; `not_found` the person was erased
 * meanwhile
 */
export async function refuseOutsideEmployment(
  reader: Reader,
  personId: PersonId,
  { startDate, endDate }: Span,
): Promise<void> {
  const person = await findPerson(reader, personId, allCompanies);
  if (person === undefined) throw new Refusal('not_found');
  refuseUnemployed(person, startDate);
  refuseUnemployed(person, endDate);
}

/**
 * A half day belongs to one absence. Only two different kinds of working elsewhere, such as a business trip during a
 * month of home office, can share it.
 * @param except the absence that is being changed
 * @throws Refusal `absence_overlap`
 */
export async function refuseOverlap(
  reader: Reader,
  personId: PersonId,
  type: AbsenceType,
  types: readonly AbsenceType[],
  draft: AbsenceDraft,
  except?: number,
): Promise<void> {
  const touching = await listTouching(reader, {
    personId,
    from: draft.startDate,
    to: draft.endDate,
    earliest: addDays(draft.startDate, 1 - maxSpanDays),
  });
  const taken = touching.find(
    (other) =>
      other.id !== except &&
      !sharesNoHalf(other, draft) &&
      !mayShare(
        type,
        types.find((type) => type.key === other.type),
      ),
  );
  if (taken !== undefined) throw new Refusal('absence_overlap');
}

/**
 * Two halves of one day. If two absences overlap, a half-day one covers a single day, so both halves are on the same
 * date.
 */
function sharesNoHalf(other: AbsenceRow, draft: AbsenceDraft): boolean {
  return other.half_day !== null && draft.halfDay !== null && other.half_day !== draft.halfDay;
}

function mayShare(one: AbsenceType, other: AbsenceType | undefined): boolean {
  return one.overlapClass === 'elsewhere' && other?.overlapClass === 'elsewhere' && one.key !== other.key;
}
