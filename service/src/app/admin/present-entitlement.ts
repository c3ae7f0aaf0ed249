import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { localDateAt } from '@clockproof/platform/time/local-date';
import { presentVacation } from '../../absences/present.js';
import { readVacationAccount } from '../../absences/vacation-account.js';
import type { components } from '../../generated/app-types.js';
import type { PersonRow } from '../../people/rows.js';

export async function presentEntitlement(
  reader: Reader,
  person: PersonRow,
  year: number,
  at: Instant,
): Promise<components['schemas']['Entitlement']> {
  const account = await readVacationAccount(reader, person, year, localDateAt(at, person.time_zone));
  return {
    year,
    days: account.days,
    carried_over_days: account.carriedDays,
    ...(account.carriedUntil === null ? {} : { carry_over_until: account.carriedUntil }),
    account: presentVacation(year, account),
  };
}
