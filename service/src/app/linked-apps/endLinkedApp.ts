import type { Handler } from '@clockproof/platform/http/operation';
import type { operations } from '../../generated/app-types.js';
import { endLinks } from '../../oauth/links.js';
import { findStanding } from '../../oauth/rows.js';
import { Refusal } from '../../refusal.js';
import { actorOf, type PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';

export function endLinkedApp({ db }: Pick<AppNeeds, 'db'>): Handler<operations['endLinkedApp'], PersonCaller> {
  return async ({ caller, path: { id }, at }) => {
    await db.write(async (tx) => {
      if (
        (await findStanding(tx, id))?.person_id !== caller.person.id ||
        (await endLinks(tx, { linkId: id }, 'revoked_by_person', actorOf(caller), at)) === 0
      )
        throw new Refusal('not_found');
    });
    return { status: 204 };
  };
}
