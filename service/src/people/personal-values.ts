/** Values of a person that an entry of the audit log is about. */
import type { PersonId } from '../store/ids.js';
import type { Writing } from '../store/tables.js';
import { insertPersonChange } from './rows.js';

type Members = Readonly<Record<string, unknown>>;

/**
 * Stores them beside the log, which only ever has their hash: erasing the person takes them with it. Call it where the
 * details of the entry are made.
 * @param before their values so far, if the entry has them
 * @returns details of the entry
 */
export async function keepValues(
  write: Writing & { readonly at: number },
  personId: PersonId,
  values: Members,
  before: Members = {},
): Promise<{ readonly changed: readonly string[] }> {
  const members = Object.keys(values);
  const changes = members.map((member) => ({ member, old: before[member] ?? null, new: values[member] ?? null }));
  await insertPersonChange(write, { person_id: personId, at: write.at, changes: JSON.stringify(changes) });
  return { changed: members };
}
