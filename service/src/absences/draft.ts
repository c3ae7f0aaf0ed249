/**
 * The members of an absence that a request or a change sets. They have one name in contract, table and code, so that
 * reading a request, changing, comparing, storing and answering are written once for all of them.
 */
import type { components as pages } from '../generated/app-types.js';
import type { components } from '../generated/service-types.js';
import type { Tables } from '../generated/tables.js';

type Row = Tables['absences'];
type Request = Omit<components['schemas']['AbsenceRequest'], 'user_id' | 'external_id'>;
type PageRequest = Omit<pages['schemas']['OwnAbsenceRequest'], 'returns_vacation'>;
type Change = components['schemas']['AbsenceChange'];

/** A member of the contract that is missing here does not compile, nor one that can be requested but not changed. */
const members: Record<keyof Request | keyof PageRequest, true> & Record<keyof Change, true> = {
  type: true,
  start_date: true,
  end_date: true,
  half_day: true,
  comment: true,
};
export type AbsenceMember = keyof typeof members;
const names = Object.keys(members) as AbsenceMember[];

export type AbsenceDraft = Pick<Row, AbsenceMember>;

/** Members that need not be set may be left out, or null. */
type DraftSource = { readonly [Name in keyof Request]: Request[Name] | null };

/** The draft of a request or a row. Members that a request leaves out become null. */
export function draftOf(source: DraftSource): AbsenceDraft {
  return Object.fromEntries(names.map((name) => [name, source[name] ?? null])) as unknown as AbsenceDraft;
}

/** RFC 7396: a member that is left out stays, null takes it away. */
export function patchOf(change: Change): Partial<AbsenceDraft> {
  const presentNames = names.filter((name) => change[name] !== undefined);
  return Object.fromEntries(presentNames.map((name) => [name, change[name]])) as Partial<AbsenceDraft>;
}

export function sameDraft(first: AbsenceDraft, second: AbsenceDraft): boolean {
  return names.every((name) => first[name] === second[name]);
}

/** As the contract shows them: a member that is not set is left out. */
export function presentDraft(row: Row): Pick<components['schemas']['Leave'], AbsenceMember> {
  const presentNames = names.filter((name) => row[name] !== null);
  return Object.fromEntries(presentNames.map((name) => [name, row[name]])) as ReturnType<typeof presentDraft>;
}
