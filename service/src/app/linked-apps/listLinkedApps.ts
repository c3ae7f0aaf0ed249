import type { Handler } from '@clockproof/platform/http/operation';
import { formatInstant } from '@clockproof/platform/time/instant';
import { pageOf } from '../../api/page.js';
import type { operations } from '../../generated/app-types.js';
import { newestOfActor } from '../../audit/rows.js';
import { readScopes, scopesNow } from '../../oauth/links.js';
import { listLinkRows } from '../../oauth/rows.js';
import type { PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { describeAction } from './describe-action.js';

export function listLinkedApps({ db, cursors }: Pick<AppNeeds, 'db' | 'cursors'>): Handler<operations['listLinkedApps'], PersonCaller> {
  return async ({ caller: { person }, query: { cursor, limit = 100 }, at }) => {
    const binding = ['listLinkedApps', person.id];
    const before = cursor === undefined ? undefined : cursors.read<{ created: number; id: string }>(binding, cursor);
    const page = pageOf(await listLinkRows(db, { personId: person.id, at, before, limit: limit + 1 }), limit, (row) => row, (last) => cursors.write(binding, { created: last.created_at, id: last.id }));
    const data = await Promise.all(page.data.map(async (row) => {
      const last = await newestOfActor(db, 'personal_link', row.id);
      return {
        id: row.id, extension: { id: row.extension_id, name: row.extension_name }, scopes: scopesNow(row), granted_scopes: readScopes(row.scopes),
        created_at: formatInstant(row.created_at), expires_at: formatInstant(row.expires_at),
        ...(row.last_used_at === null ? {} : { last_used_at: formatInstant(row.last_used_at) }), ...(last === undefined ? {} : { last_action: describeAction(last, person.language) }),
      };
    }));
    return { status: 200, body: { ...page, data } };
  };
}
