/** What an admin administers: the own company; a super admin, every one. What lies outside is not there. */
import type { Reader } from '@clockproof/platform/database/database';
import { type CompanyRow, findCompany, findPerson, type PersonRow } from '../../people/rows.js';
import { Refusal } from '../../refusal.js';
import { administeredScope, type PersonCaller } from './caller.js';

/** @throws Refusal `not_found` */
export async function companyFor(reader: Reader, caller: PersonCaller, id: number): Promise<CompanyRow> {
  const { company: own } = administeredScope(caller);
  const company = own === undefined || own === id ? await findCompany(reader, id) : undefined;
  if (company === undefined) throw new Refusal('not_found');
  return company;
}

/** @throws Refusal `not_found` */
export async function personFor(reader: Reader, caller: PersonCaller, id: number): Promise<PersonRow> {
  const person = await findPerson(reader, id, administeredScope(caller));
  if (person === undefined) throw new Refusal('not_found');
  return person;
}
