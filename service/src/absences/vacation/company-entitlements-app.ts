/** Previews and sets the vacation days of many people. */

import type { components } from '../../generated/app-types.js';
import type { AppHandler } from '../../http/handler.js';
import { actorOf, nameOf } from '../../people/actor.js';
import { type EntitlementsDraft, type PlannedEntitlement, planEntitlements, saveEntitlements } from './entitlements.js';

type Schemas = components['schemas'];

export const previewEntitlements: AppHandler<'previewEntitlements'> = async ({ db, caller, path: { id }, body }) => ({
  status: 200,
  body: { year: body.year, data: (await planEntitlements(db, caller, id, draftOf(body))).map(present) },
});

export const setEntitlements: AppHandler<'setEntitlements'> = async ({ db, caller, path: { id }, body, at }) => ({
  status: 200,
  body: {
    year: body.year,
    data: (
      await db.write({ actor: actorOf(caller.person), at }, (write) =>
        saveEntitlements(write, caller, id, draftOf(body)),
      )
    ).map(present),
  },
});

function draftOf(body: Schemas['EntitlementsInput']): EntitlementsDraft {
  return { year: body.year, days: body.days, departmentId: body.department_id, userIds: body.user_ids };
}

function present(plan: PlannedEntitlement): Schemas['CalculatedEntitlement'] {
  if ('error' in plan)
    return {
      user_id: plan.id,
      name: plan.person === undefined ? undefined : nameOf(plan.person),
      changes: false,
      error: plan.error,
    };
  const { person, before, after, changes } = plan;
  return {
    user_id: person.id,
    name: nameOf(person),
    before_days: before?.days,
    ...after,
    changes,
  };
}
