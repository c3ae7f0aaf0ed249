import { normalizeName } from '@clockproof/platform/text/name';
import { erasePerson as erase } from '../erasure/erase-person.js';
import { nameOf } from '../people/actor.js';
import { invalidField } from '../refusal.js';
import type { Write } from '../write/write.js';
import { type Admin, personBelow } from './administered.js';

/**
 * Erases a deactivated person. If the process stops before the commit, all their data exists; after it, none.
 * @param confirmName the person's name, typed by the admin
 * @throws Refusal `not_found`, `forbidden`, `still_in_use`, `invalid_request` another name
 */
export async function erasePerson(write: Write, admin: Admin, id: number, confirmName: string): Promise<void> {
  const person = await personBelow(write, admin, id);
  if (confirmName !== normalizeName(nameOf(person)))
    throw invalidField('confirm_name', 'mismatch', 'Type the name of the person as it is shown.');
  await erase(write, { personId: id, scope: { company: person.company_id } });
}
