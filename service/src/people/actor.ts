/** A person as an actor, and the name for display. */
import type { Actor } from '../store/audit/audit.js';
import type { PersonRow } from './rows.js';

/** Placeholder for the name of an erased person. */
export const erasedPersonName = '–';

type Named = Pick<PersonRow, 'first_name' | 'last_name'>;

export function nameOf(person: Named): string {
  return `${person.first_name} ${person.last_name}`;
}

/** A person as an answer names them, with the names from `listNames`. */
export function personReference(id: number, names: ReadonlyMap<number, string>) {
  return { id, name: names.get(id) ?? erasedPersonName };
}

export function actorOf(person: Named & Pick<PersonRow, 'id'>): Actor {
  return { kind: 'person', id: String(person.id), name: nameOf(person) };
}
