/** Absences in the contract's form. The code says absence, the API says leave. */

import type { Reader } from '@clockproof/platform/database/database';
import { formatInstant } from '@clockproof/platform/time/instant';
import type { components as AppComponents } from '../generated/app-types.js';
import type { components } from '../generated/service-types.js';
import { erasedPersonName } from '../people/actor.js';
import { presentDraft } from './draft.js';
import { returnedSpans } from './returned-spans.js';
import type { NamedAbsence } from './rows.js';
import { type AbsenceType, absenceTypesOf, isBuiltIn, labelFor } from './types.js';
import type { VacationAccount } from './vacation/vacation-account.js';

type Schemas = components['schemas'];
type AppSchemas = AppComponents['schemas'];

/** The reader of an absence. */
export interface Reading {
  /** `external_id` is shown only to the extension that set it. */
  readonly extension?: string | undefined;
  /**
   * The language of the person who looks at a page. Programs get the kind in the language of the person it concerns.
   */
  readonly language?: string;
}

/**
 * @param types every kind of the absence's company
 */
export function presentAbsence(
  row: NamedAbsence,
  types: readonly AbsenceType[],
  { extension, language = row.language }: Reading = {},
): Schemas['Leave'] {
  const type = types.find((type) => type.key === row.type);
  return {
    id: row.id,
    user_id: row.person_id,
    user_name: row.user_name,
    company_id: row.company_id,
    company_name: row.company_name,
    ...presentDraft(row),
    type_label: type === undefined ? row.type : labelFor(type, language),
    days: row.half_days / 2,
    status: row.status,
    external_id: row.external_id === null || row.extension_id !== extension ? undefined : row.external_id,
    created_by: { kind: row.author_kind, name: row.author ?? erasedPersonName },
    created_at: formatInstant(row.created_at),
    updated_at: formatInstant(row.updated_at),
  };
}

/** The days of an absence that were vacation before. */
export function presentReturned(row: NamedAbsence): AppSchemas['ReturnedVacation'] {
  const spans = returnedSpans(row).map(({ start_date, end_date }) => ({ start_date, end_date }));
  return spans.length === 0 ? {} : { returned_vacation: spans };
}

/** A page of absences, possibly of several companies. */
export async function presentAbsences(
  db: Reader,
  rows: readonly NamedAbsence[],
  reading?: Reading,
): Promise<Map<NamedAbsence, Schemas['Leave']>> {
  const types = new Map<number, readonly AbsenceType[]>();
  for (const companyId of new Set(rows.map((row) => row.company_id)))
    types.set(companyId, await absenceTypesOf(db, companyId));
  return new Map(rows.map((row) => [row, presentAbsence(row, types.get(row.company_id)!, reading)]));
}

export function presentAbsenceType(type: AbsenceType, language: string): Schemas['AbsenceType'] {
  return {
    key: type.key,
    label: labelFor(type, language),
    half_day: type.halfDay,
    requires_approval: type.requiresApproval,
    counts_as_vacation: type.countsAsVacation,
  };
}

export function presentVacation(year: number, account: VacationAccount): AppSchemas['VacationAccount'] {
  return {
    year,
    entitled_days: account.days,
    carried_over_days: account.carriedDays,
    carry_over_until: account.carriedUntil ?? undefined,
    booked_days: account.bookedDays,
    expired_days: account.expiredDays,
    taken_days: account.takenDays,
    planned_days: account.plannedDays,
    waiting_days: account.waiting,
    left_days: account.remainingDays,
  };
}

export function presentTypeSettings(type: AbsenceType, language: string): AppSchemas['AbsenceTypeSettings'] {
  return {
    key: type.key,
    label: labelFor(type, language),
    built_in: isBuiltIn(type.key),
    active: type.active,
    half_day: type.halfDay,
    requires_approval: type.requiresApproval,
    counts_as_vacation: type.countsAsVacation,
    away: type.overlapClass === 'away',
    visible_to: type.visibleTo,
    color: type.color,
  };
}
