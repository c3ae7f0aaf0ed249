import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { presentAbsence } from '../../absences/present.js';
import type { NamedAbsence } from '../../absences/rows.js';
import { absenceTypesOf } from '../../absences/types.js';
import { warningsFor } from '../../absences/warnings.js';
import type { components } from '../../generated/service-types.js';

/** An absence as the answer to writing it: the record and its hints. */
export async function answerWith(
  reader: Reader,
  absence: NamedAbsence,
  extensionId: string | undefined,
  at: Instant,
): Promise<components['schemas']['Leave']> {
  return {
    ...presentAbsence(absence, await absenceTypesOf(reader, absence.company_id), extensionId),
    warnings: await warningsFor(reader, absence, at),
  };
}
