import type { LocalDate } from '@clockproof/platform/time/local-date';
import type { Admin } from '../people/administered.js';
import type { Cause, Store } from '../store/write.js';
import type { EmploymentEnd } from './employment-end.js';
import { changePerson, deactivateAccount } from './people.js';

/**
 * The records that a last day would resolve. It is set and rolled back, so that the preview cannot differ from the real
 * thing.
 * @throws Refusal as {@link deactivateAccount} and {@link changePerson}
 */
export async function tryEmploymentEnd(
  db: Store,
  cause: Cause,
  admin: Admin,
  { id, lastDay, deactivate }: { readonly id: number; readonly lastDay: LocalDate; readonly deactivate: boolean },
): Promise<EmploymentEnd> {
  const result: { ended?: EmploymentEnd | undefined } = {};
  await db
    .write(cause, async (write) => {
      const { ended: effect } = deactivate
        ? await deactivateAccount(write, admin, id, lastDay)
        : await changePerson(write, admin, id, { employment_end: lastDay });
      result.ended = effect;
      throw result;
    })
    .catch((error: unknown) => {
      if (error !== result) throw error;
    });
  return result.ended!;
}
