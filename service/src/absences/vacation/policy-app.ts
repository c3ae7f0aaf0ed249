/** A company's vacation days, their carry-over, and the approval rule for a person's absences. */

import type { components } from '../../generated/app-types.js';
import type { AppHandler } from '../../http/handler.js';
import { actorOf, nameOf } from '../../people/actor.js';
import { companyFor, personFor } from '../../people/administered.js';
import { findVacationPolicy, readApprovalRule, type VacationPolicyRow } from '../rows.js';
import { carryOverDays, changeApprovalRule, previewCarryOver, saveVacationPolicy } from './policy.js';

export const showVacationPolicy: AppHandler<'showVacationPolicy'> = async ({ db, caller, path: { id } }) => ({
  status: 200,
  body: presentPolicy(await findVacationPolicy(db, (await companyFor(db, caller, id)).id)),
});

export const setVacationPolicy: AppHandler<'setVacationPolicy'> = async ({
  db,
  caller,
  path: { id },
  body: { days, pro_rata: proRata = 'none', carry_over_until: carryUntil = null },
  at,
}) => ({
  status: 200,
  body: presentPolicy(
    await db.write({ actor: actorOf(caller.person), at }, (write) =>
      saveVacationPolicy(write, caller, id, { days, carryUntil, proRata }),
    ),
  ),
});

function presentPolicy(row: VacationPolicyRow | undefined): components['schemas']['VacationPolicy'] {
  if (row === undefined) return {};
  return {
    days: row.half_days / 2,
    pro_rata: row.pro_rata,
    carry_over_until: row.carry_until ?? undefined,
  };
}

export const carryOverVacation: AppHandler<'carryOverVacation'> = async ({
  db,
  caller,
  path: { id },
  body: { from_year: year },
  at,
}) => {
  const carryOverPlans = await db.write({ actor: actorOf(caller.person), at }, (write) =>
    carryOverDays(write, caller, id, year),
  );
  return {
    status: 200,
    body: {
      from_year: year,
      data: carryOverPlans.map(({ person, next }) => ({
        person: { id: person.id, name: nameOf(person) },
        days: next.carriedDays,
      })),
    },
  };
};

export const previewVacationCarryOver: AppHandler<'previewVacationCarryOver'> = async ({
  db,
  caller,
  path: { id },
  body: { from_year: fromYear },
  at,
}) => ({
  status: 200,
  body: {
    from_year: fromYear,
    data: (await previewCarryOver(db, caller, id, { fromYear, at })).map(
      ({ person, next, carriedBefore, expiredDays, changes }) => ({
        person: { id: person.id, name: nameOf(person) },
        days: next.carriedDays,
        carried_over_days: carriedBefore,
        carry_over_until: next.carriedUntil ?? undefined,
        expired_days: expiredDays,
        changes,
      }),
    ),
  },
});

export const showApprovalRule: AppHandler<'showApprovalRule'> = async ({ db, caller, path: { id } }) => ({
  status: 200,
  body: { approval: await readApprovalRule(db, (await personFor(db, caller, id)).id) },
});

export const setApprovalRule: AppHandler<'setApprovalRule'> = async ({
  db,
  caller,
  path: { id },
  body: { approval },
  at,
}) => {
  await db.write({ actor: actorOf(caller.person), at }, (write) => changeApprovalRule(write, caller, id, approval));
  return { status: 200, body: { approval } };
};
