import type { Reader } from '@clockproof/platform/database/database';
import type { Handler } from '@clockproof/platform/http/operation';
import { formatInstant, type Instant } from '@clockproof/platform/time/instant';
import { readFeatures } from '../../extensions/features.js';
import type { components, operations } from '../../generated/app-types.js';
import { actorOf, nameOf } from '../../people/actor.js';
import { type RoleGrant, rolesOf } from '../../people/roles.js';
import { findCompany } from '../../people/rows.js';
import { listSessionRows } from '../../sign-in/rows.js';
import {
  endSession as end,
  endOtherSessions as endOthers,
  expiryOf,
  freshMilliseconds,
  idleMilliseconds,
  isFresh,
  sessionMilliseconds,
} from '../../sign-in/sessions.js';
import { pageOf } from '../shared/page.js';
import type { PersonCaller } from './caller.js';
import type { AppNeeds } from './needs.js';

export function showSession({
  db,
  extensionsEnabled,
}: Pick<AppNeeds, 'db' | 'extensionsEnabled'>): Handler<operations['showSession'], PersonCaller> {
  return async ({ caller, at }) => ({ status: 200, body: await presentSession(db, caller, extensionsEnabled, at) });
}

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

export function endSession({ db }: Pick<AppNeeds, 'db'>): Handler<operations['endSession'], PersonCaller> {
  return async ({ caller, path: { id }, at }) => {
    await db.write({ actor: actorOf(caller.person), at }, (write) => end(write, caller.person, id));
    return { status: 204 };
  };
}

export function endOtherSessions({ db }: Pick<AppNeeds, 'db'>): Handler<operations['endOtherSessions'], PersonCaller> {
  return async ({ caller, at }) => {
    await db.write({ actor: actorOf(caller.person), at }, (write) => endOthers(write, caller));
    return { status: 204 };
  };
}

type Schemas = components['schemas'];

/** A session as the pages see it: who, what they may do, until when. */
export async function presentSession(
  reader: Reader,
  { person, session }: PersonCaller,
  extensionsEnabled: boolean,
  at: Instant,
): Promise<Schemas['Session']> {
  return {
    id: session.id,
    person: { id: person.id, name: nameOf(person) },
    company: {
      id: person.company_id,
      name: person.company_name,
      time_zone: person.time_zone,
      colleagues_see: (await findCompany(reader, person.company_id))!.colleagues_see,
    },
    language: person.language,
    roles: (await rolesOf(reader, person.id)).map(presentSessionRole),
    ...(isFresh(session, at)
      ? { second_factor_until: formatInstant(session.second_factor_at! + freshMilliseconds) }
      : {}),
    expires_at: formatInstant(expiryOf(session)),
    features: await readFeatures(reader, extensionsEnabled),
  };
}

/** Pages are offered by role; the departments it covers are in the record of the person. */
function presentSessionRole(grant: RoleGrant): Schemas['SessionRole'] {
  return grant.role === 'super_admin' ? { role: grant.role } : { role: grant.role, company_id: grant.companyId };
}
