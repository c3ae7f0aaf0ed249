/**
 * Signing in through the identity provider of a company: begun in a browser, completed with the provider's answer in
 * the same browser. The account at the provider (`iss`, `sub`) is bound to a person at the first sign-in and decides
 * alone from then on. A provider is chosen by admins of one company, so it can name people of that company alone, never
 * a super admin. The e-mail address serves once, verified by the provider and in a domain that a super admin has set. A
 * person with a second factor here proves it once, before the account is bound to them. There is no confirmation by
 * password: many people have none, and an admin could set one.
 */
import type { RandomBytes } from '@clockproof/platform/bytes/random-text';
import type { Reader } from '@clockproof/platform/database/database';
import { isName, normalizeName } from '@clockproof/platform/text/name';
import { type Instant, minute, second } from '@clockproof/platform/time/instant';
import { localDateAt } from '@clockproof/platform/time/local-date';
import { actorOf } from '../../people/actor.js';
import { readEmailAddress } from '../../people/email-address.js';
import { findCompany, findPerson, findPersonAnywhere, type PersonRow, personWith } from '../../people/rows.js';
import type { CompanyId, PersonId } from '../../store/ids.js';
import { Refusal } from '../../store/refusal.js';
import type { SealingKeys } from '../../store/sealing/sealing-keys.js';
import type { Store, Write } from '../../store/write.js';
import { addTrackedPerson } from '../../working-time/change-person.js';
import { hasSecondFactor, isPasswordEnded } from '../rows.js';
import { hashOfSecret, newSecret } from '../secrets.js';
import { type Browser, openSession, renewSession } from '../sessions.js';
import {
  bind,
  currentProvider,
  giveRoles,
  type PendingBinding,
  refuseBound,
  signInRefusal,
  usable,
} from './binding.js';
import { type Claims, type IdentityProviders, maxAuthenticationAge } from './provider.js';
import {
  deleteSubject,
  findCompanyOf,
  findProvider,
  findSubject,
  insertSignIn,
  listDomains,
  type ProviderRow,
  takeSignIn,
} from './rows.js';
import { clientOf, roleValuesOf } from './settings.js';

export interface CompanySignInNeeds {
  readonly db: Store;
  readonly providers: IdentityProviders;
  readonly sealingKeys: SealingKeys;
  readonly baseUrl: string;
  readonly randomBytes: RandomBytes;
}

/** From the beginning to the provider's answer. */
export const answerMilliseconds = 10 * minute;
const stateForm = /^cst_[0-9A-Za-z]{32}$/;
const markForm = /^csm_[0-9A-Za-z]{32}$/;
const system = { kind: 'system' } as const;

/**
 * If the process stops after the commit, an unusable row is left.
 * @param account an e-mail address, or the address of a company
 * @returns the address at which the person signs in, and the mark for this browser
 * @throws Refusal `company_sign_in_unknown`, `identity_provider_failed`
 */
