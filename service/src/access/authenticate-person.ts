/**
 * The caller of the web application: the session behind the cookie, the person and their roles, read on every request.
 * One table (`x-role` of the contract) says which role an operation needs.
 */

import type { Reader } from '@clockproof/platform/database/database';
import type { Authenticated, IncomingRequest } from '@clockproof/platform/http/api';
import type { OperationInfo } from '@clockproof/platform/http/operations';
import type { Instant } from '@clockproof/platform/time/instant';
import { type AppOperationId, appOperations } from '../generated/contract.js';
import type { PersonCaller } from '../people/caller.js';
import { findPersonAnywhere } from '../people/rows.js';
import { Refusal, rightsChanged } from '../store/refusal.js';
import type { Store } from '../store/write.js';
import type { Cookies } from './cookies.js';
import { keepSession } from './rows.js';
import { authenticateSession, noteSessionUse } from './sessions.js';

/** An operation that needs no session. */
export interface Visitor {
  readonly kind: 'visitor';
}
const visitor: Visitor = { kind: 'visitor' };

const ranks = { anyone: 0, password_passed: 1, signed_in: 2, approver: 3, company_admin: 4, super_admin: 5 } as const;
const rankOfRole = {
  employee: ranks.signed_in,
  approver: ranks.approver,
  company_admin: ranks.company_admin,
  super_admin: ranks.super_admin,
} as const;

/** A page sends several requests at once; no person clicks ten times a second. */
const requestsPerMinute = 600;

export interface AppAuthenticationNeeds {
  readonly db: Store;
  readonly cookies: Cookies;
  /** BASE_URL: changes come from its pages only. */
  readonly baseUrl: string;
}

export function createAppAuthentication({
  db,
  cookies,
  baseUrl,
}: AppAuthenticationNeeds): (request: IncomingRequest) => Promise<Authenticated> {
  const origin = new URL(baseUrl).origin;
  return async ({ operation, headers, at, address }) => {
    if (operation.method !== 'GET') refuseForeignOrigin(headers, origin);
    const requiredRank = ranks[roleOf(operation)];
    if (requiredRank === ranks.anyone) return { caller: visitor };
    const caller = await authenticatePerson(
      db,
      cookies.session(headers as Readonly<Record<string, string | undefined>>),
      at,
    );
    // Before the second factor, a session permits only the next step.
    if (caller.session.stage === 'password' && requiredRank > ranks.password_passed)
      throw new Refusal('unauthorized', { noCredentialTried: true });
    if (caller.session.stage === 'complete' && rankOfRole[caller.person.role] < requiredRank)
      throw new Refusal('forbidden');
    // An open page follows changes even while the person is away.
    if (operation.id !== ('followChanges' satisfies AppOperationId))
      await noteSessionUse(db, caller.session, address, at);
    return {
      caller,
      authorize: (tx) => authorizeSession(tx, caller, requiredRank),
      bucket: { name: 'session', key: caller.session.id, limit: requestsPerMinute },
    };
  };
}

function roleOf(operation: OperationInfo): keyof typeof ranks {
  return appOperations[operation.id as AppOperationId].role;
}

/**
 * @throws Refusal `unauthorized`, `token_expired`, `token_revoked`; none of them counts as a failed authentication,
 * since no secret can be guessed this way
 */
export async function authenticatePerson(
  reader: Reader,
  token: string | undefined,
  at: Instant,
): Promise<PersonCaller> {
  try {
    const session = await authenticateSession(reader, token, at);
    const person = await findPersonAnywhere(reader, session.person_id);
    if (person === undefined || person.active === 0 || person.company_active === 0) throw new Refusal('token_revoked');
    return { kind: 'person', person, session };
  } catch (error) {
    throw error instanceof Refusal ? new Refusal(error.code, { noCredentialTried: true }) : error;
  }
}

/**
 * Asks again in the transaction of a write, during which session and roles stay as they are.
 * @throws Refusal `token_revoked`, `forbidden`; `unavailable` a role that still suffices is another one
 */
async function authorizeSession(tx: Reader, { person, session }: PersonCaller, requiredRank: number): Promise<void> {
  const now = await keepSession(tx, session.id);
  const provenAt = now?.second_factor_at ?? Number.NEGATIVE_INFINITY;
  if (
    now === undefined ||
    now.ended_at !== null ||
    now.active === 0 ||
    now.company_active === 0 ||
    // A step back to the password; a later proof is a better one.
    (session.stage === 'complete' && now.stage !== 'complete') ||
    (session.second_factor_at !== null && provenAt < session.second_factor_at)
  )
    throw new Refusal('token_revoked', { noCredentialTried: true });
  if (session.stage === 'complete' && rankOfRole[now.role] < requiredRank) throw new Refusal('forbidden');
  if (now.role !== person.role || now.company_id !== person.company_id) throw rightsChanged();
}

/**
 * A change comes from our own pages: browsers name the origin of every such request, and newer ones say how it relates
 * to this site. @throws Refusal `origin_refused`
 */
export function refuseForeignOrigin(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  ownOrigin: string,
): void {
  const { origin, 'sec-fetch-site': site } = headers;
  if (origin === undefined && site === undefined) throw new Refusal('origin_refused');
  if (origin !== undefined && origin !== ownOrigin) throw new Refusal('origin_refused');
  if (site !== undefined && site !== 'same-origin') throw new Refusal('origin_refused');
}

/** The kind of credential that an operation of the web application tries, for the security log. */
export function credentialOf({ operation: { id } }: Pick<IncomingRequest, 'operation'>): string {
  if (id === 'signIn') return 'password';
  if (id === 'completeCompanySignIn') return 'company_sign_in';
  if (['setUp', 'checkInvitation', 'acceptInvitation', 'checkPasswordReset', 'resetPassword'].includes(id))
    return 'one_time_link';
  if (['checkProofLink', 'downloadLinkedProof'].includes(id)) return 'one_time_link';
  return ['changePassword', 'removePasskey'].includes(id) ? 'password' : 'second_factor';
}
