/** Signing in through the identity provider of a company, and its settings. */

import type { components } from '../../generated/app-types.js';
import type { AppHandler } from '../../http/handler.js';
import { actorOf } from '../../people/actor.js';
import { companyFor } from '../../people/administered.js';
import { requireFreshFactor } from '../../people/caller.js';
import type { CompanyId } from '../../store/ids.js';
import { Refusal } from '../../store/refusal.js';
import { browserOf } from '../browser.js';
import {
  plannedClient,
  readProvider,
  redirectUriOf,
  roleValuesOf,
  type StoredProvider,
  setProvider,
} from './settings.js';
import { beginAtProvider, completeAtProvider } from './sign-in.js';

/** Each asks an identity provider, and is asked by anyone. */
const beginningsPerMinute = 20;

export const beginCompanySignIn: AppHandler<'beginCompanySignIn'> = async (request) => {
  const { limiter, cookies, body, address, at } = request;
  const { allowed, resetSeconds } = await limiter.consume('company sign-in', address, beginningsPerMinute, at);
  if (!allowed) throw new Refusal('rate_limited', { headers: { 'retry-after': String(resetSeconds) } });
  const { url, mark } = await beginAtProvider(request, body.account, at);
  return { status: 200, headers: { 'set-cookie': cookies.setCompanySignIn(mark) }, body: { url } };
};

export const completeCompanySignIn: AppHandler<'completeCompanySignIn'> = async (request) => {
  const { cookies, body, headers, address, requestId, at } = request;
  const { token, next } = await completeAtProvider(
    request,
    {
      companyId: body.company_id,
      query: body.query,
      mark: cookies.companySignIn(headers),
      browser: browserOf(cookies, headers, address),
      requestId,
    },
    at,
  );
  return { status: 200, headers: { 'set-cookie': cookies.setSession(token) }, body: { next } };
};

export const showCompanySignIn: AppHandler<'showCompanySignIn'> = async ({ db, baseUrl, caller, path: { id } }) => {
  const company = await companyFor(db, caller, id);
  return { status: 200, body: present(await readProvider(db, company.id), company.id, baseUrl) };
};

export const setCompanySignIn: AppHandler<'setCompanySignIn'> = async ({
  db,
  providers,
  sealingKeys,
  baseUrl,
  allowPrivateTargets,
  caller,
  path: { id },
  body,
  at,
}) => {
  requireFreshFactor(caller, at);
  const company = await companyFor(db, caller, id);
  const settings = {
    enabled: body.enabled,
    address: body.address,
    issuer: body.issuer,
    clientId: body.client_id,
    clientSecret: body.client_secret,
    emailDomains: body.email_domains,
    roleClaim: body.role_claim,
    roleValues: body.role_values,
    createsPeople: body.creates_people,
    trustsAuthTime: body.trusts_auth_time,
  };
  const clientDraft = await plannedClient(db, company.id, settings, {
    keys: sealingKeys,
    baseUrl,
    allowPrivateTargets,
  });
  const client = settings.enabled ? { ...clientDraft, issuer: await providers.check(clientDraft, at) } : clientDraft;
  const providerRow = await db.write({ actor: actorOf(caller.person), at }, async (write) => {
    const { id: companyId } = await companyFor(write, caller, id);
    return setProvider(write, companyId, settings, client, {
      keys: sealingKeys,
      isSuperAdmin: caller.person.role === 'super_admin',
    });
  });
  return { status: 200, body: present(providerRow, company.id, baseUrl) };
};

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
    role_claim: row?.role_claim ?? undefined,
    role_values: row === undefined ? [] : [...roleValuesOf(row)],
    creates_people: row?.creates_people === 1,
    trusts_auth_time: row?.trusts_auth_time === 1,
    redirect_uri: redirectUriOf(baseUrl, companyId),
    linked_people: linkedPeople,
  };
}
