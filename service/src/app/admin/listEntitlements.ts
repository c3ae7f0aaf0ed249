import type { Handler } from '@clockproof/platform/http/operation';
import { listEntitlementRows } from '../../absences/rows.js';
import type { components, operations } from '../../generated/app-types.js';
import type { PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { personFor } from './administered.js';
import { presentEntitlement } from './present-entitlement.js';

export function listEntitlements({ db }: Pick<AppNeeds, 'db'>): Handler<operations['listEntitlements'], PersonCaller> {
  return async ({ caller, path: { id }, at }) => {
    const person = await personFor(db, caller, id);
    const data: components['schemas']['Entitlement'][] = [];
    for (const { year } of await listEntitlementRows(db, person.id))
      data.push(await presentEntitlement(db, person, year, at));
    return { status: 200, body: { data } };
  };
}
