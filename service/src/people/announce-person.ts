/** Events about the record of a person. */
import type { CompanyId, PersonId } from '../store/ids.js';
import type { Write } from '../store/write.js';
import { presentPerson } from './present.js';
import { findPerson, type PersonRow } from './rows.js';

type PersonEvent = 'user.created' | 'user.changed' | 'user.deactivated';

/** Adds the event with the record as the write has stored it. @returns the person */
export async function announcePerson(
  write: Write,
  {
    id,
    companyId,
    type = 'user.changed',
  }: { readonly id: PersonId; readonly companyId: CompanyId; readonly type?: PersonEvent },
): Promise<PersonRow> {
  const person = (await findPerson(write, id, { company: companyId }))!;
  await write.event({ type, companyId, personId: id, data: presentPerson(person) });
  return person;
}
