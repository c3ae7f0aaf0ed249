/** What a person writes about their own absences: as themselves, for themselves. */

import type { Instant } from '@clockproof/platform/time/instant';
import type { AbsenceAccess } from '../../absences/open-absence.js';
import type { AbsenceRequest } from '../../absences/request-absence.js';
import type { AbsenceWish } from '../../absences/rules.js';
import type { components } from '../../generated/app-types.js';
import { actorOf, type PersonCaller } from '../caller.js';

export function wishOf(body: components['schemas']['OwnAbsenceRequest']): AbsenceWish {
  return {
    type: body.type,
    startDate: body.start_date,
    endDate: body.end_date,
    halfDay: body.half_day ?? null,
    comment: body.comment ?? null,
  };
}

export function ownRequest(
  caller: PersonCaller,
  body: components['schemas']['OwnAbsenceRequest'],
  at: Instant,
): AbsenceRequest {
  const { id, company_id } = caller.person;
  return {
    personId: id,
    companyId: company_id,
    wish: wishOf(body),
    author: { kind: 'person', personId: id },
    actor: actorOf(caller),
    at,
  };
}

export function ownAccess(caller: PersonCaller, ifMatch: string | undefined): AbsenceAccess {
  return { by: 'person', personId: caller.person.id, ifMatch };
}
