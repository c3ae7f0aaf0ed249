import type { Handler } from '@clockproof/platform/http/operation';
import { formatInstant } from '@clockproof/platform/time/instant';
import type { operations } from '../generated/app-types.js';
import { pageOf } from '../http/page.js';
import { actorOf } from '../people/actor.js';
import type { PersonCaller } from '../people/caller.js';
import type { AccessNeeds } from './needs.js';
import { presentSession } from './present-session.js';
import { listSessionRows } from './rows.js';
import {
  endSession as end,
  endOtherSessions as endOthers,
  expiryOf,
  idleMilliseconds,
  sessionMilliseconds,
} from './sessions.js';

export function showSession({
  db,
  extensionsEnabled,
}: Pick<AccessNeeds, 'db' | 'extensionsEnabled'>): Handler<operations['showSession'], PersonCaller> {
  return async ({ caller, at }) => ({ status: 200, body: await presentSession(db, caller, extensionsEnabled, at) });
}

export function listSessions({
  db,
  cursors,
}: Pick<AccessNeeds, 'db' | 'cursors'>): Handler<operations['listSessions'], PersonCaller> {
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

export function endSession({ db }: Pick<AccessNeeds, 'db'>): Handler<operations['endSession'], PersonCaller> {
  return async ({ caller, path: { id }, at }) => {
    await db.write({ actor: actorOf(caller.person), at }, (write) => end(write, caller.person, id));
    return { status: 204 };
  };
}

export function endOtherSessions({
  db,
}: Pick<AccessNeeds, 'db'>): Handler<operations['endOtherSessions'], PersonCaller> {
  return async ({ caller, at }) => {
    await db.write({ actor: actorOf(caller.person), at }, (write) => endOthers(write, caller));
    return { status: 204 };
  };
}
