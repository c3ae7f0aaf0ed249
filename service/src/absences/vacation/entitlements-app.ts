import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { localDateAt } from '@clockproof/platform/time/local-date';
import type { components } from '../../generated/app-types.js';
import type { AppHandler } from '../../http/handler.js';
import { actorOf } from '../../people/actor.js';
import { personFor } from '../../people/administered.js';
import type { PersonRow } from '../../people/rows.js';
import { changePersonRecord } from '../../working-time/change-person.js';
import { presentVacation } from '../present.js';
import { listEntitlementRows } from '../rows.js';
import { readVacationAccount, saveEntitlement } from './vacation-account.js';

export const listEntitlements: AppHandler<'listEntitlements'> = async ({ db, caller, path: { id }, at }) => {
  const person = await personFor(db, caller, id);
  const data: components['schemas']['Entitlement'][] = [];
  for (const { year } of await listEntitlementRows(db, person.id))
    data.push(await presentEntitlement(db, person, year, at));
  return { status: 200, body: { data } };
};

export const setEntitlement: AppHandler<'setEntitlement'> = async ({ db, caller, path: { id, year }, body, at }) =>
  db.write({ actor: actorOf(caller.person), at }, async (write) => {
    const person = await personFor(write, caller, id);
    await saveEntitlement(write, person, year, {
      days: body.days,
      carriedDays: body.carried_over_days,
      carriedUntil: body.carry_over_until ?? null,
    });
    return { status: 200, body: await presentEntitlement(write, person, year, at) };
  });

async function presentEntitlement(
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
    carry_over_until: account.carriedUntil ?? undefined,
    account: presentVacation(year, account),
  };
}

export const showOpeningBalance: AppHandler<'showOpeningBalance'> = async ({ db, caller, path: { id } }) => {
  const person = await personFor(db, caller, id);
  return { status: 200, body: { date: person.tracking_start, balance_minutes: person.opening_minutes } };
};

export const setOpeningBalance: AppHandler<'setOpeningBalance'> = ({
  db,
  caller,
  path: { id },
  body: { date, balance_minutes: minutes },
  at,
}) =>
  db.write({ actor: actorOf(caller.person), at }, async (write) => {
    const { company_id: companyId } = await personFor(write, caller, id);
    const person = await changePersonRecord(write, id, companyId, { tracking_start: date, opening_minutes: minutes });
    return { status: 200, body: { date: person.tracking_start, balance_minutes: person.opening_minutes } };
  });
