import type { Handler } from '@clockproof/platform/http/operation';
import { formatInstant } from '@clockproof/platform/time/instant';
import { localDateAt } from '@clockproof/platform/time/local-date';
import { presentVacation } from '../../absences/present.js';
import { readVacationAccount } from '../../absences/vacation-account.js';
import { waitingOf } from '../../approvals/approvals.js';
import { readPersonDays, readPersonMonths } from '../../balances/person-balance.js';
import { presentDays, presentMonth } from '../../balances/present.js';
import { emptyMonth } from '../../balances/reckon-days.js';
import { presentClock } from '../../clocking/present.js';
import { listClocks } from '../../clocking/rows.js';
import type { operations } from '../../generated/app-types.js';
import type { PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';

export function showOverview({ db }: Pick<AppNeeds, 'db'>): Handler<operations['showOverview'], PersonCaller> {
  return async ({ caller: { person }, at }) => {
    const today = localDateAt(at, person.time_zone);
    const [clock] = await listClocks(db, {
      companyId: person.company_id,
      personId: person.id,
      state: undefined,
      afterId: 0,
      limit: 1,
    });
    const [day] = await presentDays(
      db,
      person.company_id,
      await readPersonDays(db, person, today, today, at),
      person.language,
    );
    const month = (await readPersonMonths(db, person, today.slice(0, 7), at)).at(-1) ?? {
      month: today.slice(0, 7),
      sum: emptyMonth,
      carriedMinutes: person.opening_minutes,
      balanceMinutes: person.opening_minutes,
      closed: false,
    };
    const year = Number(today.slice(0, 4));
    return {
      status: 200,
      body: {
        clock_state: presentClock(clock!),
        today: day!,
        month: presentMonth(month),
        vacation: presentVacation(year, await readVacationAccount(db, person, year, today)),
        waiting_requests: await waitingOf(db, person.id),
        server_time: formatInstant(at),
      },
    };
  };
}
