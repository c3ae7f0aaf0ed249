/**
 * The companies of an admin: a company admin administers their own, a super admin every one. Anything else is not
 * found, as if it did not exist.
 */
import type { Reader } from '@clockproof/platform/database/database';
import { allCompanies } from '../store/every-company.js';
import type { CompanyId } from '../store/ids.js';
import { Refusal } from '../store/refusal.js';
import type { CompanyScope } from '../store/scope.js';
import { type CompanyRow, findCompany, findPerson, type PersonRow } from './rows.js';

/** The signed-in person who administers. */
export interface Admin {
  readonly person: PersonRow;
}

/** The scope of an admin: their own company; for a super admin, every company. */
export function administeredScope({ person }: Admin): CompanyScope {
  return person.role === 'super_admin' ? allCompanies : { company: person.company_id };
}

/** True if the caller administers a company, and may know confidential facts of its people. */
export function administers(admin: Admin, companyId: CompanyId): boolean {
  const { role, company_id: ownCompanyId } = admin.person;
  return role === 'super_admin' || (role === 'company_admin' && ownCompanyId === companyId);
}

/** @throws Refusal `not_found` */
export async function companyFor(reader: Reader, admin: Admin, id: number): Promise<CompanyRow> {
  const { company: ownCompanyId } = administeredScope(admin);
  const company = ownCompanyId === undefined || ownCompanyId === id ? await findCompany(reader, id) : undefined;
  if (company === undefined) throw new Refusal('not_found');
  return company;
}

/** @throws Refusal `not_found` */
export async function personFor(reader: Reader, admin: Admin, id: number): Promise<PersonRow> {
  const person = await findPerson(reader, id, administeredScope(admin));
  if (person === undefined) throw new Refusal('not_found');
  return person;
}

/**
 * A person the admin may change. An admin who could set the address, password or second factor of a super admin could
 * sign in as one.
 * @throws Refusal `not_found`, `forbidden` the person is a super admin and the admin is not
 */
export async function personBelow(reader: Reader, admin: Admin, id: number): Promise<PersonRow> {
  const person = await personFor(reader, admin, id);
  if (person.role === 'super_admin' && admin.person.role !== 'super_admin') throw new Refusal('forbidden');
  return person;
}
