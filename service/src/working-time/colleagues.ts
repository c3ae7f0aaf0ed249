/**
 * The view that people have of others in their department, without deciding about them: a setting of the company,
 * within the evaluation `presence`.
 */
import type { Reader } from '@clockproof/platform/database/database';
import { findCompany, type PersonRow } from '../people/rows.js';
import { permitOf } from './evaluations.js';

export interface SeenOfColleagues {
  /** The people who are away, without the reason. */
  readonly absences: boolean;
  /** The clock states of the others: in, on a break or out. */
  readonly presence: boolean;
}

export async function seenOfColleagues(
  reader: Reader,
  { company_id: companyId }: Pick<PersonRow, 'company_id'>,
): Promise<SeenOfColleagues> {
  const setting = (await findCompany(reader, companyId))!.colleagues_see;
  const presence = setting === 'absences_and_presence' && (await permitOf(reader, companyId, 'presence')) !== undefined;
  return { absences: setting !== 'nothing', presence };
}
