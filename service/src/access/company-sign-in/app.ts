/** Signing in through the identity provider of a company, and its settings. */
import type { Handler } from '@clockproof/platform/http/operation';
import type { components, operations } from '../../generated/app-types.js';
import { actorOf } from '../../people/actor.js';
import { companyFor } from '../../people/administered.js';
import { type PersonCaller, requireFreshFactor } from '../../people/caller.js';
import type { CompanyId } from '../../store/ids.js';
import { Refusal } from '../../store/refusal.js';
import type { Visitor } from '../authenticate-person.js';
import { browserOf } from '../browser.js';
import type { AccessNeeds } from '../needs.js';
import {
  plannedClient,
  readProvider,
  redirectUriOf,
  roleValuesOf,
  type StoredProvider,
  setProvider,
} from './settings.js';
import { beginCompanySignIn as begin, completeCompanySignIn as complete } from './sign-in.js';

type SignInNeeds = Pick<
  AccessNeeds,
  'db' | 'providers' | 'sealingKeys' | 'baseUrl' | 'randomBytes' | 'cookies' | 'limiter'
>;

/** Each asks an identity provider, and is asked by anyone. */
const beginningsPerMinute = 20;

export function beginCompanySignIn(needs: SignInNeeds): Handler<operations['beginCompanySignIn'], Visitor> {
  return async ({ body: { account }, address, at }) => {
    const { allowed, resetSeconds } = await needs.limiter.consume('company sign-in', address, beginningsPerMinute, at);
    if (!allowed) throw new Refusal('rate_limited', { headers: { 'retry-after': String(resetSeconds) } });
    const { url, mark } = await begin({ ...needs, keys: needs.sealingKeys }, account, at);
    return { status: 200, headers: { 'set-cookie': needs.cookies.setCompanySignIn(mark) }, body: { url } };
  };
}

export function completeCompanySignIn(needs: SignInNeeds): Handler<operations['completeCompanySignIn'], Visitor> {
  return async ({ body: { company_id: companyId, query }, headers, address, requestId, at }) => {
    const { token, next } = await complete(
      { ...needs, keys: needs.sealingKeys },
      {
        companyId,
        query,
        mark: needs.cookies.companySignIn(headers),
        browser: browserOf(needs.cookies, headers, address),
        requestId,
      },
      at,
    );
    return { status: 200, headers: { 'set-cookie': needs.cookies.setSession(token) }, body: { next } };
  };
}

export function showCompanySignIn({
  db,
  baseUrl,
}: Pick<AccessNeeds, 'db' | 'baseUrl'>): Handler<operations['showCompanySignIn'], PersonCaller> {
  return async ({ caller, path: { id } }) => {
    const company = await companyFor(db, caller, id);
    return { status: 200, body: present(await readProvider(db, company.id), company.id, baseUrl) };
  };
}

export function setCompanySignIn({
  db,
  providers,
  sealingKeys,
  baseUrl,
  allowPrivateTargets,
}: Pick<AccessNeeds, 'db' | 'providers' | 'sealingKeys' | 'baseUrl' | 'allowPrivateTargets'>): Handler<
  operations['setCompanySignIn'],
  PersonCaller
> {
  return async ({ caller, path: { id }, body, at }) => {
    requireFreshFactor(caller, at);
    const company = await companyFor(db, caller, id);
    const settings = {
      enabled: body.enabled,
      address: body.address,
      issuer: body.issuer,
      clientId: body.client_id,
      ...(body.client_secret === undefined ? {} : { clientSecret: body.client_secret }),
      emailDomains: body.email_domains,
      ...(body.role_claim === undefined ? {} : { roleClaim: body.role_claim }),
      roleValues: body.role_values,
      createsPeople: body.creates_people,
      trustsAuthTime: body.trusts_auth_time,
    };
    const client = await plannedClient(db, company.id, settings, { keys: sealingKeys, baseUrl, allowPrivateTargets });
    if (settings.enabled) await providers.check(client, at);
    const stored = await db.write({ actor: actorOf(caller.person), at }, async (write) => {
      const { id: companyId } = await companyFor(write, caller, id);
      return setProvider(write, companyId, settings, client, {
        keys: sealingKeys,
        isSuperAdmin: caller.person.role === 'super_admin',
      });
    });
    return { status: 200, body: present(stored, company.id, baseUrl) };
  };
}

function present(
  { row, domains, linkedPeople }: StoredProvider,
  companyId: CompanyId,
  baseUrl: string,
): components['schemas']['CompanySignIn'] {
  return {
    enabled: row?.enabled === 1,
    ...(row === undefined ? {} : { address: row.address, issuer: row.issuer, client_id: row.client_id }),
    has_secret: row?.secret_sealed != null,
    email_domains: [...domains],
    ...(row?.role_claim == null ? {} : { role_claim: row.role_claim }),
    role_values: row === undefined ? [] : [...roleValuesOf(row)],
    creates_people: row?.creates_people === 1,
    trusts_auth_time: row?.trusts_auth_time === 1,
    redirect_uri: redirectUriOf(baseUrl, companyId),
    linked_people: linkedPeople,
  };
}
