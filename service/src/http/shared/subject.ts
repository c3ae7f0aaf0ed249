/** Who calls and for whom: a company key names the person it acts for, a personal link is one person's. */
import type { Actor } from '../../audit/audit.js';
import type { Source } from '../../clocking/stamp.js';
import type { ExtensionCaller } from '../../extensions/keys.js';
import type { LinkCaller } from '../../oauth/links.js';
import { invalidField, Refusal } from '../../refusal.js';

export type ApiCaller = ExtensionCaller | LinkCaller;

/** What cursors and idempotency keys belong to: `ext_…` or `lnk_…`. */
export function callerKey(caller: ApiCaller): string {
  return caller.kind === 'link' ? caller.linkId : caller.extensionId;
}

/**
 * The person a write is for, and their company.
 * @param named `user_id` of the request
 * @throws Refusal `company_mismatch` the key does not act for everyone in a company; `invalid_request` a key has to
 * name the person, a link must not
 */
export function onBehalfOf(
  caller: ApiCaller,
  named: number | undefined,
): { readonly personId: number; readonly companyId: number } {
  if (caller.kind === 'link') {
    if (named !== undefined)
      throw invalidField('user_id', 'not_allowed', 'A personal link acts for its own person and names no one.');
    return { personId: caller.personId, companyId: caller.companyId };
  }
  const companyId = companyOnBehalf(caller);
  if (named === undefined) throw invalidField('user_id', 'missing', 'A company key names the person.');
  return { personId: named, companyId };
}

/** @throws Refusal `company_mismatch` the key does not act for everyone in a company */
export function companyOnBehalf(caller: ApiCaller): number {
  if (caller.kind === 'link') return caller.companyId;
  if (!caller.actsForEveryone || caller.scope.company === undefined) throw new Refusal('company_mismatch');
  return caller.scope.company;
}

export function callerActor(caller: ApiCaller): Actor {
  return caller.kind === 'link'
    ? { kind: 'personal_link', id: caller.linkId, name: caller.name, extensionId: caller.extensionId }
    : { kind: 'extension', id: caller.extensionId, name: caller.name };
}

export function sourceOf(caller: ApiCaller): Source & { readonly kind: 'personal_link' | 'extension' } {
  return { kind: caller.kind === 'link' ? 'personal_link' : 'extension', id: callerKey(caller), name: caller.name };
}
