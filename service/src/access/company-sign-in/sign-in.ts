/**
 * Signing in through the identity provider of a company: begun in a browser, completed with the provider's answer in the
 * same browser. The account at the provider (`iss`, `sub`) is bound to a person at the first sign-in and decides alone
 * from then on. A provider is chosen by admins of one company, so it can name people of that company alone, never a
 * super admin. The e-mail address serves once, verified by the provider and in a domain that a super admin has set.
 * There is no confirmation by password: many people have none, and an admin could set one.
 */
import type { RandomBytes } from '@clockproof/platform/bytes/random-text';
import { isName, normalizeName } from '@clockproof/platform/text/name';
import { type Instant, minute, second } from '@clockproof/platform/time/instant';
import { localDateAt } from '@clockproof/platform/time/local-date';
import { actorOf } from '../../people/actor.js';
import { changeRoles, type RoleGrant, rolesOf } from '../../people/roles.js';
import { findCompany, findPerson, findPersonAnywhere, type PersonRow, personWith } from '../../people/rows.js';
import type { CompanyId, PersonId } from '../../store/ids.js';
import { Refusal } from '../../store/refusal.js';
import type { SealingKeys } from '../../store/sealing/sealing-keys.js';
import type { Store, Write } from '../../store/write.js';
import { addPerson } from '../../working-time/change-person.js';
import { hashOfSecret, newSecret } from '../secrets.js';
import { type Browser, openSession, renewSession } from '../sessions.js';
import { type Claims, type IdentityProviders, maxAuthenticationAge } from './provider.js';
import {
  findCompanyOf,
  findProvider,
  findSubject,
  hasSubject,
  insertSignIn,
  insertSubject,
  listDomains,
  type ProviderRow,
  takeSignIn,
} from './rows.js';
import { clientOf, roleValuesOf } from './settings.js';

export interface CompanySignInNeeds {
  readonly db: Store;
  readonly providers: IdentityProviders;
  readonly keys: SealingKeys;
  readonly baseUrl: string;
  readonly randomBytes: RandomBytes;
}

/** From the beginning to the provider's answer. */
export const answerMilliseconds = 10 * minute;
const stateForm = /^cst_[0-9A-Za-z]{32}$/;
const markForm = /^csm_[0-9A-Za-z]{32}$/;
const system = { kind: 'system' } as const;

/**
 * If the process stops after the commit, a row is left that nobody can use.
 * @param account an e-mail address, or the address of a company
 * @returns where the person signs in, and the mark for this browser
 * @throws Refusal `company_sign_in_unknown`, `identity_provider_failed`
 */
export async function beginCompanySignIn(
  { db, providers, keys, baseUrl, randomBytes }: CompanySignInNeeds,
  account: string,
  at: Instant,
): Promise<{ readonly url: string; readonly mark: string }> {
  const name = account.toLowerCase();
  const domain = domainOf(name);
  const companyId = await findCompanyOf(db, domain === undefined ? { address: name } : { domain });
  const row = companyId === undefined ? undefined : await findProvider(db, companyId);
  if (row === undefined) throw new Refusal('company_sign_in_unknown');
  const ties = { state: newSecret('cst_', randomBytes), mark: newSecret('csm_', randomBytes) };
  const url = await providers.authorizationUrl(
    clientOf(row, keys, baseUrl),
    ties,
    domain === undefined ? undefined : name,
    at,
  );
  await db.write({ actor: system, at }, async (write) => {
    await insertSignIn(write, {
      state_hash: hashOfSecret(ties.state),
      company_id: row.company_id,
      issuer: row.issuer,
      mark_hash: hashOfSecret(ties.mark),
      created_at: at,
    });
    write.unaudited('credential');
  });
  return { url, mark: ties.mark };
}

export interface ProviderAnswer {
  readonly companyId: CompanyId;
  readonly query: string;
  /** From the cookie. */
  readonly mark: string | undefined;
  readonly browser: Browser;
  readonly requestId: string;
}

