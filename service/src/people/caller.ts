/**
 * The caller, the people they act for and the scope they may read: an app with a key, an app with a personal link, or a
 * person on the pages. Records outside a caller's scope are not found.
 */
import type { Reader } from '@clockproof/platform/database/database';
import { type Instant, minute } from '@clockproof/platform/time/instant';
import type { Scope } from '../generated/contract.js';
import type { Tables } from '../generated/tables.js';
import type { Actor } from '../store/audit/audit.js';
import type { CompanyId, ExtensionId, LinkId, PersonId } from '../store/ids.js';
import { invalidField, Refusal } from '../store/refusal.js';
import { companiesOf, type TenantScope } from '../store/scope.js';
import { findPerson, listCompanyRows, type PersonRow } from './rows.js';

/**
 * The extension behind a key, with the columns a request needs. Read at every request, so that revoked permissions stop
 * immediately.
 */
export interface ExtensionCaller {
  readonly kind: 'key';
  readonly keyId: string;
  readonly extensionId: ExtensionId;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /**
   * Its own reading scope: rows of its company, or of every active company if it is bound to none; by its setting those
   * of everyone, of the people who linked it, or none. Its company is the only one it may act in.
   */
  readonly scope: TenantScope;
  /** False: the company it is bound to is deactivated. */
  readonly companyActive: boolean;
  readonly actsForEveryone: boolean;
  readonly leading: boolean;
  readonly peopleWrites: boolean;
}

/**
 * The app behind an access token, acting for its person. Read at every request, so that revoked permissions stop
 * immediately.
 */
export interface LinkCaller {
  readonly kind: 'link';
  readonly linkId: LinkId;
  readonly extensionId: ExtensionId;
  /** Name of the extension. */
  readonly name: string;
  readonly personId: PersonId;
  readonly companyId: CompanyId;
  readonly scopes: readonly Scope[];
  readonly leading: boolean;
  readonly peopleWrites: boolean;
  readonly expiresAt: Instant;
}

export type ApiCaller = ExtensionCaller | LinkCaller;

/** The owner of cursors and idempotency keys: `ext_…` or `lnk_…`. */
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
  namedPersonId: number | undefined,
): { readonly personId: number; readonly companyId: number } {
  if (caller.kind === 'link') {
    if (namedPersonId !== undefined)
      throw invalidField('user_id', 'not_allowed', 'A personal link acts for its own person and names no one.');
    return { personId: caller.personId, companyId: caller.companyId };
  }
  const companyId = companyOnBehalf(caller);
  if (namedPersonId === undefined) throw invalidField('user_id', 'missing', 'A company key names the person.');
  return { personId: namedPersonId, companyId };
}

/** The company in which the caller acts; undefined for a key that does not act for everyone in a company. */
export function actingCompany(caller: ApiCaller): CompanyId | undefined {
  if (caller.kind === 'link') return caller.companyId;
  return caller.actsForEveryone ? caller.scope.company : undefined;
}

/** @throws Refusal `company_mismatch` the key does not act for everyone in a company */
export function companyOnBehalf(caller: ApiCaller): CompanyId {
  const company = actingCompany(caller);
  if (company === undefined) throw new Refusal('company_mismatch');
  return company;
}

export function callerActor(caller: ApiCaller): Actor {
  return caller.kind === 'link'
    ? { kind: 'personal_link', id: caller.linkId, name: caller.name, extensionId: caller.extensionId }
    : { kind: 'extension', id: caller.extensionId, name: caller.name };
}

/** The setting of a key decides its scope (see `ExtensionCaller`); a personal link reads its person. */
export function scopeOf(caller: ApiCaller): TenantScope {
  return caller.kind === 'link' ? { company: caller.companyId, person: caller.personId } : caller.scope;
}

/**
 * The caller's scope, narrowed to the company and the person that the request names.
 * @throws Refusal `not_found` one of them is unknown, or outside the caller's scope
 */
export async function narrowedScope(
  reader: Reader,
  caller: ApiCaller,
  { companyId, personId }: { readonly companyId: number | undefined; readonly personId?: number | undefined },
): Promise<TenantScope> {
  const callerScope = scopeOf(caller);
  let scope = callerScope;
  if (companyId !== undefined) {
    const isOutside = callerScope.company !== undefined && callerScope.company !== companyId;
    if (isOutside) throw new Refusal('not_found');
    scope = { ...withoutCompany(callerScope), company: companyId };
    // For a key that reads only linked people, or none, every other company is empty, whether it exists or not.
    const isPartial = callerScope.linkedTo !== undefined || callerScope.none === true;
    if (!isPartial && (await listCompanyRows(reader, companiesOf(scope), { afterId: 0, limit: 1 })).length === 0)
      throw new Refusal('not_found');
  }
  if (personId !== undefined) {
    if ((await findPerson(reader, personId, callerScope)) === undefined) throw new Refusal('not_found');
    scope = { ...scope, person: personId };
  }
  return scope;
}

function withoutCompany({ company: _company, all: _all, ...narrowing }: TenantScope) {
  return narrowing;
}

export type SessionRow = Omit<Tables['sessions'], 'token_hash' | 'challenge' | 'challenge_for' | 'challenge_until'>;

/** A session and the minutes without use after which it ends. */
export type IdleSessionRow = SessionRow & { readonly idle_minutes: number };
/** Also the time of sessions before the second factor. */
export const shortestIdleMinutes = 30;

/** A person in a session. */
export interface SignedIn {
  readonly person: PersonRow;
  readonly session: IdleSessionRow;
}

/** Time for which a proof of the second factor counts as fresh. */
export const freshMilliseconds = 15 * minute;

/** Whether the last proof of the second factor is less than fifteen minutes old. */
export function isFresh({ second_factor_at: provenAt }: Pick<SessionRow, 'second_factor_at'>, at: Instant): boolean {
  return provenAt !== null && at < provenAt + freshMilliseconds;
}

/** A signed-in person. With the role `password_passed` of an operation the second factor may be missing. */
export interface PersonCaller extends SignedIn {
  readonly kind: 'person';
}

/** @throws Refusal `second_factor_required` the last proof of the second factor is more than fifteen minutes ago */
export function requireFreshFactor({ session }: PersonCaller, at: Instant): void {
  if (!isFresh(session, at)) throw new Refusal('second_factor_required');
}

/**
 * The tenant whose reads share a part of the connections: a company, or a key that reads several. Undefined without a
 * company: visitors, terminals.
 */
export function tenantOf(caller: { readonly kind: string } | ApiCaller | PersonCaller): string | undefined {
  if (!('scope' in caller || 'companyId' in caller || 'person' in caller)) return undefined;
  const company =
    'person' in caller ? caller.person.company_id : 'companyId' in caller ? caller.companyId : caller.scope.company;
  return company === undefined && 'extensionId' in caller ? caller.extensionId : `company ${company}`;
}

/** A person's own rows. */
export function ownScope({ person }: PersonCaller): TenantScope {
  return { company: person.company_id, person: person.id };
}
/** The caller of an operation that needs no credential. */

export interface Anyone {
  readonly kind: 'anyone';
}
