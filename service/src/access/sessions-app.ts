import { formatInstant } from '@clockproof/platform/time/instant';
import type { AppHandler } from '../http/handler.js';
import { pageOf } from '../http/page.js';
import { actorOf } from '../people/actor.js';
import { presentSession } from './present-session.js';
import { listSessionRows } from './rows.js';
import { closeOtherSessions, closeSession, expiryOf, idleMilliseconds, sessionMilliseconds } from './sessions.js';

export const showSession: AppHandler<'showSession'> = async ({ db, extensionsEnabled, caller, at }) => ({
  status: 200,
  body: await presentSession(db, caller, extensionsEnabled, at),
});

export const listSessions: AppHandler<'listSessions'> = async ({
  db,
  cursors,
  caller: { person, session },
  query: { cursor, limit = 100 },
  at,
}) => {
  const binding = ['listSessions', person.id];
  const before = cursor === undefined ? undefined : cursors.read<{ seen: number; id: string }>(binding, cursor);
  const rows = await listSessionRows(db, {
    personId: person.id,
    seenAfter: at - idleMilliseconds(session),
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
      device: row.device ?? undefined,
      address: row.address,
    }),
    (last) => cursors.write(binding, { seen: last.last_seen_at, id: last.id }),
  );
  return { status: 200, body: page };
};

export const endSession: AppHandler<'endSession'> = async ({ db, caller, path: { id }, at }) => {
  await db.write({ actor: actorOf(caller.person), at }, (write) => closeSession(write, caller.person, id));
  return { status: 204 };
};

export const endOtherSessions: AppHandler<'endOtherSessions'> = async ({ db, caller, at }) => {
  await db.write({ actor: actorOf(caller.person), at }, (write) => closeOtherSessions(write, caller));
  return { status: 204 };
};
