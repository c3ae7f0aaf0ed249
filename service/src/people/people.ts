/** Companies, departments and people: creation and changes. Callers check permissions first. */

import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { type LocalDate, localDateAt } from '@clockproof/platform/time/local-date';
import type { DisplayZone, ZoneName } from '@clockproof/platform/time/zone';
import type { components as pages } from '../generated/app-types.js';
import type { CompanyId, DepartmentId } from '../store/ids.js';
import { proofToken } from '../store/proof-token.js';
import { invalidField, Refusal, type RefusalDetail } from '../store/refusal.js';
import type { Write } from '../store/write.js';
import { nameOf } from './actor.js';
import { announcePerson } from './announce-person.js';
import { isFlag } from './company-flags.js';
import { readEmailAddress } from './email-address.js';
import { keepValues } from './personal-values.js';
import { grantsForNew, refuseLastSuperAdmin, rolesOf, rowsFromGrants, strongestOf } from './roles.js';
import {
  type ChangedValue,
  type CompanyRow,
  companyNameTaken,
  deleteDepartmentRow,
  departmentInUse,
  findCompany,
  findDepartment,
  findDepartmentByName,
  findPerson,
  findPersonAnywhere,
  insertCompany,
  insertDepartment,
  insertPerson,
  insertPersonChange,
  listApproversOf,
  listPersonIds,
  type PersonRow,
  personWith,
  renameDepartmentRow,
  replaceGrants,
  touchCompany,
  touchDepartment,
  touchPeople,
  updateCompany,
  updatePerson,
} from './rows.js';

export interface NewCompany {
  readonly name: string;
  readonly timeZone: ZoneName;
  readonly country: string;
  readonly region?: string | undefined;
  readonly deductBreaks?: boolean;
}

/** Longer than nearly every shift with its breaks, shorter than until the next morning. */
const usualNewDayAfterHours = 14;

/** @throws Refusal `value_taken` */
export async function recordCompany(write: Write, company: NewCompany): Promise<number> {
  const { at } = write;
  // One after another: two at once would not see each other's name.
  await write.lock({ installation: true });
  if (await companyNameTaken(write, company.name, 0)) throw takenRefusal('name', 'Another company has this name.');
  const id = await insertCompany(write, {
    name: company.name,
    time_zone: company.timeZone,
    country: company.country,
    region: company.region ?? null,
    local_holidays: null,
    deducts_breaks_from: company.deductBreaks === true ? localDateAt(at, company.timeZone) : null,
    short_rest_branch: null,
    new_day_after_hours: usualNewDayAfterHours,
    proof_token: proofToken((size) => write.randomBytes(size)),
    updated_at: at,
  });
  await write.audit({ companyId: id, action: 'company.added', subject: `company ${id}` });
  return id;
}

/** The members that the contract can change. Those with another name than the column are added below. */
type CompanyMember = Exclude<keyof pages['schemas']['CompanyChange'], 'deduct_breaks'>;

export type CompanyChange = Partial<Pick<CompanyRow, CompanyMember>> & {
  /** From today on: earlier entries keep their setting. */
  readonly deductBreaks?: boolean;
};

/** @throws Refusal `not_found`, `value_taken` */
export async function saveCompanyChange(
  write: Write,
  companyId: CompanyId,
  change: CompanyChange,
): Promise<CompanyRow> {
  const { at } = write;
  await write.lock({
    installation: true,
    company: companyId,
    ...(change.active === 0 || change.time_zone !== undefined ? { everyone: companyId } : {}),
  });
  const before = await findCompany(write, companyId);
  if (before === undefined) throw new Refusal('not_found');
  if (change.name !== undefined && (await companyNameTaken(write, change.name, companyId)))
    throw takenRefusal('name', 'Another company has this name.');
  const { deductBreaks, ...settings } = change;
  const after: CompanyRow = {
    ...before,
    ...settings,
    deducts_breaks_from: deductsFrom(before, deductBreaks, at),
    updated_at: at,
  };
  await updateCompany(write, after);
  // Their records show the time zone, and lists leave out the people of a deactivated company.
  if (before.time_zone !== after.time_zone || before.active !== after.active) {
    await touchPeople(write, companyId, at);
    for (const id of await listPersonIds(write, companyId)) await announcePerson(write, { id, companyId });
  }
  await write.audit({
    companyId,
    action: 'company.changed',
    subject: `company ${companyId}`,
    details: { changes: differencesOf(before, after).map(asBoolean) },
  });
  return after;
}

