/** What people see of the others in their department, without deciding about them: a setting of the company. */
import type { Reader } from '@clockproof/platform/database/database';
import { findCompany, type PersonRow } from './rows.js';

export interface SeenOfColleagues {
  /** Who is away, without the reason. */
  readonly absences: boolean;
  /** Who is clocked in, on a break or out. */
  readonly presence: boolean;
}

export async function seenOfColleagues(
  reader: Reader,
  { company_id: companyId }: Pick<PersonRow, 'company_id'>,
): Promise<SeenOfColleagues> {
  const setting = (await findCompany(reader, companyId))!.colleagues_see;
  return { absences: setting !== 'nothing', presence: setting === 'absences_and_presence' };
}
