/** As whom a caller of the absence operations acts. */
import type { AbsenceAccess } from '../../absences/open-absence.js';
import type { Author } from '../../absences/request-absence.js';
import { type ApiCaller, actingCompany } from '../acting.js';

export function authorOf(caller: ApiCaller): Author {
  return {
    kind: caller.kind === 'link' ? 'personal_link' : 'extension',
    extension: { id: caller.extensionId, name: caller.name, leading: caller.leading },
  };
}

/** What the caller created itself: in its company, or for its person. */
export function accessOf(caller: ApiCaller, ifMatch: string | undefined): AbsenceAccess {
  return {
    by: 'extension',
    extensionId: caller.extensionId,
    companyId: actingCompany(caller),
    leading: caller.leading,
    ifMatch,
    ...(caller.kind === 'link' ? { personId: caller.personId } : {}),
  };
}
