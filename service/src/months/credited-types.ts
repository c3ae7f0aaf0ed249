import type { Reader } from '@clockproof/platform/database/database';
import { absenceTypesOf } from '../absences/types.js';
import type { CompanyId } from '../store/ids.js';

/** Kinds of absence that remove the day's target; the others keep it. */
export async function creditedTypes(reader: Reader, companyId: CompanyId): Promise<ReadonlySet<string>> {
  return new Set(
    (await absenceTypesOf(reader, companyId)).filter((type) => type.target === 'credited').map((type) => type.key),
  );
}
