/** The subjects of entries, under their present names. The log itself holds ids alone. */
import type { Reader } from '@clockproof/platform/database/database';
import type { PersonId } from '../ids.js';

export interface SubjectFacts {
  readonly name: string;
  /** The owner; for a person, the person themselves. */
  readonly person?: PersonId;
}

type Look = (list: string) => string;
const fullName = "p.first_name || ' ' || p.last_name";
/** A kind whose ids are numbers, and one whose ids are texts. Removed rows keep their names. */
const looksByNumber: Readonly<Record<string, Look>> = {
  person: (list) => `SELECT p.id, ${fullName} AS name, p.id AS person FROM people p WHERE p.id IN (${list})`,
  absence: (list) =>
    `SELECT a.id, ${fullName} AS name, p.id AS person FROM absences a JOIN people p ON p.id = a.person_id WHERE a.id IN (${list})`,
  company: (list) => `SELECT id, name, NULL AS person FROM companies WHERE id IN (${list})`,
  department: (list) => `SELECT id, name, NULL AS person FROM departments WHERE id IN (${list})`,
};
const looksByText: Readonly<Record<string, Look>> = {
  badge: (list) =>
    `SELECT b.id, ${fullName} AS name, p.id AS person FROM badges b JOIN people p ON p.id = b.person_id WHERE b.id IN (${list})`,
  extension: (list) => `SELECT id, name, NULL AS person FROM extensions WHERE id IN (${list})`,
  terminal: (list) => `SELECT id, name, NULL AS person FROM terminals WHERE id IN (${list})`,
};

/**
 * @param subjects `<kind> <id>` each. @returns the known facts about them, by the same text; nothing for other kinds
 */
export async function findSubjects(
  reader: Reader,
  subjects: readonly string[],
): Promise<ReadonlyMap<string, SubjectFacts>> {
  const ids = new Map<string, Set<string | number>>();
  for (const subject of subjects) {
    const [, kind = '', id = ''] = /^(\w+) (.+)$/.exec(subject) ?? [];
    const key = kind in looksByNumber ? Number(id) : kind in looksByText ? id : undefined;
    if (key === undefined || Number.isNaN(key)) continue;
    ids.set(kind, (ids.get(kind) ?? new Set()).add(key));
  }
  const facts = new Map<string, SubjectFacts>();
  for (const [kind, keys] of ids) {
    const list = [...keys].map((_, index) => `:id_${index}`).join(', ');
    const parameters = Object.fromEntries([...keys].map((id, index) => [`id_${index}`, id]));
    const rows = await reader.all<{ id: string | number; name: string; person: PersonId | null }>(
      (looksByNumber[kind] ?? looksByText[kind]!)(list),
      parameters,
    );
    for (const { id, name, person } of rows) facts.set(`${kind} ${id}`, person === null ? { name } : { name, person });
  }
  return facts;
}
