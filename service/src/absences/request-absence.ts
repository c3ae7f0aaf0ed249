/** Requests an absence, for oneself or for another person. */
import type { Reader } from '@clockproof/platform/database/database';
import { findPerson } from '../people/rows.js';
import type { CompanyId, ExtensionId, PersonId } from '../store/ids.js';
import { Refusal } from '../store/refusal.js';
import type { Write } from '../store/write.js';
import { refuseClosedSpan } from '../working-time/closed-months.js';
import { countHalfDays, loadWorkdays } from './days.js';
import { type AbsenceDraft, draftOf, sameDraft } from './draft.js';
import { presentAbsence } from './present.js';
import { recordTransition } from './record-transition.js';
import { refuseReturn, returnVacation } from './returned-vacation.js';
import {
  type AbsenceRow,
  type ApprovalRule,
  clearExternalId,
  findAbsence,
  findByExternalId,
  insertAbsence,
  lockAbsences,
  type NamedAbsence,
} from './rows.js';
import { needsApproval, refuseHalfDay, refuseOutsideEmployment, refuseOverlap, validateSpan } from './rules.js';
import { type AbsenceType, absenceTypesOf, offeredType } from './types.js';

/** The way an absence was recorded, and its owner from then on. */
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
  readonly externalId?: string | undefined;
  readonly author: Author;
  /** Gives back approved vacation on these days, once it is approved itself; see {@link returnVacation}. */
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
  const existingAbsence =
    extension === undefined || externalId === undefined
      ? undefined
      : await findRepeated(write, { extensionId: extension.id, personId, externalId, draft });
  if (existingAbsence !== undefined) return { absence: existingAbsence, created: false };

  const types = await absenceTypesOf(write, person.company_id);
  const type = await offeredType(write, person.company_id, draft.type);
  refuseHalfDay(type, draft);
  if (returnsVacation) refuseReturn(type, draft);
  const workdays = await loadWorkdays(write, person);
  const status = isDecided(type, ledger.approval, author) ? 'approved' : 'waiting';
  const returnedDays =
    returnsVacation && status === 'approved' ? await returnVacation(write, personId, draft, { types, workdays }) : [];
  await refuseOverlap(write, draft, { personId, types, returnsVacation });
  const halfDays = countHalfDays({ ...draft, status }, workdays);
  if (extension !== undefined && externalId !== undefined)
    await releaseExternalId(write, extension.id, personId, externalId);

  await refuseOutsideEmployment(write, personId, draft);
  await refuseClosedSpan(write, person.company_id, draft.start_date, draft.end_date);
  const absence = await insertAbsence(write, {
    company_id: person.company_id,
    person_id: personId,
    ...draftOf(draft),
    half_days: halfDays,
    status,
    returned_vacation: returnsVacation ? JSON.stringify(returnedDays) : null,
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

/** A request with an external id. */
export interface ExternalRequest {
  readonly extensionId: ExtensionId;
  readonly personId: PersonId;
  readonly externalId: string;
  readonly draft: AbsenceDraft;
}

/**
 * The absence that an extension created with this id for this person, if the data is the same. One that was taken back
 * does not count: its id is free again.
 * @throws Refusal `external_id_conflict` a member has another value now; the body names the absence
 */
export async function findRepeated(
  reader: Reader,
  { extensionId, personId, externalId, draft }: ExternalRequest,
): Promise<NamedAbsence | undefined> {
  const existingAbsence = await findByExternalId(reader, extensionId, personId, externalId);
  if (existingAbsence === undefined || isTakenBack(existingAbsence)) return undefined;
  if (!sameDraft(existingAbsence, draft))
    throw new Refusal('external_id_conflict', { extra: { id: existingAbsence.id } });
  return existingAbsence;
}

const isTakenBack = ({ status }: NamedAbsence) => status === 'withdrawn' || status === 'cancelled';

/** Frees the external id of an absence that was taken back, for the one that is created with it now. */
async function releaseExternalId(
  write: Write,
  extensionId: ExtensionId,
  personId: PersonId,
  externalId: string,
): Promise<void> {
  const row = await findByExternalId(write, extensionId, personId, externalId);
  if (row === undefined) return;
  const { id, company_id: companyId } = row;
  await clearExternalId(write, id, write.at);
  const absence = (await findAbsence(write, id, { company: companyId }))!;
  const data = presentAbsence(absence, await absenceTypesOf(write, companyId));
  await write.event({ type: 'leave.changed', companyId, personId, data, changed: ['external_id'] });
}

/** Whether the absence needs no decision: a leading system or an approver records it, or its kind needs no approval. */
function isDecided(type: AbsenceType, rule: ApprovalRule, author: Author): boolean {
  return author.extension?.leading === true || author.kind === 'admin' || !needsApproval(type, rule);
}
