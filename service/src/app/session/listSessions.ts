import type { Handler } from '@clockproof/platform/http/operation';
import { formatInstant } from '@clockproof/platform/time/instant';
import { pageOf } from '../../api/page.js';
import type { operations } from '../../generated/app-types.js';
import { listSessionRows } from '../../sign-in/rows.js';
import { expiryOf, idleMilliseconds, sessionMilliseconds } from '../../sign-in/sessions.js';
import type { PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';

export function listSessions({
  db,
  cursors,
}: Pick<AppNeeds, 'db' | 'cursors'>): Handler<operations['listSessions'], PersonCaller> {
  return async ({ caller: { person, session }, query: { cursor, limit = 100 }, at }) => {
    const binding = ['listSessions', person.id];
    const before = cursor === undefined ? undefined : cursors.read<{ seen: number; id: string }>(binding, cursor);
    const rows = await listSessionRows(db, {
      personId: person.id,
      seenAfter: at - idleMilliseconds,
      createdAfter: at - sessionMilliseconds,
      before,
      limit: limit + 1,
    });
    const page = pageOf(
      rows,
      limit,
      (row) => ({
        id: row.id,
        current: row.id === session.id,
        created_at: formatInstant(row.created_at),
        last_seen_at: formatInstant(row.last_seen_at),
        expires_at: formatInstant(expiryOf(row)),
        ...(row.device === null ? {} : { device: row.device }),
        address: row.address,
      }),
      (last) => cursors.write(binding, { seen: last.last_seen_at, id: last.id }),
    );
    return { status: 200, body: page };
  };
}