const asBoolean = (changedValue: ChangedValue): ChangedValue =>
  isFlag(changedValue.member)
    ? { ...changedValue, old: changedValue.old === 1, new: changedValue.new === 1 }
    : changedValue;

function deductsFrom(company: CompanyRow, deductBreaks: boolean | undefined, at: Instant): LocalDate | null {
  if (deductBreaks === undefined) return company.deducts_breaks_from;
  return deductBreaks ? (company.deducts_breaks_from ?? localDateAt(at, company.time_zone)) : null;
}

/** @throws Refusal `value_taken` */
export async function addDepartment(write: Write, companyId: CompanyId, name: string): Promise<number> {
  const { at } = write;
  await write.lock({ company: companyId });
  if ((await findDepartmentByName(write, companyId, name)) !== undefined)
    throw takenRefusal('name', 'Another department of the company has this name.');
  const id = await insertDepartment(write, companyId, name);
  await touchCompany(write, companyId, at);
  await write.audit({ companyId, action: 'department.added', subject: `department ${id}` });
  return id;
}

/** @throws Refusal `not_found`, `value_taken` */
export async function changeDepartmentName(
  write: Write,
  companyId: CompanyId,
  id: number,
  name: string,
): Promise<void> {
  const { at } = write;
  await write.lock({ company: companyId });
  const before = await findDepartment(write, id, companyId);
  if (before === undefined) throw new Refusal('not_found');
  const namesake = await findDepartmentByName(write, companyId, name);
  if (namesake !== undefined && namesake.id !== id)
    throw takenRefusal('name', 'Another department of the company has this name.');
  await renameDepartmentRow(write, id, name);
  await touchDepartment(write, id, at);
  for (const person of await listPersonIds(write, companyId, id))
    await announcePerson(write, { id: person, companyId });
  await touchCompany(write, companyId, at);
  await write.audit({
    companyId,
    action: 'department.renamed',
    subject: `department ${id}`,
    details: { before: { name: before.name }, after: { name } },
  });
}

/** @throws Refusal `not_found`, `still_in_use` */
export async function removeDepartment(write: Write, companyId: CompanyId, id: number): Promise<void> {
  const { at } = write;
  await write.lock({ company: companyId });
  if ((await findDepartment(write, id, companyId)) === undefined) throw new Refusal('not_found');
  if (await departmentInUse(write, id)) throw new Refusal('still_in_use');
  const approvers = await listApproversOf(write, id);
  await write.lock({ people: approvers });
  await deleteDepartmentRow(write, id);
  for (const approver of approvers) {
    const person = (await findPerson(write, approver, { company: companyId }))!;
    await updatePerson(write, {
      ...person,
      role: strongestOf(await rolesOf(write, approver)),
      updated_at: at,
    });
    await announcePerson(write, { id: approver, companyId });
  }
  await touchCompany(write, companyId, at);
  await write.audit({ companyId, action: 'department.removed', subject: `department ${id}` });
}

export interface NewPerson {
  readonly companyId: CompanyId;
  readonly firstName: string;
  readonly lastName: string;
  readonly email?: string | undefined;
  readonly personnelNumber?: string | undefined;
  readonly departmentId?: DepartmentId | undefined;
  readonly role: PersonRow['role'];
  /** BCP 47: `de`, `en`. */
  readonly language: string;
  /** The zone in which the person reads clocks, if different from the company's. */
  readonly timeZone?: DisplayZone | undefined;
  readonly employmentStart?: string | undefined;
  /** Last day of employment. */
  readonly employmentEnd?: string | undefined;
  /** The first day that is not in a closed month. */
  readonly openFrom?: LocalDate | undefined;
}

