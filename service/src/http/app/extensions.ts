import type { Reader, Transaction } from '@clockproof/platform/database/database';
import type { Handler } from '@clockproof/platform/http/operation';
import { formatInstant, type Instant, parseInstant } from '@clockproof/platform/time/instant';
import { type Actor, appendAudit } from '../../audit/audit.js';
import { changedSettings } from '../../extensions/audited-settings.js';
import { addExtension } from '../../extensions/extensions.js';
import { readExtensionName } from '../../extensions/names.js';
import {
  type ExtensionRow,
  endOfKey,
  findExtension,
  isNameTaken,
  listExtensionRows,
  liveKeys,
  lockExtension,
  markExtensionDeleted,
  updateExtensionRow,
} from '../../extensions/rows.js';
import { refuseSettings } from '../../extensions/settings.js';
import type { components, operations } from '../../generated/app-types.js';
import type { Scope } from '../../generated/contract.js';
import { endLinks, scopesNow } from '../../oauth/links.js';
import { isRedirectAllowed } from '../../oauth/redirect.js';
import { countLinks, findStanding, listLinkRows, lockPeopleAccess, voidConsents } from '../../oauth/rows.js';
import { actorOf } from '../../people/actor.js';
import { findCompany } from '../../people/rows.js';
import { Refusal } from '../../refusal.js';
import { deleteSecrets } from '../../webhooks/rows.js';
import { issueSecret, settleSecret } from '../../webhooks/secrets.js';
import { parseTarget } from '../../webhooks/targets.js';
import { invalid, pageOf } from '../shared/page.js';
import { type PersonCaller, requireFreshFactor } from './caller.js';
import type { AppNeeds } from './needs.js';

export function listExtensions({
  db,
  cursors,
}: Pick<AppNeeds, 'db' | 'cursors'>): Handler<operations['listExtensions'], PersonCaller> {
  return async ({ caller, query: { cursor, limit = 100 }, at }) => {
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
}

export function showExtension({ db }: Pick<AppNeeds, 'db'>): Handler<operations['showExtension'], PersonCaller> {
  return async ({ path: { id }, at }) => {
    const row = await findExtension(db, id);
    if (row === undefined) throw new Refusal('not_found');
    return { status: 200, body: await presentExtension(db, row, at) };
  };
}

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
      if (body.company_id !== undefined && (await findCompany(tx, body.company_id)) === undefined)
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
        actorOf(caller.person),
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
      if (after.company_id !== null && (await findCompany(tx, after.company_id)) === undefined)
        throw invalid('company_id', 'There is no such company.', 'unknown');
      refuseSettings(after, {
        peopleWrites: access.people_writes === 1,
        isRedirectAllowed,
        isTargetAllowed: (address) => parseTarget(address, allowPrivateTargets) !== undefined,
      });
      await updateExtensionRow(tx, after);
      // A new one is shown by a rotation.
      await settleSecret(tx, after, sealingKeys, randomBytes, at);
      await endWhatIsLeftOut(tx, before, after, actorOf(caller.person), at);
      const changes = changedSettings(before, after);
      if (changes.length > 0)
        await appendAudit(tx, {
          at,
          companyId: after.company_id ?? undefined,
          actor: actorOf(caller.person),
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
      await endLinks(tx, { extensionId: id }, 'extension_deleted', actorOf(caller.person), at);
      await appendAudit(tx, {
        at,
        companyId: extension.company_id ?? undefined,
        actor: actorOf(caller.person),
        action: 'extension.deleted',
        subject: `extension ${id}`,
        details: { name: extension.name },
      });
    });
    return { status: 204 };
  };
}

export async function presentExtension(
  reader: Reader,
  row: ExtensionRow,
  at: Instant,
): Promise<components['schemas']['Extension']> {
  const keys = await liveKeys(reader, row.id, at);
  return {
    id: row.id,
    client_id: row.client_id,
    name: row.name,
    ...(row.description === null ? {} : { description: row.description }),
    mode: row.mode,
    scopes: JSON.parse(row.scopes) as Scope[],
    acting: row.acting,
    ...(row.company_id === null ? {} : { company_id: row.company_id }),
    absences_count_as_approved: row.is_leading === 1,
    linking: row.linkable === 1,
    redirect_uris: JSON.parse(row.redirect_uris) as string[],
    link_lifetime_days: row.link_days,
    ...(row.webhook_url === null ? {} : { webhook_url: row.webhook_url }),
    keys: keys.slice(0, 2).map((key, index) => ({
      prefix: `cpk_${key.lookup}`,
      current: index === 0,
      created_at: formatInstant(key.created_at),
      ...(key.last_used_at === null ? {} : { last_used_at: formatInstant(key.last_used_at) }),
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

export function listExtensionLinks({
  db,
  cursors,
}: Pick<AppNeeds, 'db' | 'cursors'>): Handler<operations['listExtensionLinks'], PersonCaller> {
  return async ({ caller, path: { id }, query: { cursor, limit = 100 }, at }) => {
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
        ...(row.last_used_at === null ? {} : { last_used_at: formatInstant(row.last_used_at) }),
      }),
      (last) => cursors.write(binding, { created: last.created_at, id: last.id }),
    );
    return { status: 200, body: page };
  };
}

export function endExtensionLink({ db }: Pick<AppNeeds, 'db'>): Handler<operations['endExtensionLink'], PersonCaller> {
  return async ({ caller, path: { id, link_id: linkId }, at }) => {
    await db.write(async (tx) => {
      if (
        (await findStanding(tx, linkId))?.extension_id !== id ||
        (await endLinks(tx, { linkId }, 'revoked_by_admin', actorOf(caller.person), at)) === 0
      )
        throw new Refusal('not_found');
    });
    return { status: 204 };
  };
}
