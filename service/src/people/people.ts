/** Companies, departments and people: how they come to be. */
import type { Transaction } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { appendAudit, type Actor } from '../audit/audit.js';
import { takeSequence } from '../events/events.js';
import { insertCompany, insertDepartment, insertPerson, type PersonRow } from './rows.js';

export interface NewCompany { readonly name: string; readonly timeZone: string; readonly country: string; readonly region?: string }

export async function addCompany(tx: Transaction, company: NewCompany, actor: Actor, at: Instant): Promise<number> {
  const id = await insertCompany(tx, { name: company.name, time_zone: company.timeZone, country: company.country, region: company.region ?? null, updated_at: at });
  await appendAudit(tx, { at, companyId: id, actor, action: 'company.added', subject: `company ${id}` });
  return id;
}

export async function addDepartment(tx: Transaction, companyId: number, name: string, actor: Actor, at: Instant): Promise<number> {
  const id = await insertDepartment(tx, companyId, name);
  await appendAudit(tx, { at, companyId, actor, action: 'department.added', subject: `department ${id}` });
  return id;
}

export interface NewPerson {
  readonly companyId: number;
  readonly firstName: string;
  readonly lastName: string;
  readonly email?: string;
  readonly personnelNumber?: string;
  readonly departmentId?: number;
  readonly role: PersonRow['role'];
  /** BCP 47: `de`, `en`. */
  readonly language: string;
  readonly employmentStart?: string;
  /** Last day of employment. */
  readonly employmentEnd?: string;
}

export async function addPerson(tx: Transaction, person: NewPerson, actor: Actor, at: Instant): Promise<number> {
  const changed = await takeSequence(tx);
  const id = await insertPerson(tx, {
    company_id: person.companyId, personnel_number: person.personnelNumber ?? null, first_name: person.firstName, last_name: person.lastName,
    email: person.email?.toLowerCase() ?? null, department_id: person.departmentId ?? null, role: person.role, language: person.language,
    employment_start: person.employmentStart ?? null, employment_end: person.employmentEnd ?? null, updated_at: at, changed,
  });
  await appendAudit(tx, { at, companyId: person.companyId, actor, action: 'person.added', subject: `person ${id}` });
  return id;
}