/**
 * The tracking start date is the first day of employment if it lies in the month in which they are added, or later. For
 * someone employed before it is the day on which they are added: the service has no record of their earlier work, and
 * their account would begin with weeks of missing hours. It is never a closed day. An opening balance overrides it.
 * @throws Refusal `value_taken`, `not_found`, `invalid_request` the department belongs to another company, or
 * employment ends before it begins
 */
export async function recordPerson(write: Write, person: NewPerson): Promise<number> {
  const { at } = write;
  // An address is unique among the active people of the installation; a closing counts everyone who is there.
  await write.lock({ installation: true, company: person.companyId });
  const company = await findCompany(write, person.companyId);
  if (company === undefined) throw new Refusal('not_found');
  const email = storedAddress(person.email ?? null);
  await refuseTaken(write, {
    id: 0,
    company_id: person.companyId,
    email,
    personnel_number: person.personnelNumber ?? null,
    active: 1,
  });
  await refuseForeignDepartment(write, person.companyId, person.departmentId ?? null);
  refuseBackwards(person.employmentStart ?? null, person.employmentEnd ?? null);
  const today = localDateAt(at, company.time_zone);
  const { employmentStart = today } = person;
  const trackingStart = employmentStart.slice(0, 7) < today.slice(0, 7) ? today : employmentStart;
  const id = await insertPerson(write, {
    company_id: person.companyId,
    personnel_number: person.personnelNumber ?? null,
    first_name: person.firstName,
    last_name: person.lastName,
    email,
    department_id: person.departmentId ?? null,
    role: person.role,
    language: person.language,
    own_time_zone: person.timeZone ?? null,
    employment_start: person.employmentStart ?? null,
    employment_end: person.employmentEnd ?? null,
    tracking_start: person.openFrom !== undefined && person.openFrom > trackingStart ? person.openFrom : trackingStart,
    record_salt: Buffer.from(write.randomBytes(16)).toString('hex'),
    proof_token: proofToken((size) => write.randomBytes(size)),
    updated_at: at,
  });
  await replaceGrants(write, id, rowsFromGrants(grantsForNew(person.role, person.companyId, person.departmentId)));
  await announcePerson(write, { id, companyId: person.companyId, type: 'user.created' });
  await write.audit({ companyId: person.companyId, action: 'person.added', subject: `person ${id}` });
  return id;
}

/** The actions with which the audit log records a change of a person. */
export type PersonAction = 'person.changed' | 'person.deactivated' | 'person.reactivated';

/** The members that the contract can change. Those with another name than the column are added below. */
type PersonMember = Exclude<keyof pages['schemas']['PersonChange'], 'time_zone'>;

/** Members to change; null removes one. */
export type PersonChange = Partial<
  Pick<PersonRow, PersonMember | 'own_time_zone' | 'active' | 'tracking_start' | 'opening_minutes'>
>;

/** The record after the change. {@link savePersonChange} sets the instant. */
export function applyPersonChange(before: PersonRow, change: PersonChange): PersonRow {
  const after = { ...before, ...change };
  return { ...after, email: storedAddress(after.email) };
}

/**
 * Records a change of a person: row, audit entry with the names of changed members, values beside it. Lock the person
 * before reading `before`, and the installation if an address or a super admin changes.
 * @throws Refusal `value_taken`, `invalid_request`, `last_admin`
 */
export async function savePersonChange(
  write: Write,
  before: PersonRow,
  change: PersonChange,
  action: PersonAction = 'person.changed',
): Promise<PersonRow> {
  const { at } = write;
  const after = applyPersonChange(before, change);
  await refuseTaken(write, after);
  await refuseForeignDepartment(write, after.company_id, after.department_id);
  refuseBackwards(after.employment_start, after.employment_end);
  if (before.active === 1 && after.active === 0) await refuseLastSuperAdmin(write, before);
  await updatePerson(write, { ...after, updated_at: at });
  const values = differencesOf(before, after);
  if (values.length > 0) await insertPersonChange(write, { person_id: after.id, at, changes: JSON.stringify(values) });
  // The values stand beside the log, which only ever has their hash: erasing the person takes them with it.
  await write.audit({
    companyId: after.company_id,
    action,
    subject: `person ${after.id}`,
    details: { changed: values.map(({ member }) => member) },
  });
  return announcePerson(write, {
    id: after.id,
    companyId: after.company_id,
    type: before.active === 1 && after.active === 0 ? 'user.deactivated' : 'user.changed',
  });
}

