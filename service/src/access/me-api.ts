import { formatInstant } from '@clockproof/platform/time/instant';
import { presentAbsenceType } from '../absences/present.js';
import { absenceTypesOf } from '../absences/types.js';
import { listClocks } from '../clock/rows.js';
import { presentClock } from '../clock/time-entry.js';
import type { ApiHandler } from '../http/handler.js';
import { scopeOf } from '../people/caller.js';
import { presentPerson } from '../people/present.js';
import { findPerson } from '../people/rows.js';
import { intersect } from './oauth/links.js';

export const getMe: ApiHandler<'getMe'> = async ({ db, caller }) => {
  const scope = scopeOf(caller);
  const person = (await findPerson(db, caller.personId, scope))!;
  const [clock] = await listClocks(db, scope, {
    state: undefined,
    afterId: 0,
    limit: 1,
  });
  const types = await absenceTypesOf(db, person.company_id);
  return {
    status: 200,
    body: {
      ...presentPerson(person),
      absence_types: types.filter((type) => type.active).map((type) => presentAbsenceType(type, person.language)),
      link: {
        id: caller.linkId,
        extension: { id: caller.extensionId, name: caller.name },
        scopes: intersect(caller.scopes, caller.scopes),
        expires_at: formatInstant(caller.expiresAt),
      },
      clock_state: presentClock(clock!),
    },
  };
};
