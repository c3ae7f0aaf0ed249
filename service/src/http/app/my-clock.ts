/**
 * The four clock operations of the pages: the person stamps for themselves, by the same rule as through every other
 * entry point.
 */

import type { Handler } from '@clockproof/platform/http/operation';
import { formatInstant, type Instant } from '@clockproof/platform/time/instant';
import { localDateAt } from '@clockproof/platform/time/local-date';
import { presentVacation } from '../../absences/present.js';
import { readVacationAccount } from '../../absences/vacation-account.js';
import { waitingOf } from '../../approvals/approvals.js';
import { readPersonDays, readPersonMonths, untrackedMonth } from '../../balances/person-balance.js';
import { presentDays, presentMonth } from '../../balances/present.js';
import type { StampKind } from '../../clocking/clock-state.js';
import { type ClockRow, listClocks } from '../../clocking/rows.js';
import { stamp } from '../../clocking/stamp.js';
import { forgottenClockOut } from '../../clocking/stamp-decision.js';
import { presentClock } from '../../clocking/time-entry.js';
import type { components, operations } from '../../generated/app-types.js';
import { actorOf } from '../../people/actor.js';
import type { Store } from '../../store/write.js';
import { presentFinding, type Warning } from '../../working-time/warnings.js';
import { ownScope, type PersonCaller } from './caller.js';
import type { AppNeeds } from './needs.js';

async function clockMyself(
  db: Store,
  kind: StampKind,
  { caller, at }: { readonly caller: PersonCaller; readonly at: Instant },
): Promise<{ readonly status: 200; readonly body: components['schemas']['OwnStamp'] }> {
  const { id: personId, company_id: companyId } = caller.person;
  const { clock_state, server_time, warnings } = await db.write({ actor: actorOf(caller.person), at }, (write) =>
    stamp(write, { personId, companyId, kind, source: { kind: 'web' } }),
  );
  return { status: 200, body: { clock_state, server_time, warnings } };
}

export function clockMyselfIn({ db }: Pick<AppNeeds, 'db'>): Handler<operations['clockMyselfIn'], PersonCaller> {
  return (request) => clockMyself(db, 'in', request);
}

export function clockMyselfOut({ db }: Pick<AppNeeds, 'db'>): Handler<operations['clockMyselfOut'], PersonCaller> {
  return (request) => clockMyself(db, 'out', request);
}

export function startMyBreak({ db }: Pick<AppNeeds, 'db'>): Handler<operations['startMyBreak'], PersonCaller> {
  return (request) => clockMyself(db, 'break_start', request);
}

export function endMyBreak({ db }: Pick<AppNeeds, 'db'>): Handler<operations['endMyBreak'], PersonCaller> {
  return (request) => clockMyself(db, 'break_end', request);
}

export function showOverview({ db }: Pick<AppNeeds, 'db'>): Handler<operations['showOverview'], PersonCaller> {
  return async ({ caller, at }) => {
    const { person } = caller;
    const today = localDateAt(at, person.time_zone);
    const [clock] = await listClocks(db, ownScope(caller), {
      state: undefined,
      afterId: 0,
      limit: 1,
    });
    const [day] = await presentDays(
      db,
      person.company_id,
      await readPersonDays(db, person, today, today, at, 'confidential'),
      person.language,
    );
    const present = today.slice(0, 7);
    const month =
      (await readPersonMonths(db, person, present, at)).at(-1) ?? untrackedMonth(present, person.opening_minutes);
    const year = Number(today.slice(0, 4));
    return {
      status: 200,
      body: {
        clock_state: presentClock(clock!),
        today: day!,
        month: presentMonth(month),
        tracked_from: person.kept_from,
        vacation: presentVacation(year, await readVacationAccount(db, person, year, today)),
        waiting_requests: await waitingOf(db, person.id),
        warnings: hintsAt(clock!, person.language, at),
        server_time: formatInstant(at),
      },
    };
  };
}

function hintsAt({ state, since }: ClockRow, language: string, at: Instant): Warning[] {
  if (state === 'out' || since === null) return [];
  return forgottenClockOut(since, at).map((finding) => presentFinding(finding, language));
}
