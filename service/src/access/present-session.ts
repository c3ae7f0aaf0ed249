import type { Reader } from '@clockproof/platform/database/database';
import { formatInstant, type Instant } from '@clockproof/platform/time/instant';
import { authorityOf } from '../absences/deciders/authority.js';
import { readFeatures } from '../extensions/features.js';
import type { components } from '../generated/app-types.js';
import { nameOf } from '../people/actor.js';
import { freshMilliseconds, isFresh, type PersonCaller } from '../people/caller.js';
import type { RoleGrant } from '../people/roles.js';
import { findCompany } from '../people/rows.js';
import { expiryOf } from './sessions.js';

type Schemas = components['schemas'];

/** A session as the pages see it: the person, their permissions, and the end. */
export async function presentSession(
  reader: Reader,
  { person, session }: PersonCaller,
  extensionsEnabled: boolean,
  at: Instant,
): Promise<Schemas['Session']> {
  const { ownGrants, substitutions } = await authorityOf(reader, person, at);
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
    roles: ownGrants.map(presentSessionRole),
    substitute: substitutions.length > 0,
    second_factor_until: isFresh(session, at)
      ? formatInstant(session.second_factor_at! + freshMilliseconds)
      : undefined,
    expires_at: formatInstant(expiryOf(session)),
    features: await readFeatures(reader, extensionsEnabled),
  };
}

/** Pages are offered by role; the departments it covers are in the record of the person. */
export function presentSessionRole(grant: RoleGrant): Schemas['SessionRole'] {
  return grant.role === 'super_admin' ? { role: grant.role } : { role: grant.role, company_id: grant.companyId };
}
