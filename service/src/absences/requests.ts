import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import type { components } from '../generated/service-types.js';
import { presentAbsence } from './present.js';
import type { NamedAbsence } from './rows.js';
import { absenceTypesOf } from './types.js';
import { warningsFor } from './warnings.js';

/** An absence as the answer to writing it: the record and its hints. */
export async function answerWith(
  reader: Reader,
  absence: NamedAbsence,
  extensionId: string | undefined,
  at: Instant,
): Promise<components['schemas']['Leave']> {
  return {
    ...presentAbsence(absence, await absenceTypesOf(reader, absence.company_id), { extension: extensionId }),
    warnings: await warningsFor(reader, absence, at),
  };
}
