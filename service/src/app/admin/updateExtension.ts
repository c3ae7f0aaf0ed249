import type { Transaction } from '@clockproof/platform/database/database';
import type { Handler } from '@clockproof/platform/http/operation';
import type { Instant } from '@clockproof/platform/time/instant';
import { invalid } from '../../api/page.js';
import { type Actor, appendAudit } from '../../audit/audit.js';
import { changedSettings } from '../../extensions/audited-settings.js';
import {
  type ExtensionRow,
  findExtension,
  isNameTaken,
  lockExtension,
  updateExtensionRow,
} from '../../extensions/rows.js';
import { refuseSettings } from '../../extensions/settings.js';
import type { components, operations } from '../../generated/app-types.js';
import { endLinks } from '../../oauth/links.js';
import { isRedirectAllowed } from '../../oauth/redirect.js';
import { lockPeopleAccess, voidConsents } from '../../oauth/rows.js';
import { listCompanies } from '../../people/rows.js';
import { Refusal } from '../../refusal.js';
import { settleSecret } from '../../webhooks/secrets.js';
import { parseTarget } from '../../webhooks/targets.js';
import { actorOf, type PersonCaller, requireFreshFactor } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { nameTaken, readName } from './createExtension.js';
import { presentExtension } from './present-extension.js';

export function updateExtension({
  db,
  randomBytes,
  sealingKeys,
  allowPrivateTargets,
}: Pick<AppNeeds, 'db' | 'randomBytes' | 'sealingKeys' | 'allowPrivateTargets'>): Handler<
  operations['updateExtension'],
  PersonCaller
> {
  return async ({ caller, path: { id }, body, at }) => {
    requireFreshFactor(caller, at);
    const extension = await db.write(async (tx) => {
      const access = await lockPeopleAccess(tx);
      const before = await lockExtension(tx, id);
      if (before === undefined) throw new Refusal('not_found');
      const after = { ...merge(before, body), updated_at: at };
      if (after.name !== before.name && (await isNameTaken(tx, after.name, id))) throw nameTaken();
      if (after.company_id !== null && (await listCompanies(tx, after.company_id, 0, 1)).length === 0)
        throw invalid('company_id', 'There is no such company.', 'unknown');
      refuseSettings(after, {
        peopleWrites: access.people_writes === 1,
        isRedirectAllowed,
        isTargetAllowed: (address) => parseTarget(address, allowPrivateTargets) !== undefined,
      });
      await updateExtensionRow(tx, after);
      // A new one is shown by a rotation.
      await settleSecret(tx, after, sealingKeys, randomBytes, at);
      await endWhatIsLeftOut(tx, before, after, actorOf(caller), at);
      const changes = changedSettings(before, after);
      if (changes.length > 0)
        await appendAudit(tx, {
          at,
          companyId: after.company_id ?? undefined,
          actor: actorOf(caller),
          action: 'extension.changed',
          subject: `extension ${id}`,
          details: { changes },
        });
      return presentExtension(tx, (await findExtension(tx, id))!, at);
    });
    return { status: 200, body: extension };
  };
}

/** Links that the settings allow no more are over for good: setting them back revives none. */
async function endWhatIsLeftOut(
  tx: Transaction,
  before: ExtensionRow,
  after: ExtensionRow,
  actor: Actor,
  at: Instant,
): Promise<void> {
  const [closed, rebound] = [before.linkable === 1 && after.linkable === 0, before.company_id !== after.company_id];
  if (closed || rebound) await voidConsents(tx, { extensionId: after.id }, at);
  if (closed) await endLinks(tx, { extensionId: after.id }, 'linking_off', actor, at);
  if (rebound && after.company_id !== null)
    await endLinks(tx, { extensionId: after.id, outsideCompany: after.company_id }, 'extension_rebound', actor, at);
}

function merge(row: ExtensionRow, change: components['schemas']['ExtensionChange']): ExtensionRow {
  const mode = change.mode ?? row.mode;
  const bit = (asked: boolean | undefined, present: 0 | 1) => (asked === undefined ? present : asked ? 1 : 0);
  return {
    ...row,
    mode,
    name: change.name === undefined ? row.name : readName(change.name),
    acting: change.acting ?? row.acting,
    description: change.description === undefined ? row.description : change.description,
    company_id: change.company_id === undefined ? row.company_id : change.company_id,
    scopes: change.scopes === undefined ? row.scopes : JSON.stringify([...new Set(change.scopes)]),
    is_leading: bit(change.absences_count_as_approved, row.is_leading),
    linkable: bit(change.linking, row.linkable),
    redirect_uris: change.redirect_uris === undefined ? row.redirect_uris : JSON.stringify(change.redirect_uris),
    link_days: change.link_lifetime_days ?? row.link_days,
    // An address goes with its mode.
    webhook_url: change.webhook_url !== undefined ? change.webhook_url : mode === 'webhooks' ? row.webhook_url : null,
  };
}
