/**
 * What an admin administers: a company admin the own company, a super admin every one. Anything outside is not found,
 * as if it did not exist.
 */
import type { Reader } from '@clockproof/platform/database/database';
import { type CompanyRow, findCompany, findPerson, type PersonRow } from '../people/rows.js';
import { Refusal } from '../refusal.js';

/** The signed-in person who administers. */
export interface Admin {
  readonly person: PersonRow;
}

/** The only company an admin administers; null for a super admin, who administers all. */
export function administeredCompany({ person }: Admin): number | null {
  return person.role === 'super_admin' ? null : person.company_id;
}

/** @throws Refusal `not_found` */
export async function companyFor(reader: Reader, admin: Admin, id: number): Promise<CompanyRow> {
  const own = administeredCompany(admin);
  const company = own === null || own === id ? await findCompany(reader, id) : undefined;
  if (company === undefined) throw new Refusal('not_found');
  return company;
}

/** @throws Refusal `not_found` */
export async function personFor(reader: Reader, admin: Admin, id: number): Promise<PersonRow> {
  const person = await findPerson(reader, id, administeredCompany(admin));
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
