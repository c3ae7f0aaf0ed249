/** A person as the one who acts, and under the name that lists show. */
import type { Actor } from '../audit/audit.js';
import type { PersonRow } from './rows.js';

/** In place of a name that is not known any more: the person was erased. */
export const unknownName = '–';

type Named = Pick<PersonRow, 'first_name' | 'last_name'>;

export function nameOf(person: Named): string {
  return `${person.first_name} ${person.last_name}`;
}

export function actorOf(person: Named & Pick<PersonRow, 'id'>): Actor {
  return { kind: 'person', id: String(person.id), name: nameOf(person) };
}
