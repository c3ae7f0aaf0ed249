import type { Reader } from '@clockproof/platform/database/database';
import type { Handler } from '@clockproof/platform/http/operation';
import { formatInstant } from '@clockproof/platform/time/instant';
import { presentAbsenceType } from '../../absences/present.js';
import { absenceTypesOf } from '../../absences/types.js';
import { presentClock } from '../../clocking/present.js';
import { listClocks } from '../../clocking/rows.js';
import type { operations } from '../../generated/service-types.js';
import { intersect, type LinkCaller } from '../../oauth/links.js';
import { presentPerson } from '../../people/present.js';
import { findPerson } from '../../people/rows.js';

export function getMe({ db }: { readonly db: Reader }): Handler<operations['getMe'], LinkCaller> {
  return async ({ caller }) => {
    const person = (await findPerson(db, caller.personId, caller.companyId))!;
    const [clock] = await listClocks(db, {
      companyId: caller.companyId,
      personId: caller.personId,
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
}
