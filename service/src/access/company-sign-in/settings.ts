/** The identity provider of a company: set by its admins; a super admin sets its domains and the trust in it. */
import type { Reader } from '@clockproof/platform/database/database';
import { parseTarget } from '../../extensions/webhooks/targets.js';
import type { CompanyId } from '../../store/ids.js';
import { invalidField, Refusal } from '../../store/refusal.js';
import type { SealingKeys } from '../../store/sealing/sealing-keys.js';
import type { Write } from '../../store/write.js';
import { endProviderSessions } from '../rows.js';
import type { ProviderClient } from './provider.js';
import {
  countSubjects,
  deleteSubjects,
  findProvider,
  giveUpSecret,
  isAddressTaken,
  isDomainTaken,
  listDomains,
  type ProviderRow,
  replaceDomains,
  saveProvider,
} from './rows.js';

export interface RoleValue {
  readonly value: string;
  readonly role: 'approver' | 'company_admin';
}

export interface ProviderSettings {
  readonly enabled: boolean;
  readonly address: string;
  readonly issuer: string;
  readonly clientId: string;
  /** Absent: the stored one stays, if issuer and client do. */
  readonly clientSecret?: string | undefined;
  readonly emailDomains: readonly string[];
  readonly roleClaim?: string | undefined;
  readonly roleValues: readonly RoleValue[];
  readonly createsPeople: boolean;
  readonly trustsAuthTime: boolean;
}

export interface StoredProvider {
  readonly row: ProviderRow | undefined;
  readonly domains: readonly string[];
  readonly linkedPeople: number;
}

const associatedData = (companyId: CompanyId) => `client secret of company ${companyId}`;

export async function readProvider(reader: Reader, companyId: CompanyId): Promise<StoredProvider> {
  return {
    row: await findProvider(reader, companyId),
    domains: await listDomains(reader, companyId),
    linkedPeople: await countSubjects(reader, companyId),
  };
}

export function roleValuesOf({ role_values: values }: Pick<ProviderRow, 'role_values'>): readonly RoleValue[] {
  return JSON.parse(values) as RoleValue[];
}

export function redirectUriOf(baseUrl: string, companyId: CompanyId): string {
  return `${baseUrl.replace(/\/$/, '')}/sign-in/company/${companyId}`;
}

/** @throws Refusal `identity_provider_failed` its secret was sealed with a key that is lost */
export function clientOf(row: ProviderRow, keys: SealingKeys, baseUrl: string): ProviderClient {
  const { company_id: companyId, secret_sealed: sealedSecret, secret_sealed_by: by } = row;
  if (sealedSecret === null || by === null) throw new Refusal('identity_provider_failed');
  return {
    issuer: row.issuer,
    clientId: row.client_id,
    clientSecret: Buffer.from(keys.get(by).open(associatedData(companyId), sealedSecret)).toString(),
    redirectUri: redirectUriOf(baseUrl, companyId),
  };
}

/**
 * The client with these settings, for a look at the provider's metadata before they are stored.
 * @throws Refusal `invalid_request` the secret is missing, or the issuer is no address that is allowed
 */
export async function plannedClient(
  reader: Reader,
  companyId: CompanyId,
  { issuer, clientId, clientSecret }: ProviderSettings,
  { keys, baseUrl, allowPrivateTargets }: SettingsNeeds,
): Promise<ProviderClient> {
  const address = parseTarget(issuer, allowPrivateTargets);
  if (address === undefined || address.search !== '')
    throw invalidField('issuer', 'not_allowed', 'The issuer is a public https address without a query.');
  const row = await findProvider(reader, companyId);
  // The secret of one client is not sent to another, nor to another issuer.
  const keepsSecret = row?.secret_sealed != null && !isAnother(row, { issuer, clientId });
  const secret = clientSecret ?? (keepsSecret ? clientOf(row, keys, baseUrl).clientSecret : undefined);
  if (secret === undefined) throw invalidField('client_secret', 'required', 'The client needs a secret.');
  return { issuer, clientId, clientSecret: secret, redirectUri: redirectUriOf(baseUrl, companyId) };
}

export interface SettingsNeeds {
  readonly keys: SealingKeys;
  /** BASE_URL */
  readonly baseUrl: string;
  /** WEBHOOK_ALLOW_PRIVATE_TARGETS */
  readonly allowPrivateTargets: boolean;
}

