/** People as admins see them. */
import type { Reader } from '@clockproof/platform/database/database';
import { formatInstant } from '@clockproof/platform/time/instant';
import { countBadges, findPin } from '../../badges/rows.js';
import type { components } from '../../generated/app-types.js';
import { presentPerson } from '../../people/present.js';
import { rolesOf } from '../../people/roles.js';
import type { PersonRow } from '../../people/rows.js';
import { findCredential, hasSecondFactor } from '../../sign-in/rows.js';
import { presentRole } from '../present-session.js';

export async function presentAdministered(reader: Reader, row: PersonRow): Promise<components['schemas']['Person']> {
  const credential = await findCredential(reader, row.id);
  return {
    ...presentPerson(row),
    sign_in:
      row.email === null ? 'none' : credential === undefined || credential.password_hash === null ? 'invited' : 'ready',
    second_factor: await hasSecondFactor(reader, row.id),
    pin_set: (await findPin(reader, row.id)) !== undefined,
    roles: (await rolesOf(reader, row.id)).map(presentRole),
    badges: await countBadges(reader, row.id),
    ...(credential === undefined || credential.last_sign_in_at === null
      ? {}
      : { last_sign_in_at: formatInstant(credential.last_sign_in_at) }),
  };
}
