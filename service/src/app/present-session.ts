import type { Reader } from '@clockproof/platform/database/database';
import { formatInstant, type Instant } from '@clockproof/platform/time/instant';
import { readFeatures } from '../extensions/features.js';
import type { components } from '../generated/app-types.js';
import { type RoleGrant, rolesOf } from '../people/roles.js';
import { expiryOf, freshMilliseconds } from '../sign-in/sessions.js';
import { isFresh, nameOf, type PersonCaller } from './caller.js';

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
    company: { id: person.company_id, name: person.company_name, time_zone: person.time_zone },
    language: person.language,
    roles: (await rolesOf(reader, person.id)).map(presentRole),
    ...(isFresh(session, at)
      ? { second_factor_until: formatInstant(session.second_factor_at! + freshMilliseconds) }
      : {}),
    expires_at: formatInstant(expiryOf(session)),
    features: await readFeatures(reader, extensionsEnabled),
  };
}

export function presentRole(grant: RoleGrant): Schemas['RoleGrant'] {
  if (grant.role === 'super_admin') return { role: grant.role };
  return {
    role: grant.role,
    company_id: grant.companyId,
    ...(grant.role === 'approver' && grant.departmentIds !== undefined
      ? { department_ids: [...grant.departmentIds] }
      : {}),
  };
}
