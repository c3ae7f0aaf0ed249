import type { Handler } from '@clockproof/platform/http/operation';
import { formatInstant } from '@clockproof/platform/time/instant';
import { pageOf } from '../../api/page.js';
import { findExtension } from '../../extensions/rows.js';
import type { operations } from '../../generated/app-types.js';
import { scopesNow } from '../../oauth/links.js';
import { listLinkRows } from '../../oauth/rows.js';
import { Refusal } from '../../refusal.js';
import type { PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';

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
