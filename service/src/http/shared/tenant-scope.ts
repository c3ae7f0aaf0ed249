/** What a key may see: its company, or every company for a key without binding. What it may not see is not there. */
import type { Reader } from '@clockproof/platform/database/database';
import { findPerson, listCompanies, type PersonRow } from '../../people/rows.js';
import { Refusal } from '../../refusal.js';

/** The only company a caller may see; null: every one. */
interface Sight {
  readonly companyId: number | null;
}

/** The company a list is limited to; null means all. @throws Refusal `not_found` */
export async function visibleCompany(reader: Reader, caller: Sight, asked: number | undefined): Promise<number | null> {
  if (asked === undefined) return caller.companyId;
  if (caller.companyId !== null && caller.companyId !== asked) throw new Refusal('not_found');
  if ((await listCompanies(reader, asked, 0, 1)).length === 0) throw new Refusal('not_found');
  return asked;
}

/** @throws Refusal `not_found` also where the person exists in a company the caller may not see */
export async function visiblePerson(reader: Reader, caller: Sight, id: number): Promise<PersonRow> {
  const person = await findPerson(reader, id, caller.companyId);
  if (person === undefined) throw new Refusal('not_found');
  return person;
}
