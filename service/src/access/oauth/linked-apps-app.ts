import type { Reader } from '@clockproof/platform/database/database';
import { day, formatInstant } from '@clockproof/platform/time/instant';
import type { components } from '../../generated/app-types.js';
import type { AppHandler, AppRequest } from '../../http/handler.js';
import { pageOf } from '../../http/page.js';
import { actorOf } from '../../people/actor.js';
import { entriesByKeysFor, entriesOfActor, newestOfActor, type SearchPlace } from '../../store/audit/rows.js';
import { Refusal } from '../../store/refusal.js';
import { describeAction } from './linked-app-actions.js';
import { type EndReason, endLinkOfPerson, readScopes, scopesNow } from './links.js';
import { findLinkState, type LinkRow, type LinkState, listEndedLinkRows, listLinkRows } from './rows.js';
import { scopeText } from './scope-texts.js';

type Page = components['schemas']['LinkedAppList'];
type Link = LinkState & Pick<LinkRow, 'created_at' | 'last_used_at'>;

const endedDays = 90;

export const listLinkedApps: AppHandler<'listLinkedApps'> = async (request) => ({
  status: 200,
  body: await (request.query.state === 'ended' ? listEndedApps : listLivingApps)(request),
});

async function listLivingApps({
  db,
  cursors,
  caller: { person },
  query: { cursor, limit = 100 },
  at,
}: AppRequest<'listLinkedApps'>): Promise<Page> {
  const binding = ['listLinkedApps', person.id];
  const before = cursor === undefined ? undefined : cursors.read<{ created: number; id: string }>(binding, cursor);
  const page = pageOf(
    await listLinkRows(db, { personId: person.id, at, before, limit: limit + 1 }),
    limit,
    (row) => row,
    (last) => cursors.write(binding, { created: last.created_at, id: last.id }),
  );
  const linkedApps = await presentAll(db, page.data, person.language);
  return { ...page, data: page.data.map((row, index) => ({ ...linkedApps[index]!, scopes: scopesNow(row) })) };
}

async function listEndedApps({
  db,
  cursors,
  caller: { person },
  query: { cursor, limit = 100 },
  at,
}: AppRequest<'listLinkedApps'>): Promise<Page> {
  const binding = ['listLinkedApps', person.id, 'ended'];
  const before = cursor === undefined ? undefined : cursors.read<{ over: number; id: string }>(binding, cursor);
  const rows = await listEndedLinkRows(db, {
    personId: person.id,
    at,
    since: at - endedDays * day,
    before,
    limit: limit + 1,
  });
  const page = pageOf(
    rows,
    limit,
    (row) => row,
    (last) => cursors.write(binding, { over: last.over_at, id: last.id }),
  );
  const linkedApps = await presentAll(db, page.data, person.language);
  return {
    ...page,
    data: page.data.map((row, index) => ({
      ...linkedApps[index]!,
      scopes: [],
      ended_at: formatInstant(row.over_at),
      end_reason: row.over_why as EndReason,
    })),
  };
}

type Presented = Omit<Page['data'][number], 'scopes'>;

/** One after the other: a page of a hundred links takes no other request's turn at the database. */
async function presentAll(reader: Reader, rows: readonly Link[], language: string): Promise<readonly Presented[]> {
  const linkedApps: Presented[] = [];
  for (const row of rows) linkedApps.push(await present(reader, row, language));
  return linkedApps;
}

async function present(reader: Reader, row: Link, language: string): Promise<Presented> {
  const last = await newestOfActor(reader, 'personal_link', row.id);
  const grantedScopes = readScopes(row.scopes);
  return {
    id: row.id,
    extension: { id: row.extension_id, name: row.extension_name },
    granted_scopes: grantedScopes,
    permissions: grantedScopes.map((scope) => ({ scope, ...scopeText(scope, language) })),
    created_at: formatInstant(row.created_at),
    expires_at: formatInstant(row.expires_at),
    last_used_at: formatInstant(row.last_used_at),
    last_action: last === undefined ? undefined : describeAction(last, language),
  };
}

export const endLinkedApp: AppHandler<'endLinkedApp'> = async ({ db, caller: { person }, path: { id }, at }) => {
  await db.write({ actor: actorOf(person), at }, (write) =>
    endLinkOfPerson(write, { personId: person.id, linkId: id }),
  );
  return { status: 204 };
};

export const listAppActivity: AppHandler<'listAppActivity'> = async ({
  db,
  cursors,
  caller: { person },
  query: { cursor, limit = 100 },
}) => {
  const binding = ['listAppActivity', person.id];
  const before = cursor === undefined ? undefined : cursors.read<SearchPlace>(binding, cursor);
  const rows = await entriesByKeysFor(db, person.id, before, limit + 1);
  const page = pageOf(
    rows,
    limit,
    (row) => ({
      at: formatInstant(row.at),
      extension: { id: row.actor_id!, name: row.actor_name ?? row.actor_id! },
      action: row.action,
      description: describeAction(row, person.language),
    }),
    ({ at, sequence }) => cursors.write(binding, { at, sequence }),
  );
  return { status: 200, body: page };
};

export const listLinkedAppActivity: AppHandler<'listLinkedAppActivity'> = async ({
  db,
  cursors,
  caller: { person },
  path: { id },
  query: { cursor, limit = 100 },
}) => {
  if ((await findLinkState(db, id))?.person_id !== person.id) throw new Refusal('not_found');
  const binding = ['listLinkedAppActivity', person.id, id];
  const before = cursor === undefined ? undefined : cursors.read<SearchPlace>(binding, cursor);
  const rows = await entriesOfActor(db, 'personal_link', id, before, limit + 1);
  const page = pageOf(
    rows,
    limit,
    (row) => ({ at: formatInstant(row.at), action: row.action, description: describeAction(row, person.language) }),
    ({ at, sequence }) => cursors.write(binding, { at, sequence }),
  );
  return { status: 200, body: page };
};
