import type { Handler } from '@clockproof/platform/http/operation';
import { noteAccessChange } from '../../extensions/rows.js';
import type { operations } from '../../generated/app-types.js';
import { turnAccess } from '../../oauth/links.js';
import { Refusal } from '../../refusal.js';
import { actorOf, type PersonCaller, requireFreshFactor } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { presentAccess } from './showAccess.js';

export function updateAccess({
  db,
  dataKey,
  extensionsEnabled,
}: Pick<AppNeeds, 'db' | 'dataKey' | 'extensionsEnabled'>): Handler<operations['updateAccess'], PersonCaller> {
  return async ({ caller, body, at }) => {
    requireFreshFactor(caller, at);
    if (!extensionsEnabled && (body.extensions_write === true || body.personal_links === true))
      throw new Refusal('feature_disabled');
    const result = await db.write(async (tx) => {
      const turned = await turnAccess(
        tx,
        {
          ...(body.extensions_write === undefined ? {} : { writes: body.extensions_write }),
          ...(body.personal_links === undefined ? {} : { links: body.personal_links }),
          ...(body.terminals === undefined ? {} : { terminals: body.terminals }),
        },
        actorOf(caller),
        at,
      );
      await noteAccessChange(tx, caller.person.id, at);
      return {
        access: await presentAccess(tx, dataKey !== undefined),
        ended_links: turned.endedLinks,
        stripped_keys: turned.strippedKeys,
      };
    });
    return { status: 200, body: result };
  };
}
