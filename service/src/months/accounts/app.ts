/** Time accounts: for the person, for those who decide about them, and HR's bookings. */

import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { localDateAt } from '@clockproof/platform/time/local-date';
import { personInApproverScope } from '../../absences/deciders/approver-scope.js';
import type { components } from '../../generated/app-types.js';
import { refuseFarMonth } from '../../http/far-month.js';
import type { AppHandler } from '../../http/handler.js';
import { readPeriod } from '../../http/period.js';
import { actorOf } from '../../people/actor.js';
import { companyFor, personFor } from '../../people/administered.js';
import { ownScope, type PersonCaller } from '../../people/caller.js';
import { findPerson, type PersonRow } from '../../people/rows.js';
import { type Evaluation, requirePermitFor, revealedTo } from '../../working-time/evaluations.js';
import { readPersonMonths } from '../person-balance.js';
import { presentAccount } from '../present.js';
import { accountTable } from './account-table.js';
import { changeFlexitimeLimits, type FlexitimeLimits, noLimits, ownLimits } from './flexitime-limits.js';
import { readTimeAccount } from './time-account.js';
import { addTimeBooking, reverseTimeBooking } from './time-bookings.js';

type Schemas = components['schemas'];

/**
 * @throws Refusal `not_found` somebody else, whose requests do not reach the caller, `evaluation_off` their account is
 * not shown to others
 */
async function readableAccount(
  reader: Reader,
  caller: PersonCaller,
  {
    id,
    query,
    evaluations,
  }: {
    readonly id: number;
    readonly query: { readonly from?: string; readonly to?: string };
    readonly evaluations: readonly Evaluation[];
  },
  at: Instant,
): Promise<Schemas['TimeAccount']> {
  const period = readPeriod(query)!;
  const person =
    id === caller.person.id
      ? ((await findPerson(reader, id, ownScope(caller))) ?? caller.person)
      : await personInApproverScope(reader, caller, id, at);
  refuseFarMonth(period.to.slice(0, 7), localDateAt(at, person.time_zone), 'to');
  for (const evaluation of evaluations)
    await requirePermitFor(reader, { caller: caller.person.id, person }, evaluation);
  return presentAccount(await readTimeAccount(reader, person, period, at));
}

export const showTimeAccount: AppHandler<'showTimeAccount'> = async ({ db, caller, path: { id }, query, at }) => ({
  status: 200,
  body: await readableAccount(db, caller, { id, query, evaluations: ['month_reports'] }, at),
});

export const exportTimeAccount: AppHandler<'exportTimeAccount'> = async ({ db, caller, path: { id }, query, at }) => {
  const evaluations = ['month_reports', 'sheet_exports'] as const;
  const account = await readableAccount(db, caller, { id, query, evaluations }, at);
  return {
    status: 200,
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="time-account-${id}-${account.from}-${account.to}.csv"`,
    },
    body: accountTable(account),
  };
};

async function presentBooking(
  reader: Reader,
  caller: PersonCaller,
  person: PersonRow,
  id: number,
  at: Instant,
): Promise<{ readonly status: 201; readonly body: Schemas['BookedTime'] }> {
  if (!(await revealedTo(reader, caller.person.id, person)).balances) return { status: 201, body: { id } };
  const month = localDateAt(at, person.time_zone).slice(0, 7);
  const last = (await readPersonMonths(reader, person, month, at)).at(-1);
  return { status: 201, body: { id, balance_minutes: last?.balanceMinutes ?? person.opening_minutes } };
}

export const bookTime: AppHandler<'bookTime'> = ({
  db,
  caller,
  path: { id },
  body: { kind, minutes, date, reason },
  at,
}) =>
  db.write({ actor: actorOf(caller.person), at }, async (write) => {
    const person = await personFor(write, caller, id);
    const row = await addTimeBooking(write, person, { kind, minutes, date, reason, by: caller.person.id });
    return presentBooking(write, caller, person, row.id, at);
  });

export const cancelTimeBooking: AppHandler<'cancelTimeBooking'> = ({
  db,
  caller,
  path: { id, booking_id: bookingId },
  body: { date, reason },
  at,
}) =>
  db.write({ actor: actorOf(caller.person), at }, async (write) => {
    const person = await personFor(write, caller, id);
    const row = await reverseTimeBooking(write, person, bookingId, { date, reason, by: caller.person.id });
    return presentBooking(write, caller, person, row.id, at);
  });

function presentLimits(limits: FlexitimeLimits | undefined): Schemas['FlexitimeLimits'] {
  if (limits === undefined) return {};
  const { upperMinutes, atUpper, lowerMinutes } = limits;
  return {
    upper_minutes: upperMinutes ?? undefined,
    at_upper: atUpper,
    lower_minutes: lowerMinutes ?? undefined,
  };
}

function limitsFrom(body: Schemas['FlexitimeLimitsInput']): FlexitimeLimits | undefined {
  if (Object.keys(body).length === 0) return undefined;
  const { upper_minutes: upper = null, at_upper: atUpper = noLimits.atUpper, lower_minutes: lower = null } = body;
  return { upperMinutes: upper, atUpper, lowerMinutes: lower };
}

export const showFlexitimeLimits: AppHandler<'showFlexitimeLimits'> = async ({ db, caller, path: { id } }) => ({
  status: 200,
  body: presentLimits(await ownLimits(db, (await companyFor(db, caller, id)).id, null)),
});

export const setFlexitimeLimits: AppHandler<'setFlexitimeLimits'> = async ({ db, caller, path: { id }, body, at }) => {
  const limits = limitsFrom(body);
  await db.write({ actor: actorOf(caller.person), at }, async (write) => {
    const company = await companyFor(write, caller, id);
    await changeFlexitimeLimits(write, { companyId: company.id, personId: null }, limits);
  });
  return { status: 200, body: presentLimits(limits) };
};

export const showFlexitimeLimitsOfPerson: AppHandler<'showFlexitimeLimitsOfPerson'> = async ({
  db,
  caller,
  path: { id },
}) => {
  const person = await personFor(db, caller, id);
  return { status: 200, body: presentLimits(await ownLimits(db, person.company_id, person.id)) };
};

export const setFlexitimeLimitsOfPerson: AppHandler<'setFlexitimeLimitsOfPerson'> = async ({
  db,
  caller,
  path: { id },
  body,
  at,
}) => {
  const limits = limitsFrom(body);
  await db.write({ actor: actorOf(caller.person), at }, async (write) => {
    const person = await personFor(write, caller, id);
    await changeFlexitimeLimits(write, { companyId: person.company_id, personId: person.id }, limits);
  });
  return { status: 200, body: presentLimits(limits) };
};
