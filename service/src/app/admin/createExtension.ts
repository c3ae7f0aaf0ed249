import type { Handler } from '@clockproof/platform/http/operation';
import { type Instant, parseInstant } from '@clockproof/platform/time/instant';
import { invalid } from '../../api/page.js';
import { addExtension } from '../../extensions/extensions.js';
import { readExtensionName } from '../../extensions/names.js';
import { findExtension, isNameTaken } from '../../extensions/rows.js';
import { refuseSettings } from '../../extensions/settings.js';
import type { operations } from '../../generated/app-types.js';
import { isRedirectAllowed } from '../../oauth/redirect.js';
import { lockPeopleAccess } from '../../oauth/rows.js';
import { listCompanies } from '../../people/rows.js';
import { Refusal } from '../../refusal.js';
import { issueSecret } from '../../webhooks/secrets.js';
import { parseTarget } from '../../webhooks/targets.js';
import { actorOf, type PersonCaller, requireFreshFactor } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { presentExtension } from './present-extension.js';

export function createExtension({
  db,
  randomBytes,
  sealingKeys,
  allowPrivateTargets,
}: Pick<AppNeeds, 'db' | 'randomBytes' | 'sealingKeys' | 'allowPrivateTargets'>): Handler<
  operations['createExtension'],
  PersonCaller
> {
  return async ({ caller, body, at }) => {
    requireFreshFactor(caller, at);
    const keyExpiresAt = readKeyEnd(body.expires_at, at);
    const name = readName(body.name);
    const { added, webhookSecret, extension } = await db.write(async (tx) => {
      const access = await lockPeopleAccess(tx);
      if (await isNameTaken(tx, name, '')) throw nameTaken();
      if (body.company_id !== undefined && (await listCompanies(tx, body.company_id, 0, 1)).length === 0)
        throw invalid('company_id', 'There is no such company.', 'unknown');
      const row = {
        id: '',
        name,
        description: body.description ?? null,
        company_id: body.company_id ?? null,
        mode: body.mode,
        acting: body.acting,
        scopes: JSON.stringify([...new Set(body.scopes)]),
        is_leading: body.absences_count_as_approved === true ? 1 : 0,
        linkable: body.linking === true ? 1 : 0,
        redirect_uris: JSON.stringify(body.redirect_uris ?? []),
        link_days: body.link_lifetime_days ?? 90,
        client_id: '',
        webhook_url: body.webhook_url ?? null,
        created_at: at,
        updated_at: at,
      } as const;
      refuseSettings(row, {
        peopleWrites: access.people_writes === 1,
        isRedirectAllowed,
        isTargetAllowed: (address) => parseTarget(address, allowPrivateTargets) !== undefined,
      });
      const added = await addExtension(
        tx,
        {
          name: row.name,
          mode: row.mode,
          acting: row.acting,
          scopes: [...new Set(body.scopes)],
          leading: row.is_leading === 1,
          linkable: row.linkable === 1,
          redirectUris: body.redirect_uris ?? [],
          linkDays: row.link_days,
          ...(body.description === undefined ? {} : { description: body.description }),
          ...(body.company_id === undefined ? {} : { companyId: body.company_id }),
          ...(body.webhook_url === undefined ? {} : { webhookUrl: body.webhook_url }),
          ...(keyExpiresAt === null ? {} : { keyExpiresAt }),
        },
        actorOf(caller),
        at,
        randomBytes,
      );
      const webhookSecret =
        row.mode === 'webhooks' ? await issueSecret(tx, added.id, sealingKeys, randomBytes, at) : undefined;
      return { added, webhookSecret, extension: await presentExtension(tx, (await findExtension(tx, added.id))!, at) };
    });
    return {
      status: 201,
      body: { extension, key: added.key, ...(webhookSecret === undefined ? {} : { webhook_secret: webhookSecret }) },
    };
  };
}

/** @throws Refusal `invalid_request` no instant, or over already */
export function readKeyEnd(text: string | undefined, at: Instant): Instant | null {
  if (text === undefined) return null;
  const end = parseInstant(text);
  if (end === undefined || end <= at)
    throw invalid('expires_at', 'Write an RFC 3339 instant in the future.', 'out_of_range');
  return end;
}

/** @throws Refusal `invalid_request` */
export function readName(text: string): string {
  const name = readExtensionName(text);
  if (name === undefined)
    throw invalid(
      'name',
      'Write a name that can be read, without control characters, invisible ones and turns of direction.',
      'not_allowed',
    );
  return name;
}

export function nameTaken(): Refusal {
  return new Refusal('value_taken', {
    details: [{ field: 'name', code: 'taken', error: 'Another extension has this name.' }],
  });
}
