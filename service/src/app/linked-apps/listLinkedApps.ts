import type { Reader } from '@clockproof/platform/database/database';
import type { Handler } from '@clockproof/platform/http/operation';
import { day, formatInstant, type Instant } from '@clockproof/platform/time/instant';
import { pageOf } from '../../api/page.js';
import { newestOfActor } from '../../audit/rows.js';
import type { components, operations } from '../../generated/app-types.js';
import { type EndReason, readScopes, scopesNow } from '../../oauth/links.js';
import { type LinkRow, type LinkStanding, listEndedLinkRows, listLinkRows } from '../../oauth/rows.js';
import { scopeText } from '../../oauth/scope-texts.js';
import type { PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { describeAction } from './describe-action.js';

type Page = components['schemas']['LinkedAppList'];
type Link = LinkStanding & Pick<LinkRow, 'created_at' | 'last_used_at'>;

const endedDays = 90;

export function listLinkedApps({
  db,
  cursors,
}: Pick<AppNeeds, 'db' | 'cursors'>): Handler<operations['listLinkedApps'], PersonCaller> {
  return async ({ caller, query: { cursor, limit = 100, state = 'active' }, at }) => {
    const asked = { caller, cursor, limit, at };
    return { status: 200, body: state === 'active' ? await living(asked) : await ended(asked) };
  };

  async function living({
    caller: { person },
    cursor,
    limit,
    at,
  }: {
    caller: PersonCaller;
    cursor: string | undefined;
    limit: number;
    at: Instant;
  }): Promise<Page> {
    const binding = ['listLinkedApps', person.id];
    const before = cursor === undefined ? undefined : cursors.read<{ created: number; id: string }>(binding, cursor);
    const page = pageOf(
      await listLinkRows(db, { personId: person.id, at, before, limit: limit + 1 }),
      limit,
      (row) => row,
      (last) => cursors.write(binding, { created: last.created_at, id: last.id }),
    );
    return {
      ...page,
      data: await Promise.all(
        page.data.map(async (row) => ({ ...(await present(db, row, person.language)), scopes: scopesNow(row) })),
      ),
    };
  }

  async function ended({
    caller: { person },
    cursor,
    limit,
    at,
  }: {
    caller: PersonCaller;
    cursor: string | undefined;
    limit: number;
    at: Instant;
  }): Promise<Page> {
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
    return {
      ...page,
      data: await Promise.all(
        page.data.map(async (row) => ({
          ...(await present(db, row, person.language)),
          scopes: [],
          ended_at: formatInstant(row.over_at),
          end_reason: row.over_why as EndReason,
        })),
      ),
    };
  }
}

async function present(reader: Reader, row: Link, language: string): Promise<Omit<Page['data'][number], 'scopes'>> {
  const last = await newestOfActor(reader, 'personal_link', row.id);
  const granted = readScopes(row.scopes);
  return {
    id: row.id,
    extension: { id: row.extension_id, name: row.extension_name },
    granted_scopes: granted,
    permissions: granted.map((scope) => ({ scope, ...scopeText(scope, language) })),
    created_at: formatInstant(row.created_at),
    expires_at: formatInstant(row.expires_at),
    ...(row.last_used_at === null ? {} : { last_used_at: formatInstant(row.last_used_at) }),
    ...(last === undefined ? {} : { last_action: describeAction(last, language) }),
  };
}
