import type { Handler } from '@clockproof/platform/http/operation';
import { blockBadge } from '../../badges/badges.js';
import { listActiveBadges } from '../../badges/rows.js';
import type { operations } from '../../generated/app-types.js';
import { endLinks } from '../../oauth/links.js';
import { lockPeopleAccess, voidConsents } from '../../oauth/rows.js';
import { deactivatePerson as deactivate } from '../../people/people.js';
import { Refusal } from '../../refusal.js';
import { markAllEnded } from '../../sign-in/rows.js';
import { actorOf, type PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { personFor } from './administered.js';
import { reachesFurther } from './invitePerson.js';
import { presentAdministered } from './present-person.js';

/**
 * If the process stops before the commit the person works on as before; after it every door is shut: pages, apps,
 * terminals.
 */
export function deactivatePerson({ db }: Pick<AppNeeds, 'db'>): Handler<operations['deactivatePerson'], PersonCaller> {
  return ({ caller, path: { id }, body: { employment_end: lastDay }, at }) =>
    db.write(async (tx) => {
      await lockPeopleAccess(tx);
      const { company_id: companyId, role } = await personFor(tx, caller, id);
      if (reachesFurther(role, caller.person.role)) throw new Refusal('forbidden');
      await voidConsents(tx, { personId: id }, at);
      // Links first: whoever ends one holds its row before asking for a place in the order of commit.
      await endLinks(tx, { personId: id }, 'person_left', actorOf(caller), at);
      await markAllEnded(tx, id, '', at);
      const person = await deactivate(tx, id, companyId, lastDay, actorOf(caller), at);
      for (const badge of await listActiveBadges(tx, id)) await blockBadge(tx, badge, companyId, actorOf(caller), at);
      return { status: 200, body: await presentAdministered(tx, person) };
    });
}
