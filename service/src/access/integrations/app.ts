import type { Reader } from '@clockproof/platform/database/database';
import { formatInstant, type Instant } from '@clockproof/platform/time/instant';
import { type ExtensionRow, endOfKey, findExtension, listExtensionRows, liveKeys } from '../../extensions/rows.js';
import { chosenEventTypes } from '../../extensions/settings.js';
import { presentEndpoint } from '../../extensions/webhooks/present.js';
import type { components } from '../../generated/app-types.js';
import type { Scope } from '../../generated/contract.js';
import type { AppHandler } from '../../http/handler.js';
import { pageOf } from '../../http/page.js';
import { actorOf } from '../../people/actor.js';
import { requireFreshFactor } from '../../people/caller.js';
import { Refusal } from '../../store/refusal.js';
import { endExpiredLinks, endLinkOfExtension, scopesNow } from '../oauth/links.js';
import { countLinks, listLinkRows } from '../oauth/rows.js';
import { addExtension, changeExtension, readKeyEnd, removeExtension } from './extensions.js';

export const listExtensions: AppHandler<'listExtensions'> = async ({
  db,
  cursors,
  caller,
  query: { cursor, limit = 100 },
  at,
}) => {
  const binding = ['listExtensions', caller.person.id];
  const after = cursor === undefined ? undefined : cursors.read<{ name: string; id: string }>(binding, cursor);
  const page = pageOf(
    await listExtensionRows(db, after, limit + 1),
    limit,
    (row) => row,
    (last) => cursors.write(binding, { name: last.name, id: last.id }),
  );
  return {
    status: 200,
    body: { ...page, data: await Promise.all(page.data.map((row) => presentExtension(db, row, at))) },
  };
};

export const showExtension: AppHandler<'showExtension'> = async ({ db, path: { id }, at }) => {
  const row = await findExtension(db, id);
  if (row === undefined) throw new Refusal('not_found');
  return { status: 200, body: await presentExtension(db, row, at) };
};

export const createExtension: AppHandler<'createExtension'> = async (request) => {
  const { db, caller, body, at } = request;
  requireFreshFactor(caller, at);
  const keyExpiresAt = readKeyEnd(body.expires_at, at);
  const newExtension = {
    name: body.name,
    mode: body.mode,
    acting: body.acting,
    scopes: body.scopes,
    leading: body.absences_count_as_approved === true,
    linkable: body.linking === true,
    redirectUris: body.redirect_uris ?? [],
    linkDays: body.link_lifetime_days ?? 90,
    keyReads: body.key_reads,
    eventTypes: body.event_types,
    description: body.description,
    companyId: body.company_id,
    webhookUrl: body.webhook_url,
    keyExpiresAt: keyExpiresAt ?? undefined,
  };
  const { addedExtension, extension } = await db.write({ actor: actorOf(caller.person), at }, async (write) => {
    const addedExtension = await addExtension(write, request, newExtension);
    return {
      addedExtension,
      extension: await presentExtension(write, (await findExtension(write, addedExtension.id))!, at),
    };
  });
  const { key, webhookSecret } = addedExtension;
  return {
    status: 201,
    body: { extension, key, webhook_secret: webhookSecret },
  };
};

export const updateExtension: AppHandler<'updateExtension'> = async (request) => {
  const {
    db,
    caller,
    path: { id },
    body,
    at,
  } = request;
  requireFreshFactor(caller, at);
  const change = {
    name: body.name,
    description: body.description,
    companyId: body.company_id,
    mode: body.mode,
    acting: body.acting,
    scopes: body.scopes,
    leading: body.absences_count_as_approved,
    linkable: body.linking,
    redirectUris: body.redirect_uris,
    linkDays: body.link_lifetime_days,
    keyReads: body.key_reads,
    eventTypes: body.event_types,
    webhookUrl: body.webhook_url,
  };
  const extension = await db.write({ actor: actorOf(caller.person), at }, async (write) =>
    presentExtension(write, await changeExtension(write, request, id, change), at),
  );
  // More links than one write ends.
  await endExpiredLinks(db, at);
  return { status: 200, body: extension };
};

export const deleteExtension: AppHandler<'deleteExtension'> = async ({ db, caller, path: { id }, at }) => {
  requireFreshFactor(caller, at);
  await db.write({ actor: actorOf(caller.person), at }, (write) => removeExtension(write, id));
  await endExpiredLinks(db, at);
  return { status: 204 };
};

async function presentExtension(
  reader: Reader,
  row: ExtensionRow,
  at: Instant,
): Promise<components['schemas']['Extension']> {
  const keys = await liveKeys(reader, row.id, at);
  const selection = chosenEventTypes(row);
  const delivery = row.mode === 'webhooks' ? await presentEndpoint(reader, row.id) : undefined;
  return {
    id: row.id,
    client_id: row.client_id,
    name: row.name,
    description: row.description ?? undefined,
    mode: row.mode,
    scopes: JSON.parse(row.scopes) as Scope[],
    acting: row.acting,
    company_id: row.company_id ?? undefined,
    absences_count_as_approved: row.is_leading === 1,
    linking: row.linkable === 1,
    redirect_uris: JSON.parse(row.redirect_uris) as string[],
    link_lifetime_days: row.link_days,
    key_reads: row.key_reads,
    event_types: selection,
    webhook_url: row.webhook_url ?? undefined,
    delivery,
    keys: keys.slice(0, 2).map((key, index) => ({
      prefix: `cpk_${key.lookup}`,
      current: index === 0,
      created_at: formatInstant(key.created_at),
      last_used_at: formatInstant(key.last_used_at),
      ...presentEnd(endOfKey(key)),
    })),
    links: await countLinks(reader, row.id, at),
    created_at: formatInstant(row.created_at),
    updated_at: formatInstant(row.updated_at),
  };
}

function presentEnd(end: Instant | null): { readonly expires_at?: string } {
  return end === null ? {} : { expires_at: formatInstant(end) };
}

export const listExtensionLinks: AppHandler<'listExtensionLinks'> = async ({
  db,
  cursors,
  caller,
  path: { id },
  query: { cursor, limit = 100 },
  at,
}) => {
  if ((await findExtension(db, id)) === undefined) throw new Refusal('not_found');
  const binding = ['listExtensionLinks', caller.person.id, id];
  const before = cursor === undefined ? undefined : cursors.read<{ created: number; id: string }>(binding, cursor);
  const rows = await listLinkRows(db, { extensionId: id, at, before, limit: limit + 1 });
  const page = pageOf(
    rows,
    limit,
    (row) => ({
      id: row.id,
      person: { id: row.person_id, name: row.person_name },
      scopes: scopesNow(row),
      created_at: formatInstant(row.created_at),
      expires_at: formatInstant(row.expires_at),
      last_used_at: formatInstant(row.last_used_at),
    }),
    (last) => cursors.write(binding, { created: last.created_at, id: last.id }),
  );
  return { status: 200, body: page };
};

export const endExtensionLink: AppHandler<'endExtensionLink'> = async ({
  db,
  caller,
  path: { id, link_id: linkId },
  at,
}) => {
  await db.write({ actor: actorOf(caller.person), at }, (write) =>
    endLinkOfExtension(write, { extensionId: id, linkId }),
  );
  return { status: 204 };
};