export async function beginAtProvider(
  { db, providers, sealingKeys, baseUrl, randomBytes }: CompanySignInNeeds,
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
    clientOf(row, sealingKeys, baseUrl),
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

export interface CompanySession {
  /** Available only here. */
  readonly token: string;
  readonly next: 'second_factor' | 'done';
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
 * @returns a complete session, or one whose second factor makes the binding
 * @throws Refusal `company_sign_in_invalid`, `company_sign_in_refused`, `identity_provider_failed`
 */
export async function completeAtProvider(
  { db, providers, sealingKeys, baseUrl, randomBytes }: CompanySignInNeeds,
  { companyId, query, mark, browser, requestId }: ProviderAnswer,
  at: Instant,
): Promise<CompanySession> {
  const state = new URLSearchParams(query).get('state');
  if (state === null || !stateForm.test(state) || mark === undefined || !markForm.test(mark))
    throw new Refusal('company_sign_in_invalid');
  const pendingSignIn = await db.write({ actor: system, at }, async (write) => {
    write.unaudited('credential');
    return takeSignIn(write, hashOfSecret(state));
  });
  const row = pendingSignIn && (await findProvider(db, pendingSignIn.company_id));
  if (
    pendingSignIn === undefined ||
    row === undefined ||
    pendingSignIn.company_id !== companyId ||
    pendingSignIn.mark_hash !== hashOfSecret(mark) ||
    pendingSignIn.issuer !== row.issuer ||
    row.enabled === 0 ||
    at >= pendingSignIn.created_at + answerMilliseconds
  )
    throw new Refusal('company_sign_in_invalid');
  const claimNames = [
    ...['email', 'email_verified'],
    ...(row.creates_people === 0 ? [] : ['given_name', 'family_name', 'locale']),
    ...(row.role_claim === null ? [] : [row.role_claim]),
  ];
  const claims = await providers.claims(
    clientOf(row, sealingKeys, baseUrl),
    { state, mark },
    { query, claimNames },
    at,
  );
  const authenticatedAt = authenticationOf(claims, at);
  try {
    return await db.write({ actor: system, at }, async (write): Promise<CompanySession> => {
      // It may have been changed while the provider was asked.
      const setting = { issuer: row.issuer, clientId: row.client_id };
      await currentProvider(write, companyId, setting);
      const roles = rolesIn(claims, row);
      const binding: PendingBinding = {
        setting,
        issuer: claims.iss,
        subject: claims.sub,
        roles,
      };
      const { person, waits } = await personFor(write, row, claims, binding);
      const session = await openSession(
        write,
        {
          ...browser,
          personId: person.id,
          openedBy: 'provider',
          refusal: 'company_sign_in_invalid',
          ...(waits ? { pendingBinding: JSON.stringify(binding) } : {}),
        },
        randomBytes,
        at,
      );
      await write.audit({
        companyId,
        actor: actorOf(person),
        action: 'sign_in.company',
        subject: `person ${person.id}`,
        details: { session: session.id, issuer: claims.iss, waits_for: waits ? 'second_factor' : undefined },
      });
      if (waits) return { token: session.token, next: 'second_factor' };
      // The provider decides about a second factor; whether its word is a proof of one here, a super admin decides.
      const keepProof = row.trusts_auth_time === 1 ? authenticatedAt : null;
      return { token: await renewSession(write, session.id, { keepProof }, randomBytes, at), next: 'done' };
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

/**
 * The person's last authentication, if the provider tells it. @throws Refusal `company_sign_in_invalid` too long ago
 */
function authenticationOf(claims: Claims, at: Instant): Instant | null {
  const { auth_time: seconds } = claims;
  if (typeof seconds !== 'number') return null;
  const authenticatedAt = Math.min(seconds * second, at);
  if (authenticatedAt < at - maxAuthenticationAge - minute) throw new Refusal('company_sign_in_invalid');
  return authenticatedAt;
}

/**
 * The person an account is bound to, or is bound to now. `waits`: they have a second factor here, and the binding waits
 * for its proof. @throws Refusal `company_sign_in_refused`
 */
async function personFor(
  write: Write,
  row: ProviderRow,
  claims: Claims,
  binding: PendingBinding,
): Promise<{ readonly person: PersonRow; readonly waits: boolean }> {
  const companyId = row.company_id;
  const subjectRow = await findSubject(write, companyId, binding);
  if (subjectRow !== undefined && (await isHiredAgain(write, subjectRow, companyId)))
    await deleteSubject(write, subjectRow);
  else if (subjectRow !== undefined) {
    const person = usable(await findPerson(write, subjectRow, { company: companyId }));
    return { person: await giveRoles(write, person, binding.roles), waits: false };
  }
  const email = await vouchedEmail(write, companyId, claims);
  const existingPerson = await personWith(write, 'email', email, companyId);
  const person =
    existingPerson === undefined
      ? await createPerson(write, row, claims, email)
      : usable(await findPerson(write, existingPerson.id, { company: companyId }));
  await refuseBound(write, person.id);
  if (await isPasswordEnded(write, person.id))
    throw signInRefusal('reset', 'The access of this person was reset. The link they were given leads back in.');
  if (await hasSecondFactor(write, person.id)) return { person, waits: true };
  await bind(write, person, binding, existingPerson === undefined);
  return { person: await giveRoles(write, person, binding.roles, existingPerson === undefined), waits: false };
}

/** True if a person who left has a new record, with the same address. */
async function isHiredAgain(reader: Reader, id: PersonId, companyId: CompanyId): Promise<boolean> {
  const person = await findPerson(reader, id, { company: companyId });
  if (person === undefined || person.active === 1 || person.email === null) return false;
  return (await personWith(reader, 'email', person.email, companyId))?.active === 1;
}

/** The address the provider vouches for, in a domain of the company. */
async function vouchedEmail(write: Write, companyId: CompanyId, claims: Claims): Promise<string> {
  const { email, email_verified: isVerified } = claims;
  if (typeof email !== 'string') throw signInRefusal('email_missing', 'The provider names no e-mail address.');
  const address = readEmailAddress(email);
  if (address === undefined) throw signInRefusal('email_invalid', 'What the provider names is no e-mail address.');
  if (isVerified !== true)
    throw signInRefusal('email_not_verified', 'The provider has not verified the e-mail address.');
  const domain = domainOf(address);
  if (domain === undefined || !(await listDomains(write, companyId)).includes(domain))
    throw signInRefusal('email_domain', 'The e-mail address is not in a domain of the company.');
  return address;
}

async function createPerson(write: Write, row: ProviderRow, claims: Claims, email: string): Promise<PersonRow> {
  if (row.creates_people === 0) throw signInRefusal('no_person', 'Nobody here has this e-mail address.');
  const [firstName, lastName] = ['given_name', 'family_name'].map((name) => {
    const value = typeof claims[name] === 'string' ? normalizeName(claims[name]) : '';
    if (value === '' || !isName(value) || [...value].length > 100)
      throw signInRefusal('name_missing', 'The provider names no first and last name.');
    return value;
  }) as [string, string];
  const company = (await findCompany(write, row.company_id))!;
  const id: PersonId = await addTrackedPerson(write, {
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

/** Undefined: roles are set here only. */
function rolesIn(claims: Claims, row: ProviderRow): PendingBinding['roles'] {
  if (row.role_claim === null) return undefined;
  const claim = claims[row.role_claim];
  const values = Array.isArray(claim) ? claim : [claim];
  return roleValuesOf(row)
    .filter(({ value }) => values.includes(value))
    .map(({ role }) => role);
}

function domainOf(account: string): string | undefined {
  const at = account.lastIndexOf('@');
  return at < 0 ? undefined : account.slice(at + 1);
}

function reasonOf(refusal: Refusal): string {
  return refusal.options.details![0]!.code;
}
