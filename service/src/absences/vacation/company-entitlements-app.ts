/** The vacation days of many people: what setting them would do, and setting them. */
import type { Handler } from '@clockproof/platform/http/operation';
import type { components, operations } from '../../generated/app-types.js';
import type { AppNeeds } from '../../http/needs.js';
import { actorOf, nameOf } from '../../people/actor.js';
import type { PersonCaller } from '../../people/caller.js';
import {
  type EntitlementsDraft,
  type PlannedEntitlement,
  previewEntitlements as preview,
  setEntitlements as set,
} from './entitlements.js';

type Schemas = components['schemas'];

export function previewEntitlements({
  db,
}: Pick<AppNeeds, 'db'>): Handler<operations['previewEntitlements'], PersonCaller> {
  return async ({ caller, path: { id }, body }) => ({
    status: 200,
    body: { year: body.year, data: (await preview(db, caller, id, draftOf(body))).map(present) },
  });
}

export function setEntitlements({ db }: Pick<AppNeeds, 'db'>): Handler<operations['setEntitlements'], PersonCaller> {
  return async ({ caller, path: { id }, body, at }) => ({
    status: 200,
    body: {
      year: body.year,
      data: (
        await db.write({ actor: actorOf(caller.person), at }, (write) => set(write, caller, id, draftOf(body)))
      ).map(present),
    },
  });
}

function draftOf(body: Schemas['EntitlementsInput']): EntitlementsDraft {
  return { year: body.year, days: body.days, departmentId: body.department_id, userIds: body.user_ids };
}

function present(plan: PlannedEntitlement): Schemas['CalculatedEntitlement'] {
  if ('error' in plan)
    return {
      user_id: plan.id,
      ...(plan.person === undefined ? {} : { name: nameOf(plan.person) }),
      changes: false,
      error: plan.error,
    };
  const { person, before, after, changes } = plan;
  return {
    user_id: person.id,
    name: nameOf(person),
    ...(before === undefined ? {} : { before_days: before.days }),
    ...after,
    changes,
  };
}
