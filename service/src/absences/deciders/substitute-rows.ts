/** Substitutes that approvers have named. */
import type { Reader } from '@clockproof/platform/database/database';
import type { Tables } from '../../generated/tables.js';
import type { PersonRow } from '../../people/rows.js';
import type { PersonId } from '../../store/ids.js';
import { type TenantScope, within } from '../../store/scope.js';
import { among, insertReturning, remove, type Writing } from '../../store/tables.js';

export type SubstituteRow = Tables['approval_substitutes'];

export function insertSubstitute(tx: Writing, row: Omit<SubstituteRow, 'id'>): Promise<SubstituteRow> {
  return insertReturning(tx, 'approval_substitutes', row);
}

export async function deleteSubstitute(tx: Writing, id: number): Promise<void> {
  await remove(tx, 'approval_substitutes', { id });
}

export function findSubstitute(reader: Reader, id: number, scope: TenantScope): Promise<SubstituteRow | undefined> {
  const { sql, parameters } = within(scope, { company: 'company_id', person: 'person_id' });
  return reader.get<SubstituteRow>(`SELECT * FROM approval_substitutes WHERE id = :id ${sql}`, { id, ...parameters });
}

/** The substitutes a person has named, and those in whose place the person was named; latest first. */
export function listSubstituteRows(
  reader: Reader,
  { id, company_id: companyId }: Pick<PersonRow, 'id' | 'company_id'>,
): Promise<SubstituteRow[]> {
  return reader.all<SubstituteRow>(
    `SELECT * FROM approval_substitutes WHERE company_id = :companyId AND (person_id = :id OR substitute_id = :id)
     ORDER BY id DESC LIMIT 1000`,
    { id, companyId },
  );
}

/** The approvers who named a person as their substitute, latest first. */
export function listApproversOf(
  reader: Reader,
  { id, company_id: companyId }: Pick<PersonRow, 'id' | 'company_id'>,
): Promise<SubstituteRow[]> {
  return reader.all<SubstituteRow>(
    `SELECT * FROM approval_substitutes WHERE company_id = :companyId AND substitute_id = :id
     ORDER BY id DESC LIMIT 1000`,
    { id, companyId },
  );
}

/** The substitutes that some approvers have named. */
export async function listSubstitutesOf(reader: Reader, approvers: readonly PersonId[]): Promise<SubstituteRow[]> {
  if (approvers.length === 0) return [];
  const { list, parameters } = among(approvers);
  return reader.all<SubstituteRow>(
    `SELECT * FROM approval_substitutes WHERE person_id IN (${list}) ORDER BY id`,
    parameters,
  );
}

/** Active people of the company, except one, by last name. */
export function listCandidates(
  reader: Reader,
  { id, company_id: companyId }: Pick<PersonRow, 'id' | 'company_id'>,
): Promise<{ readonly id: PersonId; readonly name: string }[]> {
  return reader.all<{ id: PersonId; name: string }>(
    `SELECT p.id, p.first_name || ' ' || p.last_name AS name FROM people p
     WHERE p.company_id = :companyId AND p.active = 1 AND p.id <> :id
     ORDER BY p.sort_name, p.id LIMIT 10000`,
    { id, companyId },
  );
}
