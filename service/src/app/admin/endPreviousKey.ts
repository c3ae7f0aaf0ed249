import type { Handler } from '@clockproof/platform/http/operation';
import { endPreviousKeys } from '../../extensions/extensions.js';
import { lockExtension } from '../../extensions/rows.js';
import type { operations } from '../../generated/app-types.js';
import { Refusal } from '../../refusal.js';
import { actorOf, type PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';

export function endPreviousKey({ db }: Pick<AppNeeds, 'db'>): Handler<operations['endPreviousKey'], PersonCaller> {
  return async ({ caller, path: { id }, at }) => {
    await db.write(async (tx) => {
      const extension = await lockExtension(tx, id);
      if (extension === undefined) throw new Refusal('not_found');
      await endPreviousKeys(tx, extension, actorOf(caller), at);
    });
    return { status: 204 };
  };
}