/** @throws Refusal `invalid_request` */
function storedAddress(email: string | null): string | null {
  const address = email === null ? null : readEmailAddress(email);
  if (address === undefined) throw invalidField('email', 'wrong_format', 'This is not an e-mail address.');
  return address;
}

/** A person changes the language of their pages. */
export async function chooseLanguage(
  write: Write,
  { id, company_id: company }: Pick<PersonRow, 'id' | 'company_id'>,
  language: string,
): Promise<PersonRow> {
  const { at } = write;
  await write.lock({ people: [id] });
  const before = (await findPerson(write, id, { company }))!;
  if (language === before.language) return before;
  await updatePerson(write, { ...before, language, updated_at: at });
  await write.audit({
    companyId: before.company_id,
    action: 'profile.changed',
    subject: `person ${before.id}`,
    details: await keepValues(write, before.id, { language }, { language: before.language }),
  });
  return announcePerson(write, { id, companyId: company });
}

const takenSentences = {
  email: 'Another person signs in with this address.',
  personnel_number: 'Another person of the company has this number.',
} as const;

/**
 * Two active people have neither an address nor a number in common. The refusal names the holder to those who also
 * administer that person.
 */
async function refuseTaken(
  write: Write,
  person: Pick<PersonRow, 'id' | 'company_id' | 'email' | 'personnel_number' | 'active'>,
): Promise<void> {
  if (person.active === 0) return;
  const details: RefusalDetail[] = [];
  const holders: pages['schemas']['ValueHolder'][] = [];
  for (const field of ['email', 'personnel_number'] as const) {
    const value = person[field];
    const holder = value === null ? undefined : await personWith(write, field, value, person.company_id);
    if (holder === undefined || holder.active === 0 || holder.id === person.id) continue;
    details.push({ field, code: 'taken', error: takenSentences[field] });
    const { id, ...holderPerson } = (await findPersonAnywhere(write, holder.id))!;
    if (holderPerson.company_id === person.company_id || (await seesEveryone(write)))
      holders.push({ field, person: { id, name: nameOf(holderPerson) } });
  }
  if (details.length > 0)
    throw new Refusal('value_taken', { details, ...(holders.length === 0 ? {} : { extra: { held_by: holders } }) });
}

async function seesEveryone(write: Write): Promise<boolean> {
  const { actor } = write;
  return actor.kind === 'person' && (await rolesOf(write, Number(actor.id))).some(({ role }) => role === 'super_admin');
}

async function refuseForeignDepartment(
  reader: Reader,
  companyId: CompanyId,
  departmentId: DepartmentId | null,
): Promise<void> {
  if (departmentId !== null && (await findDepartment(reader, departmentId, companyId)) === undefined)
    throw invalidField('department_id', 'unknown', 'The company has no such department.');
}

function refuseBackwards(start: LocalDate | null, end: LocalDate | null): void {
  if (start !== null && end !== null && end < start)
    throw invalidField('employment_end', 'before_start', 'The last day lies before the first.');
}

function differencesOf(before: object, after: object): ChangedValue[] {
  const valuesBefore = new Map<string, unknown>(Object.entries(before));
  return Object.entries(after)
    .filter(([name, value]) => name !== 'updated_at' && name !== 'changed' && valuesBefore.get(name) !== value)
    .map(([member, value]) => ({ member, old: valuesBefore.get(member), new: value }));
}

function takenRefusal(field: string, error: string): Refusal {
  return new Refusal('value_taken', { details: [{ field, code: 'taken', error }] });
}