/**
 * The sign-in is used up before the provider is asked. If the process stops after that, the person begins again; if it
 * stops after the last commit, they are signed in but have no cookie, and begin again too.
 * @returns the token of a complete session
 * @throws Refusal `company_sign_in_invalid`, `company_sign_in_refused`, `identity_provider_failed`
 */
export async function completeCompanySignIn(
  { db, providers, keys, baseUrl, randomBytes }: CompanySignInNeeds,
  { companyId, query, mark, browser, requestId }: ProviderAnswer,
  at: Instant,
): Promise<string> {
  const state = new URLSearchParams(query).get('state');
  if (state === null || !stateForm.test(state) || mark === undefined || !markForm.test(mark))
    throw new Refusal('company_sign_in_invalid');
  const begun = await db.write({ actor: system, at }, async (write) => {
    write.unaudited('credential');
    return takeSignIn(write, hashOfSecret(state));
  });
  const row = begun && (await findProvider(db, begun.company_id));
  if (
    begun === undefined ||
    row === undefined ||
    begun.company_id !== companyId ||
    begun.mark_hash !== hashOfSecret(mark) ||
    begun.issuer !== row.issuer ||
    row.enabled === 0 ||
    at >= begun.created_at + answerMilliseconds
  )
    throw new Refusal('company_sign_in_invalid');
  const wanted = ['email', ...(row.role_claim === null ? [] : [row.role_claim])];
  const claims = await providers.claims(clientOf(row, keys, baseUrl), { state, mark }, { query, wanted }, at);
  const authenticatedAt = authenticationOf(claims, at);
  try {
    return await db.write({ actor: system, at }, async (write) => {
      const person = await withRoles(write, row, await personFor(write, row, claims), claims);
      const session = await openSession(write, { ...browser, personId: person.id }, randomBytes, at);
      // The provider decides about a second factor; when it last asked for one, it alone knows.
      const token = await renewSession(write, session.id, { keepProof: authenticatedAt }, randomBytes, at);
      await write.audit({
        companyId,
        actor: actorOf(person),
        action: 'sign_in.company',
        subject: `person ${person.id}`,
        details: { session: session.id, issuer: claims.iss },
      });
      return token;
    });
  } catch (error) {
    if (error instanceof Refusal && error.code === 'company_sign_in_refused')
      await db.write({ actor: system, at }, (write) =>
        write.audit({
          companyId,
          action: 'sign_in.refused',
          details: { credential: 'company', because: reasonOf(error), request_id: requestId },
        }),
      );
    throw error;
  }
}

/** When the person last proved who they are, if the provider says so. @throws Refusal `company_sign_in_invalid` too long ago */
function authenticationOf(claims: Claims, at: Instant): Instant | null {
  const { auth_time: seconds } = claims;
  if (typeof seconds !== 'number') return null;
  const authenticatedAt = Math.min(seconds * second, at);
  if (authenticatedAt < at - maxAuthenticationAge - minute) throw new Refusal('company_sign_in_invalid');
  return authenticatedAt;
}

/** The person an account is bound to, or is bound to now. @throws Refusal `company_sign_in_refused` */
async function personFor(write: Write, row: ProviderRow, claims: Claims): Promise<PersonRow> {
  // One after the other: of two first sign-ins, the second finds what the first has bound.
  await write.lock({ installation: true, company: row.company_id });
  const companyId = row.company_id;
  const company = await findCompany(write, companyId);
  if (company === undefined || company.active === 0) throw refused('not_active', 'The company is not active.');
  const account = { issuer: claims.iss, subject: claims.sub };
  const bound = await findSubject(write, companyId, account);
  if (bound !== undefined) return usable(await findPerson(write, bound, { company: companyId }));
  const email = await vouchedEmail(write, companyId, claims);
  const known = await personWith(write, 'email', email, companyId);
  const person =
    known === undefined
      ? await created(write, row, claims, email)
      : usable(await findPerson(write, known, { company: companyId }));
  if (await hasSubject(write, person.id))
    throw refused('other_account', 'Another account of the identity provider is bound to this person.');
  await insertSubject(write, { company_id: companyId, ...account, person_id: person.id, created_at: write.at });
  await write.audit({
    companyId,
    action: 'sign_in.linked',
    subject: `person ${person.id}`,
    details: { issuer: claims.iss, created: known === undefined },
  });
  return person;
}

