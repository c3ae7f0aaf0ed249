/**
 * The parties of an entry: the people who did it or whom it affects, and the extension that wrote it, by its key or
 * through a personal link. The table `audit_parties` is derived from the entries alone: it serves searches and proves
 * nothing.
 */
import type { EntryRow } from './rows.js';

type Concerned = Pick<EntryRow, 'actor_kind' | 'actor_id' | 'subject' | 'details'>;

/** @returns `person 12`, `extension ext_…`, each once, in the order of the text */
export function partiesOf({ actor_kind: kind, actor_id: id, subject, details }: Concerned): string[] {
  const { person, extension } = (details === null ? {} : JSON.parse(details)) as {
    person?: unknown;
    extension?: unknown;
  };
  const parties = [
    kind === 'person' && id !== null ? personParty(id) : undefined,
    subject?.startsWith('person ') === true ? subject : undefined,
    typeof person === 'number' ? personParty(person) : undefined,
    kind === 'extension' && id !== null ? extensionParty(id) : undefined,
    kind === 'personal_link' && typeof extension === 'string' ? extensionParty(extension) : undefined,
  ];
  return [...new Set(parties.filter((party) => party !== undefined))].sort();
}

export function personParty(id: number | string): string {
  return `person ${id}`;
}

export function extensionParty(id: string): string {
  return `extension ${id}`;
}

/**
 * True if the stored parties match the entry. Old entries of personal links do not name the extension; theirs was
 * filled in from the links, so the entry cannot confirm it.
 */
export function areParties(stored: readonly string[], entry: Concerned): boolean {
  const derived = partiesOf(entry);
  const saysApp = derived.some((party) => party.startsWith('extension '));
  const comparable =
    entry.actor_kind === 'personal_link' && !saysApp
      ? stored.filter((party) => !party.startsWith('extension '))
      : stored;
  return comparable.length === derived.length && derived.every((party) => comparable.includes(party));
}
