import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import type { components as pages } from '../generated/app-types.js';
import type { components } from '../generated/service-types.js';
import { presentAbsence } from './present.js';
import type { NamedAbsence } from './rows.js';
import type { AbsenceDraft } from './rules.js';
import { absenceTypesOf } from './types.js';
import { warningsFor } from './warnings.js';

/** RFC 7396: a member that is left out stays, null takes it away. */
export function patchOf(body: components['schemas']['AbsenceChange']): Partial<AbsenceDraft> {
  return {
    ...(body.type === undefined ? {} : { type: body.type }),
    ...(body.start_date === undefined ? {} : { startDate: body.start_date }),
    ...(body.end_date === undefined ? {} : { endDate: body.end_date }),
    // The document's pattern holds it to the two words.
    ...(body.half_day === undefined ? {} : { halfDay: body.half_day as AbsenceDraft['halfDay'] }),
    ...(body.comment === undefined ? {} : { comment: body.comment }),
  };
}

export function draftOf(body: pages['schemas']['OwnAbsenceRequest']): AbsenceDraft {
  return {
    type: body.type,
    startDate: body.start_date,
    endDate: body.end_date,
    halfDay: body.half_day ?? null,
    comment: body.comment ?? null,
  };
}

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
