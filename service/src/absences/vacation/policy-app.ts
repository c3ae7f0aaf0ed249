/** What a company gives as vacation, what is carried over, and whether a person's absences need approval. */
import type { Handler } from '@clockproof/platform/http/operation';
import type { components, operations } from '../../generated/app-types.js';
import type { AppNeeds } from '../../http/needs.js';
import { actorOf, nameOf } from '../../people/actor.js';
import { companyFor, personFor } from '../../people/administered.js';
import type { PersonCaller } from '../../people/caller.js';
import { findVacationPolicy, readApprovalRule, type VacationPolicyRow } from '../rows.js';
import {
  carryOverVacation as carryOver,
  previewCarryOver,
  setVacationPolicy as setPolicy,
  setApprovalRule as setRule,
} from './policy.js';

export function showVacationPolicy({
  db,
}: Pick<AppNeeds, 'db'>): Handler<operations['showVacationPolicy'], PersonCaller> {
  return async ({ caller, path: { id } }) => ({
    status: 200,
    body: presentPolicy(await findVacationPolicy(db, (await companyFor(db, caller, id)).id)),
  });
}

export function setVacationPolicy({
  db,
}: Pick<AppNeeds, 'db'>): Handler<operations['setVacationPolicy'], PersonCaller> {
  return async ({
    caller,
    path: { id },
    body: { days, pro_rata: proRata = 'none', carry_over_until: carryUntil = null },
    at,
  }) => ({
    status: 200,
    body: presentPolicy(
      await db.write({ actor: actorOf(caller.person), at }, (write) =>
        setPolicy(write, caller, id, { days, carryUntil, proRata }),
      ),
    ),
  });
}

function presentPolicy(row: VacationPolicyRow | undefined): components['schemas']['VacationPolicy'] {
  if (row === undefined) return {};
  return {
    days: row.half_days / 2,
    pro_rata: row.pro_rata,
    ...(row.carry_until === null ? {} : { carry_over_until: row.carry_until }),
  };
}

export function carryOverVacation({
  db,
}: Pick<AppNeeds, 'db'>): Handler<operations['carryOverVacation'], PersonCaller> {
  return async ({ caller, path: { id }, body: { from_year: year }, at }) => {
    const carried = await db.write({ actor: actorOf(caller.person), at }, (write) =>
      carryOver(write, caller, id, year),
    );
    return {
      status: 200,
      body: {
        from_year: year,
        data: carried.map(({ person, next }) => ({
          person: { id: person.id, name: nameOf(person) },
          days: next.carriedDays,
        })),
      },
    };
  };
}

export function previewVacationCarryOver({
  db,
}: Pick<AppNeeds, 'db'>): Handler<operations['previewVacationCarryOver'], PersonCaller> {
  return async ({ caller, path: { id }, body: { from_year: fromYear }, at }) => ({
    status: 200,
    body: {
      from_year: fromYear,
      data: (await previewCarryOver(db, caller, id, { fromYear, at })).map(
        ({ person, next, carriedBefore, expired, changes }) => ({
          person: { id: person.id, name: nameOf(person) },
          days: next.carriedDays,
          carried_over_days: carriedBefore,
          ...(next.carriedUntil === null ? {} : { carry_over_until: next.carriedUntil }),
          expired_days: expired,
          changes,
        }),
      ),
    },
  });
}

export function showApprovalRule({ db }: Pick<AppNeeds, 'db'>): Handler<operations['showApprovalRule'], PersonCaller> {
  return async ({ caller, path: { id } }) => ({
    status: 200,
    body: { approval: await readApprovalRule(db, (await personFor(db, caller, id)).id) },
  });
}

export function setApprovalRule({ db }: Pick<AppNeeds, 'db'>): Handler<operations['setApprovalRule'], PersonCaller> {
  return async ({ caller, path: { id }, body: { approval }, at }) => {
    await db.write({ actor: actorOf(caller.person), at }, (write) => setRule(write, caller, id, approval));
    return { status: 200, body: { approval } };
  };
}
