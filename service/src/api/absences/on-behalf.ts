/** For whom, and as whom, a caller of the absence operations acts. */
import type { AbsenceAccess } from '../../absences/open-absence.js';
import type { Author } from '../../absences/request-absence.js';
import type { Actor } from '../../audit/audit.js';
import type { ExtensionCaller } from '../../extensions/keys.js';
import { Refusal } from '../../refusal.js';
import { invalid } from '../page.js';

/** @throws Refusal `company_mismatch` the key does not act for everyone in a company */
export function actingCompany(caller: ExtensionCaller): number {
  if (!caller.actsForEveryone || caller.companyId === null) throw new Refusal('company_mismatch');
  return caller.companyId;
}

/** @throws Refusal `invalid_request` a company key has to name the person */
export function namedPerson(personId: number | undefined): number {
  if (personId === undefined) throw invalid('user_id', 'A company key names the person.', 'missing');
  return personId;
}

export function authorOf(caller: ExtensionCaller): Author {
  return { kind: 'extension', extension: { id: caller.extensionId, name: caller.name, leading: caller.leading } };
}

export function actorOf(caller: ExtensionCaller): Actor {
  return { kind: 'extension', id: caller.extensionId, name: caller.name };
}

/** What the caller created itself, in its company. */
export function accessOf(caller: ExtensionCaller, ifMatch: string | undefined): AbsenceAccess {
  return { by: 'extension', extensionId: caller.extensionId, companyId: actingCompany(caller), leading: caller.leading, ifMatch };
}