/** Spellings of an issuer that are one URL are one issuer, as in OpenID Connect discovery. */
function isAnother(row: ProviderRow, { issuer, clientId }: Pick<ProviderSettings, 'issuer' | 'clientId'>): boolean {
  return new URL(row.issuer).href !== new URL(issuer).href || row.client_id !== clientId;
}

/**
 * With another issuer or client, accounts of the earlier one say nothing any more: the bindings of all people end. So do
 * the sessions that came from the provider, as soon as it is off, another one, or has other domains or less trust.
 * @param client with the issuer of its metadata, or as typed while the provider is off
 * @param isSuperAdmin nothing proves that a domain is the company's, or that a provider asks for a second factor, so a
 * super admin says so
 * @throws Refusal `forbidden` domains or trust differ and the admin may not change them, `value_taken`
 */
export async function setProvider(
  write: Write,
  companyId: CompanyId,
  settings: ProviderSettings,
  { clientSecret, issuer }: ProviderClient,
  { keys, isSuperAdmin }: Pick<SettingsNeeds, 'keys'> & { readonly isSuperAdmin: boolean },
): Promise<StoredProvider> {
  // One after the other: two companies at once would not see each other's domain.
  await write.lock({ installation: true });
  const before = await findProvider(write, companyId);
  const domainsBefore = await listDomains(write, companyId);
  const domains = [...new Set(settings.emailDomains)].sort();
  const domainsChange = domains.join() !== domainsBefore.join();
  const trustsAuthTime = before?.trusts_auth_time === 1;
  if ((domainsChange || settings.trustsAuthTime !== trustsAuthTime) && !isSuperAdmin) throw new Refusal('forbidden');
  if (await isAddressTaken(write, settings.address, companyId))
    throw takenRefusal('address', 'Another company has it.');
  for (const [index, domain] of domains.entries())
    if (await isDomainTaken(write, domain, companyId))
      throw takenRefusal(`email_domains[${index}]`, 'Another company has it.');
  const isOtherProvider = before !== undefined && isAnother(before, settings);
  // Trust is in one provider, and a company admin may have chosen the next.
  const isTrusted = settings.trustsAuthTime && (isSuperAdmin || !isOtherProvider);
  const endedBindings = isOtherProvider ? await countSubjects(write, companyId) : 0;
  if (isOtherProvider) await deleteSubjects(write, companyId);
  const endsSessions = isOtherProvider || domainsChange || !settings.enabled || (trustsAuthTime && !isTrusted);
  const endedSessions = endsSessions ? await endProviderSessions(write, companyId, write.at) : 0;
  if (domainsChange) await replaceDomains(write, companyId, domains);
  await saveProvider(write, {
    company_id: companyId,
    enabled: settings.enabled ? 1 : 0,
    address: settings.address,
    issuer,
    client_id: settings.clientId,
    secret_sealed: keys.get(keys.current).seal(associatedData(companyId), Buffer.from(clientSecret)),
    secret_sealed_by: keys.current,
    role_claim: settings.roleClaim ?? null,
    role_values: JSON.stringify(settings.roleValues),
    creates_people: settings.createsPeople ? 1 : 0,
    trusts_auth_time: isTrusted ? 1 : 0,
  });
  await write.audit({
    companyId,
    action: 'company.sign_in_set',
    subject: `company ${companyId}`,
    details: {
      enabled: settings.enabled,
      issuer,
      client_id: settings.clientId,
      secret_changed: settings.clientSecret !== undefined,
      email_domains: domains,
      ...(settings.roleClaim === undefined ? {} : { role_claim: settings.roleClaim, role_values: settings.roleValues }),
      creates_people: settings.createsPeople,
      trusts_auth_time: isTrusted,
      ended_bindings: endedBindings,
      ended_sessions: endedSessions,
    },
  });
  return readProvider(write, companyId);
}

/** After the loss of DATA_KEY, the provider is off until an admin enters the client secret again. */
export async function giveUpClientSecret(write: Write, companyId: CompanyId): Promise<void> {
  await giveUpSecret(write, companyId);
  await endProviderSessions(write, companyId, write.at);
  await write.audit({
    companyId,
    action: 'company.sign_in_set',
    subject: `company ${companyId}`,
    details: { enabled: false, because: 'data_key_lost' },
  });
}

function takenRefusal(field: string, error: string): Refusal {
  return new Refusal('value_taken', { details: [{ field, code: 'taken', error }] });
}
