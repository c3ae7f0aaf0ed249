import type { Handler } from '@clockproof/platform/http/operation';
import type { operations } from '../../generated/app-types.js';
import { endLinks } from '../../oauth/links.js';
import { findStanding } from '../../oauth/rows.js';
import { Refusal } from '../../refusal.js';
import { actorOf, type PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';

export function endExtensionLink({ db }: Pick<AppNeeds, 'db'>): Handler<operations['endExtensionLink'], PersonCaller> {
  return async ({ caller, path: { id, link_id: linkId }, at }) => {
    await db.write(async (tx) => {
      if (
        (await findStanding(tx, linkId))?.extension_id !== id ||
        (await endLinks(tx, { linkId }, 'revoked_by_admin', actorOf(caller), at)) === 0
      )
        throw new Refusal('not_found');
    });
    return { status: 204 };
  };
}
