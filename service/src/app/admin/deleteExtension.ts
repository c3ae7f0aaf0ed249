import type { Handler } from '@clockproof/platform/http/operation';
import { appendAudit } from '../../audit/audit.js';
import { lockExtension, markExtensionDeleted } from '../../extensions/rows.js';
import type { operations } from '../../generated/app-types.js';
import { endLinks } from '../../oauth/links.js';
import { lockPeopleAccess, voidConsents } from '../../oauth/rows.js';
import { Refusal } from '../../refusal.js';
import { deleteSecrets } from '../../webhooks/rows.js';
import { actorOf, type PersonCaller, requireFreshFactor } from '../caller.js';
import type { AppNeeds } from '../needs.js';

export function deleteExtension({ db }: Pick<AppNeeds, 'db'>): Handler<operations['deleteExtension'], PersonCaller> {
  return async ({ caller, path: { id }, at }) => {
    requireFreshFactor(caller, at);
    // The lock that everything minting a link takes: no link outlives its extension.
    await db.write(async (tx) => {
      await lockPeopleAccess(tx);
      const extension = await lockExtension(tx, id);
      if (extension === undefined) throw new Refusal('not_found');
      await markExtensionDeleted(tx, id, at);
      await deleteSecrets(tx, id);
      await voidConsents(tx, { extensionId: id }, at);
      await endLinks(tx, { extensionId: id }, 'extension_deleted', actorOf(caller), at);
      await appendAudit(tx, {
        at,
        companyId: extension.company_id ?? undefined,
        actor: actorOf(caller),
        action: 'extension.deleted',
        subject: `extension ${id}`,
        details: { name: extension.name },
      });
    });
    return { status: 204 };
  };
}
