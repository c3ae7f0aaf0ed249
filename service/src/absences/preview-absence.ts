/** Previews an absence by requesting it and rolling back, so that the preview cannot differ from the real request. */
import type { Database } from '@clockproof/platform/database/database';
import { localDateAt } from '@clockproof/platform/time/local-date';
import type { components } from '../generated/app-types.js';
import { findPerson } from '../people/rows.js';
import { type AbsenceRequest, requestAbsence } from './request-absence.js';
import { absenceTypesOf } from './types.js';
import { readVacationAccount } from './vacation-account.js';
import { warningsFor } from './warnings.js';

type Preview = components['schemas']['AbsencePreview'];

/** @throws Refusal as {@link requestAbsence} */
export async function previewAbsence(db: Database, request: AbsenceRequest): Promise<Preview> {
  const undone: { preview?: Preview } = {};
  await db
    .write(async (tx) => {
      const { absence } = await requestAbsence(tx, request);
      const person = (await findPerson(tx, absence.person_id, { company: absence.company_id }))!;
      const type = (await absenceTypesOf(tx, absence.company_id)).find((one) => one.key === absence.type);
      const account =
        type?.countsAsVacation === true
          ? await readVacationAccount(
              tx,
              person,
              Number(absence.start_date.slice(0, 4)),
              localDateAt(request.at, person.time_zone),
            )
          : undefined;
      undone.preview = {
        days: absence.half_days / 2,
        requires_approval: absence.status === 'waiting',
        ...(account === undefined ? {} : { left_days: account.left - account.waiting }),
        warnings: await warningsFor(tx, absence, request.at),
      };
      throw undone;
    })
    .catch((error: unknown) => {
      if (error !== undone) throw error;
    });
  return undone.preview!;
}
