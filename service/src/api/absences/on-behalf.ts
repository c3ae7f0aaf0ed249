/** For whom, and as whom, a caller of the absence operations acts. */
import type { AbsenceAccess } from '../../absences/open-absence.js';
import type { Author } from '../../absences/request-absence.js';
import type { Actor } from '../../audit/audit.js';
import type { ExtensionCaller } from '../../extensions/keys.js';
import { Refusal } from '../../refusal.js';
import { invalid } from '../page.js';

/** An app with a person's consent, as far as absences need to know it. */
export interface LinkedApp {
  readonly kind: 'link';
  readonly linkId: string;
  readonly extensionId: string;
  readonly name: string;
  readonly personId: number;
  readonly companyId: number;
  readonly leading: boolean;
}

/** A company key acts for everyone in its company, a personal link for its person. */
export type AbsenceCaller = ExtensionCaller | LinkedApp;

/** @throws Refusal `company_mismatch` the key does not act for everyone in a company */
export function actingCompany(caller: AbsenceCaller): number {
  if (caller.kind === 'link') return caller.companyId;
  if (!caller.actsForEveryone || caller.companyId === null) throw new Refusal('company_mismatch');
  return caller.companyId;
}

/** @throws Refusal `invalid_request` a company key has to name the person, a personal link must not */
export function personActedFor(caller: AbsenceCaller, userId: number | undefined): number {
  if (caller.kind === 'link') {
    if (userId !== undefined) throw invalid('user_id', 'A personal link acts for its person and names nobody.', 'not_allowed');
    return caller.personId;
  }
  if (userId === undefined) throw invalid('user_id', 'A company key names the person.', 'missing');
  return userId;
}

/** Whose idempotency keys these are. */
export function idempotencyScope(caller: AbsenceCaller): string {
  return caller.kind === 'link' ? caller.linkId : caller.extensionId;
}

export function authorOf(caller: AbsenceCaller): Author {
  return { kind: caller.kind === 'link' ? 'personal_link' : 'extension', extension: { id: caller.extensionId, name: caller.name, leading: caller.leading } };
}

export function actorOf(caller: AbsenceCaller): Actor {
  return caller.kind === 'link' ? { kind: 'personal_link', id: caller.linkId, name: caller.name } : { kind: 'extension', id: caller.extensionId, name: caller.name };
}

/** What the caller created itself: in its company, or for its person. */
export function accessOf(caller: AbsenceCaller, ifMatch: string | undefined): AbsenceAccess {
  return { by: 'extension', extensionId: caller.extensionId, companyId: actingCompany(caller), leading: caller.leading, ifMatch, ...(caller.kind === 'link' ? { personId: caller.personId } : {}) };
}
