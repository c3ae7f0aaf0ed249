/**
 * The effect of requesting or changing an absence. It is done and rolled back, so that the preview cannot differ from
 * the real thing.
 */

import { localDateAt } from '@clockproof/platform/time/local-date';
import type { components } from '../generated/app-types.js';
import { findPerson } from '../people/rows.js';
import type { Cause, Store, Write } from '../store/write.js';
import { createFindClash } from './clash.js';
import type { NamedAbsence } from './rows.js';
import { absenceTypesOf } from './types.js';
import { readVacationAccount } from './vacation/vacation-account.js';
import { warningsFor } from './warnings.js';

type Preview = components['schemas']['AbsencePreview'];

/** @throws Refusal as `record` does */
export async function previewAbsence(
  db: Store,
  cause: Cause,
  record: (write: Write) => Promise<NamedAbsence>,
): Promise<Preview> {
  const result: { preview?: Preview } = {};
  await db
    .write(cause, async (write) => {
      const absence = await record(write);
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
      result.preview = {
        days: absence.half_days / 2,
        requires_approval: absence.status === 'waiting',
        left_days: account && account.remainingDays - account.waiting,
        warnings: await warningsFor(write, absence, cause.at),
        clash,
      };
      throw result;
    })
    .catch((error: unknown) => {
      if (error !== result) throw error;
    });
  return result.preview!;
}
