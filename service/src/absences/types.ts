/**
 * Kinds of absence. Every company offers the built-in list. Rows hold only the kinds that a company changes, adds or
 * hides, so a company without changes needs no rows.
 */

import type { Reader } from '@clockproof/platform/database/database';
import { inLanguage, type Localized } from '../people/language.js';
import type { CompanyId } from '../store/ids.js';
import { Refusal } from '../store/refusal.js';
import type { Write } from '../store/write.js';
import { type AbsenceTypeRow, deleteTypeRow, listTypeRows, saveTypeRow, typeInUse } from './rows.js';

export interface AbsenceType {
  /** `vacation`; never changes once used. */
  readonly key: string;
  readonly label: Localized;
  readonly halfDay: boolean;
  readonly requiresApproval: boolean;
  readonly countsAsVacation: boolean;
  /** `away`: the person is not at work. `elsewhere`: the person works, at another place. */
  readonly overlapClass: 'away' | 'elsewhere';
  /** Effect on the day's target: `credited` removes it, `kept` keeps it (working elsewhere, or reducing overtime). */
  readonly target: 'credited' | 'kept';
  /** The colour in the calendar. */
  readonly color: AbsenceTypeRow['color'];
  /** The readers of its name in the calendar. With `approvers`, colleagues see the absence but not the reason. */
  readonly visibleTo: AbsenceTypeRow['visible_to'];
  /** Offered for new absences. */
  readonly active: boolean;
}

function builtInType(key: string, de: string, en: string, settings: Partial<AbsenceType> = {}): AbsenceType {
  return {
    key,
    label: { de, en },
    halfDay: true,
    requiresApproval: true,
    countsAsVacation: false,
    overlapClass: 'away',
    target: 'credited',
    color: 'usual',
    visibleTo: 'approvers',
    active: true,
    ...settings,
  };
}

/** Sickness needs no approval: the law requires notice (EntgFG §5), not consent. */
const noticeOnly = { requiresApproval: false } as const;
const worksElsewhere = { overlapClass: 'elsewhere', target: 'kept' } as const;

export const builtInTypes: readonly AbsenceType[] = [
  builtInType('vacation', 'Urlaub', 'Vacation', { countsAsVacation: true }),
  builtInType('special_leave', 'Sonderurlaub', 'Special leave'),
  builtInType('overtime_reduction', 'Überstundenabbau', 'Overtime reduction', { target: 'kept' }),
  builtInType('sickness', 'Krankheit', 'Sickness', noticeOnly),
  builtInType('sickness_child', 'Kind krank', 'Child sick', noticeOnly),
  builtInType('training', 'Fortbildung', 'Training'),
  builtInType('maternity', 'Mutterschutz', 'Maternity leave', { ...noticeOnly, halfDay: false }),
  builtInType('parental_leave', 'Elternzeit', 'Parental leave', { halfDay: false }),
  builtInType('home_office', 'Homeoffice', 'Home office', worksElsewhere),
  builtInType('business_trip', 'Dienstreise', 'Business trip', worksElsewhere),
  builtInType('unpaid_leave', 'Unbezahlter Urlaub', 'Unpaid leave'),
  builtInType('military_service', 'Wehr- oder Zivildienst', 'Military or civilian service', {
    ...noticeOnly,
    halfDay: false,
  }),
  builtInType('other', 'Sonstige Abwesenheit', 'Other absence'),
];

/** Every kind a company knows, hidden ones included, in the order of its list. */
export async function absenceTypesOf(reader: Reader, companyId: CompanyId): Promise<AbsenceType[]> {
  const rows = (await listTypeRows(reader, companyId)).map(typeFromRow);
  const companyTypes = new Map(rows.map((type) => [type.key, type]));
  const addedTypes = rows.filter((type) => !isBuiltIn(type.key));
  return [...builtInTypes.map((type) => companyTypes.get(type.key) ?? type), ...addedTypes];
}

/** @throws Refusal `absence_type_unknown` the company does not offer it, or no longer does */
export async function offeredType(reader: Reader, companyId: CompanyId, key: string): Promise<AbsenceType> {
  const type = (await absenceTypesOf(reader, companyId)).find((type) => type.key === key && type.active);
  if (type === undefined)
    throw new Refusal('absence_type_unknown', {
      details: [{ field: 'type', code: 'unknown', error: 'The company does not offer this kind.' }],
    });
  return type;
}

/** Changes a kind of a company, or adds one. Existing absences keep their decisions. */
export async function saveAbsenceType(write: Write, companyId: CompanyId, type: AbsenceType): Promise<void> {
  await write.lock({ company: companyId });
  await saveTypeRow(write, {
    company_id: companyId,
    key: type.key,
    label_de: type.label.de,
    label_en: type.label.en,
    half_day: bit(type.halfDay),
    requires_approval: bit(type.requiresApproval),
    counts_as_vacation: bit(type.countsAsVacation),
    overlap_class: type.overlapClass,
    target: type.target,
    color: type.color,
    visible_to: type.visibleTo,
    active: bit(type.active),
  });
  await write.audit({
    companyId,
    action: 'absence_type.saved',
    subject: `absence type ${type.key}`,
    details: { ...type },
  });
}

/** @throws Refusal `not_found` no such kind in the company; `still_in_use` it is built in, or was used */
export async function removeAbsenceType(write: Write, companyId: CompanyId, key: string): Promise<void> {
  await write.lock({ company: companyId });
  if (!(await absenceTypesOf(write, companyId)).some((type) => type.key === key)) throw new Refusal('not_found');
  if (isBuiltIn(key) || (await typeInUse(write, companyId, key))) throw new Refusal('still_in_use');
  await deleteTypeRow(write, companyId, key);
  await write.audit({ companyId, action: 'absence_type.deleted', subject: `absence type ${key}` });
}

export function isBuiltIn(key: string): boolean {
  return builtInTypes.some((type) => type.key === key);
}

/** The label of the kind: German for `de` and its regions, English for everything else. */
export function labelFor(type: AbsenceType, language: string): string {
  return inLanguage(language, type.label);
}

function typeFromRow(row: AbsenceTypeRow): AbsenceType {
  return {
    key: row.key,
    label: { de: row.label_de, en: row.label_en },
    halfDay: row.half_day === 1,
    requiresApproval: row.requires_approval === 1,
    countsAsVacation: row.counts_as_vacation === 1,
    overlapClass: row.overlap_class,
    target: row.target,
    color: row.color,
    visibleTo: row.visible_to,
    active: row.active === 1,
  };
}

function bit(value: boolean): 0 | 1 {
  return value ? 1 : 0;
}