function usable(person: PersonRow | undefined): PersonRow {
  if (person === undefined) throw refused('other_company', 'This e-mail address belongs to another company.');
  // An admin of a company chooses its provider, which must not make them more than that.
  if (person.role === 'super_admin') throw refused('super_admin', 'Super admins sign in with a password.');
  if (person.active === 0 || person.company_active === 0) throw refused('not_active', 'The person has left.');
  return person;
}

/** The address the provider vouches for, in a domain of the company. */
async function vouchedEmail(write: Write, companyId: CompanyId, claims: Claims): Promise<string> {
  const { email, email_verified: isVerified } = claims;
  if (typeof email !== 'string' || email.length > 254)
    throw refused('email_missing', 'The provider names no e-mail address.');
  if (isVerified !== true) throw refused('email_not_verified', 'The provider has not verified the e-mail address.');
  const domain = domainOf(email.toLowerCase());
  if (domain === undefined || !(await listDomains(write, companyId)).includes(domain))
    throw refused('email_domain', 'The e-mail address is not in a domain of the company.');
  return email.toLowerCase();
}

async function created(write: Write, row: ProviderRow, claims: Claims, email: string): Promise<PersonRow> {
  if (row.creates_people === 0) throw refused('no_person', 'Nobody here has this e-mail address.');
  const [firstName, lastName] = ['given_name', 'family_name'].map((name) => {
    const value = typeof claims[name] === 'string' ? normalizeName(claims[name]) : '';
    if (value === '' || !isName(value) || [...value].length > 100)
      throw refused('name_missing', 'The provider names no first and last name.');
    return value;
  }) as [string, string];
  const company = (await findCompany(write, row.company_id))!;
  const id: PersonId = await addPerson(write, {
    companyId: row.company_id,
    firstName,
    lastName,
    email,
    role: 'employee',
    language: typeof claims['locale'] === 'string' && !/^de\b/i.test(claims['locale']) ? 'en' : 'de',
    employmentStart: localDateAt(write.at, company.time_zone),
  });
  return (await findPersonAnywhere(write, id))!;
}

/** The roles that the claim gives. Departments of an approver are set here and stay. */
async function withRoles(write: Write, row: ProviderRow, person: PersonRow, claims: Claims): Promise<PersonRow> {
  if (row.role_claim === null) return person;
  const claim = claims[row.role_claim];
  const values = Array.isArray(claim) ? claim : [claim];
  const given = new Set(
    roleValuesOf(row)
      .filter(({ value }) => values.includes(value))
      .map(({ role }) => role),
  );
  const before = await rolesOf(write, person.id);
  const grants: RoleGrant[] = [];
  if (given.has('company_admin')) grants.push({ role: 'company_admin', companyId: person.company_id });
  if (given.has('approver'))
    grants.push(
      before.find((grant) => grant.role === 'approver') ?? { role: 'approver', companyId: person.company_id },
    );
  return JSON.stringify(grants) === JSON.stringify(before)
    ? person
    : changeRoles(write, person.id, person.company_id, grants);
}

function domainOf(account: string): string | undefined {
  const at = account.lastIndexOf('@');
  return at < 0 ? undefined : account.slice(at + 1);
}

function refused(code: string, error: string): Refusal {
  return new Refusal('company_sign_in_refused', { details: [{ field: 'account', code, error }] });
}

function reasonOf(refusal: Refusal): string {
  return refusal.options.details![0]!.code;
}
