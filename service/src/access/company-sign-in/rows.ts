import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import type { Tables } from '../../generated/tables.js';
import type { CompanyId, PersonId } from '../../store/ids.js';
import { insert, remove, removeReturning, removeSome, type Transaction, update, upsert } from '../../store/tables.js';

export type ProviderRow = Tables['identity_providers'];
export type SignInRow = Tables['company_sign_ins'];

export function findProvider(reader: Reader, companyId: CompanyId): Promise<ProviderRow | undefined> {
  return reader.get<ProviderRow>('SELECT * FROM identity_providers WHERE company_id = :companyId', { companyId });
}

/** The company that people with this e-mail domain, or with this address, sign in to; only if that is switched on. */
export async function findCompanyOf(
  reader: Reader,
  by: { readonly domain: string } | { readonly address: string },
): Promise<CompanyId | undefined> {
  const row = await reader.get<{ company_id: CompanyId }>(
    'domain' in by
      ? `SELECT p.company_id FROM email_domains d JOIN identity_providers p ON p.company_id = d.company_id
          JOIN companies c ON c.id = p.company_id WHERE d.domain = :domain AND p.enabled = 1 AND c.active = 1`
      : `SELECT p.company_id FROM identity_providers p JOIN companies c ON c.id = p.company_id
          WHERE p.address = :address AND p.enabled = 1 AND c.active = 1`,
    by,
  );
  return row?.company_id;
}

export async function anyProviderEnabled(reader: Reader): Promise<boolean> {
  return (await reader.get('SELECT 1 AS one FROM identity_providers WHERE enabled = 1 LIMIT 1')) !== undefined;
}

export async function saveProvider(tx: Transaction, row: ProviderRow): Promise<void> {
  await upsert(tx, 'identity_providers', ['company_id'], row);
}

export async function isAddressTaken(reader: Reader, address: string, except: CompanyId): Promise<boolean> {
  const row = await reader.get(
    'SELECT 1 AS one FROM identity_providers WHERE address = :address AND company_id <> :except',
    { address, except },
  );
  return row !== undefined;
}

export async function listDomains(reader: Reader, companyId: CompanyId): Promise<string[]> {
  const rows = await reader.all<{ domain: string }>(
    'SELECT domain FROM email_domains WHERE company_id = :companyId ORDER BY domain',
    { companyId },
  );
  return rows.map(({ domain }) => domain);
}

export async function isDomainTaken(reader: Reader, domain: string, except: CompanyId): Promise<boolean> {
  const row = await reader.get('SELECT 1 AS one FROM email_domains WHERE domain = :domain AND company_id <> :except', {
    domain,
    except,
  });
  return row !== undefined;
}

export async function replaceDomains(tx: Transaction, companyId: CompanyId, domains: readonly string[]): Promise<void> {
  await remove(tx, 'email_domains', { company_id: companyId });
  for (const domain of domains) await insert(tx, 'email_domains', { domain, company_id: companyId });
}

export async function findSubject(
  reader: Reader,
  companyId: CompanyId,
  { issuer, subject }: { readonly issuer: string; readonly subject: string },
): Promise<PersonId | undefined> {
  const row = await reader.get<{ person_id: PersonId }>(
    `SELECT person_id FROM provider_subjects
      WHERE company_id = :companyId AND issuer = :issuer AND subject = :subject`,
    { companyId, issuer, subject },
  );
  return row?.person_id;
}

export async function hasSubject(reader: Reader, personId: PersonId): Promise<boolean> {
  return (
    (await reader.get('SELECT 1 AS one FROM provider_subjects WHERE person_id = :personId', { personId })) !== undefined
  );
}

export async function insertSubject(tx: Transaction, row: Tables['provider_subjects']): Promise<void> {
  await insert(tx, 'provider_subjects', row);
}

export async function countSubjects(reader: Reader, companyId: CompanyId): Promise<number> {
  const row = await reader.get<{ n: number }>(
    'SELECT count(*) AS n FROM provider_subjects WHERE company_id = :companyId',
    { companyId },
  );
  return Number(row!.n);
}

/** @returns whether the person was bound */
export async function deleteSubject(tx: Transaction, personId: PersonId): Promise<boolean> {
  return (await remove(tx, 'provider_subjects', { person_id: personId })) > 0;
}

export async function deleteSubjects(tx: Transaction, companyId: CompanyId): Promise<void> {
  await remove(tx, 'provider_subjects', { company_id: companyId });
}

export async function insertSignIn(tx: Transaction, row: SignInRow): Promise<void> {
  await insert(tx, 'company_sign_ins', row);
}

/** Each is taken once: of two answers with the same state, the second finds nothing. */
export async function takeSignIn(tx: Transaction, stateHash: string): Promise<SignInRow | undefined> {
  return (await removeReturning(tx, 'company_sign_ins', { state_hash: stateHash }))[0];
}

export function purgeSignIns(tx: Transaction, before: Instant, limit: number): Promise<number> {
  return removeSome(tx, 'company_sign_ins', ['state_hash'], 'created_at < :before', { before, limit });
}

/** Providers whose client secret only the lost DATA_KEY could open. */
export async function listSealedProviders(reader: Reader): Promise<CompanyId[]> {
  const rows = await reader.all<{ company_id: CompanyId }>(
    "SELECT company_id FROM identity_providers WHERE secret_sealed_by = 'data_key' ORDER BY company_id",
  );
  return rows.map(({ company_id: companyId }) => companyId);
}

export async function giveUpSecret(tx: Transaction, companyId: CompanyId): Promise<void> {
  await update(
    tx,
    'identity_providers',
    { company_id: companyId },
    { enabled: 0, secret_sealed: null, secret_sealed_by: null },
  );
}
