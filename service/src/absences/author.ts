import { type ApiCaller, companyOnBehalf, scopeOf } from '../people/caller.js';
import type { Author } from './request-absence.js';
import type { AbsenceAccess } from './rules.js';

/** The author of an absence that an API caller records. */
export function authorOf(caller: ApiCaller): Author {
  return {
    kind: caller.kind === 'link' ? 'personal_link' : 'extension',
    extension: { id: caller.extensionId, name: caller.name, leading: caller.leading },
  };
}

/** Access to the absences that the caller created: in its company, or for its person. */
export function accessOf(caller: ApiCaller, ifMatch: string | undefined): Extract<AbsenceAccess, { by: 'extension' }> {
  // An extension writes in one company, even if it reads several.
  const company = companyOnBehalf(caller);
  return {
    by: 'extension',
    extensionId: caller.extensionId,
    scope: caller.kind === 'link' ? scopeOf(caller) : { company },
    leading: caller.leading,
    ifMatch,
  };
}
