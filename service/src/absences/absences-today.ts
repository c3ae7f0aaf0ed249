import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { addDays, localDateAt } from '@clockproof/platform/time/local-date';
import type { components } from '../generated/app-types.js';
import type { PersonCaller } from '../people/caller.js';
import { findCompany } from '../people/rows.js';
import { defined } from '../store/defined.js';
import type { CompanyId } from '../store/ids.js';
import type { TenantScope } from '../store/scope.js';
import { isAway } from './clash.js';
import { presentAbsence } from './present.js';
import { listInPeriod, maxSpanDays } from './rows.js';
import { absenceTypesOf } from './types.js';

/**
 * The approved absence of each person that covers today in the time zone of their company.
 * @param caller in whose language the kinds are named
 */
export async function absencesToday(
  reader: Reader,
  scope: TenantScope,
  people: readonly { readonly company_id: CompanyId }[],
  { person: { language } }: PersonCaller,
  at: Instant,
): Promise<ReadonlyMap<number, AbsenceToday>> {
  const absencesByPerson = new Map<number, AbsenceToday>();
  for (const companyId of new Set(people.map((row) => row.company_id))) {
    const today = localDateAt(at, (await findCompany(reader, companyId))!.time_zone);
    const { departments } = scope;
    const rows = await listInPeriod(
      reader,
      { company: companyId, ...defined({ departments }) },
      {
        states: 'counting',
        from: today,
        to: today,
        earliest: addDays(today, 1 - maxSpanDays),
        after: undefined,
        limit: 10000,
      },
    );
    const types = await absenceTypesOf(reader, companyId);
    for (const row of rows) {
      const countsAsAway = isAway(types, row.type);
      // A person who is away for a part of the day and elsewhere for the rest is away.
      if (absencesByPerson.get(row.person_id)?.away === true && !countsAsAway) continue;
      const { type_label, end_date, half_day } = presentAbsence(row, types, { language });
      absencesByPerson.set(row.person_id, { type_label, end_date, half_day, away: countsAsAway });
    }
  }
  return absencesByPerson;
}

export type AbsenceToday = components['schemas']['AbsenceToday'];
