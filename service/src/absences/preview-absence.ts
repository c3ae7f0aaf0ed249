/**
 * What asking for an absence would mean, found out by asking and taking everything back: the preview cannot differ from
 * the real thing.
 */

import { localDateAt } from '@clockproof/platform/time/local-date';
import type { components } from '../generated/app-types.js';
import { findPerson } from '../people/rows.js';
import type { Cause, Store } from '../store/write.js';
import { createFindClash } from './clash.js';
import { type AbsenceRequest, requestAbsence } from './request-absence.js';
import { absenceTypesOf } from './types.js';
import { readVacationAccount } from './vacation/vacation-account.js';
import { warningsFor } from './warnings.js';

type Preview = components['schemas']['AbsencePreview'];

/** @throws Refusal as {@link requestAbsence} */
export async function previewAbsence(db: Store, cause: Cause, request: AbsenceRequest): Promise<Preview> {
  const undone: { preview?: Preview } = {};
  await db
    .write(cause, async (write) => {
      const { absence } = await requestAbsence(write, request);
      const person = (await findPerson(write, absence.person_id, { company: absence.company_id }))!;
      const type = (await absenceTypesOf(write, absence.company_id)).find((type) => type.key === absence.type);
      const account =
        type?.countsAsVacation === true
          ? await readVacationAccount(
              write,
              person,
              Number(absence.start_date.slice(0, 4)),
              localDateAt(cause.at, person.time_zone),
            )
          : undefined;
      const clash = await createFindClash(write)(absence);
      undone.preview = {
        days: absence.half_days / 2,
        requires_approval: absence.status === 'waiting',
        ...(account === undefined ? {} : { left_days: account.left - account.waiting }),
        warnings: await warningsFor(write, absence, cause.at),
        ...(clash === undefined ? {} : { clash }),
      };
      throw undone;
    })
    .catch((error: unknown) => {
      if (error !== undone) throw error;
    });
  return undone.preview!;
}
