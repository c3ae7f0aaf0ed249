/** Balances and bookings of time accounts, for payroll. */

import { formatInstant } from '@clockproof/platform/time/instant';
import { type LocalDate, localDateAt } from '@clockproof/platform/time/local-date';
import { utc } from '@clockproof/platform/time/zone';
import type { components } from '../../generated/service-types.js';
import { refuseFarMonth } from '../../http/far-month.js';
import type { ApiHandler } from '../../http/handler.js';
import { pageOf } from '../../http/page.js';
import { readPeriod } from '../../http/period.js';
import { nameOf } from '../../people/actor.js';
import { callerKey, narrowedScope } from '../../people/caller.js';
import { bindingOf } from '../../store/scope.js';
import { listPeopleTrackedOn } from '../rows.js';
import { type BalanceOn, readBalancesOn } from './balances-on.js';
import { type ListedBooking, listBookingRows } from './booking-rows.js';

export const listTimeBalances: ApiHandler<'listTimeBalances'> = async ({ db, cursors, caller, query, at }) => {
  const { date, user_id: personId, company_id: companyId, cursor, limit = 100 } = query;
  const scope = await narrowedScope(db, caller, { companyId, personId });
  const binding = ['listTimeBalances', callerKey(caller), bindingOf(scope), date];
  const afterId = cursor === undefined ? 0 : cursors.read<number>(binding, cursor);
  // People of several companies.
  refuseFarMonth(date.slice(0, 7), localDateAt(at, utc), 'date');
  const people = await listPeopleTrackedOn(db, scope, date, { afterId, limit: limit + 1 });
  const balances = await readBalancesOn(db, people, date, at);
  return {
    status: 200,
    body: pageOf(
      balances,
      limit,
      (balance) => presentBalance(balance, date),
      (last) => cursors.write(binding, last.person.id),
    ),
  };
};

function presentBalance(
  { person, sum, carriedMinutes, bookedMinutes, balanceMinutes, closed: isClosed }: BalanceOn,
  date: LocalDate,
): components['schemas']['TimeBalance'] {
  return {
    user_id: person.id,
    user_name: nameOf(person),
    company_id: person.company_id,
    company_name: person.company_name,
    date,
    carried_minutes: carriedMinutes,
    target_minutes: sum.targetMinutes,
    worked_minutes: sum.workedMinutes,
    difference_minutes: sum.differenceMinutes,
    booked_minutes: bookedMinutes,
    balance_minutes: balanceMinutes,
    closed: isClosed,
  };
}

export const listTimeBookings: ApiHandler<'listTimeBookings'> = async ({ db, cursors, caller, query }) => {
  const { user_id: personId, company_id: companyId, cursor, limit = 100 } = query;
  const period = readPeriod(query)!;
  const scope = await narrowedScope(db, caller, { companyId, personId });
  const binding = ['listTimeBookings', callerKey(caller), bindingOf(scope), period];
  const after = cursor === undefined ? undefined : cursors.read<{ date: string; id: number }>(binding, cursor);
  const rows = await listBookingRows(db, scope, { ...period, after, limit: limit + 1 });
  return {
    status: 200,
    body: pageOf(rows, limit, presentBooking, (last) => cursors.write(binding, { date: last.date, id: last.id })),
  };
};

function presentBooking(row: ListedBooking): components['schemas']['TimeBooking'] {
  return {
    id: row.id,
    user_id: row.person_id,
    user_name: row.user_name,
    company_id: row.company_id,
    company_name: row.company_name,
    kind: row.kind,
    date: row.date,
    minutes: row.minutes,
    reason: row.reason ?? undefined,
    cancels: row.cancels ?? undefined,
    created_at: formatInstant(row.booked_at),
  };
}
