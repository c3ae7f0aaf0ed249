import type { Reader } from '@clockproof/platform/database/database';
import type { CountedLookupDefinition } from '@clockproof/platform/http/rate-limit';
import { comparableName } from '@clockproof/platform/text/name';
import type { Instant } from '@clockproof/platform/time/instant';
import type { Tables } from '../generated/tables.js';
import type { CompanyId, ExtensionId, KeyId, PersonId } from '../store/ids.js';
import { insert, type Transaction, update, updateWhere } from '../store/tables.js';

export type ExtensionRow = Omit<Tables['extensions'], 'deleted_at'>;

export type KeyRow = Pick<Tables['api_keys'], 'id' | 'extension_id' | 'hash' | 'expires_at' | 'revoked_at'> &
  Pick<ExtensionRow, 'name' | 'scopes' | 'company_id' | 'acting' | 'is_leading' | 'key_reads'> &
  Pick<PeopleAccess, 'people_writes'> & { readonly company_active: 0 | 1 };

const keyColumns = `SELECT k.id, k.extension_id, k.hash, k.expires_at, k.revoked_at, e.name, e.scopes, e.company_id, e.acting, e.is_leading, e.key_reads, a.people_writes, COALESCE(c.active, 1) AS company_active
  FROM api_keys k JOIN extensions e ON e.id = k.extension_id LEFT JOIN companies c ON c.id = e.company_id JOIN people_access a ON a.one = 1`;
const keyByLookup = `${keyColumns} WHERE k.lookup = :lookup`;

export function findKey(reader: Reader, lookup: string): Promise<KeyRow | undefined> {
  return reader.get<KeyRow>(keyByLookup, { lookup });
}

export function findKeyById(reader: Reader, id: KeyId): Promise<KeyRow | undefined> {
  return reader.get<KeyRow>(`${keyColumns} WHERE k.id = :id`, { id });
}

/** The same for a write: key, extension and a company's activity stay as they are until its transaction ends. */
export async function keepKey(tx: Reader, id: KeyId, companyId: CompanyId | undefined): Promise<KeyRow | undefined> {
  const { forShare, forKeyShare } = tx.dialect;
  const company = 'SELECT id FROM companies c WHERE id = :companyId';
  const [, row] = await Promise.all([
    companyId === undefined ? undefined : tx.get(company + forKeyShare('c'), { companyId }),
    tx.get<KeyRow>(`${keyColumns} WHERE k.id = :id${forShare('k, e')}`, { id }),
  ]);
  return row;
}

/** The condition for a valid key. @param key its alias in the statement */
const validityOf = (key: string) =>
  `${key}.hash = :hash AND (${key}.revoked_at IS NULL OR ${key}.revoked_at > :at) AND (${key}.expires_at IS NULL OR ${key}.expires_at > :at)`;

/** Finds a key and, if the database counts its requests, counts this one: one statement for both. */
export const countedKeyLookup: CountedLookupDefinition = {
  sql: keyByLookup,
  bucket: 'key',
  keyColumn: 'extension_id',
  countedIf: validityOf('found'),
};

export async function insertKey(
  tx: Transaction,
  row: {
    id: string;
    extension_id: ExtensionId;
    lookup: string;
    hash: string;
    created_at: number;
    expires_at: number | null;
  },
): Promise<void> {
  await insert(tx, 'api_keys', row);
}

export async function noteUse(tx: Transaction, id: KeyId, at: Instant): Promise<void> {
  await updateWhere(tx, 'api_keys', { last_used_at: at }, 'id = :id AND (last_used_at IS NULL OR last_used_at < :at)', {
    id,
    at,
  });
}

export async function insertExtension(tx: Transaction, row: ExtensionRow): Promise<void> {
  await insert(tx, 'extensions', row);
}

export type PeopleAccess = Pick<Tables['people_access'], 'people_writes' | 'personal_links' | 'terminals'>;

export async function readPeopleAccess(reader: Reader): Promise<PeopleAccess> {
  return (await reader.get<PeopleAccess>(
    'SELECT people_writes, personal_links, terminals FROM people_access WHERE one = 1',
  ))!;
}

export async function savePeopleAccess(tx: Transaction, access: PeopleAccess): Promise<void> {
  const { people_writes, personal_links, terminals } = access;
  await update(tx, 'people_access', { one: 1 }, { people_writes, personal_links, terminals });
}

// ---- administration

export function findExtension(reader: Reader, id: ExtensionId): Promise<ExtensionRow | undefined> {
  return reader.get<ExtensionRow>('SELECT * FROM extensions WHERE id = :id AND deleted_at IS NULL', { id });
}

/** Locks the row for the rest of the transaction. */
export function lockExtension(tx: Transaction, id: ExtensionId): Promise<ExtensionRow | undefined> {
  return tx.get<ExtensionRow>(`SELECT * FROM extensions WHERE id = :id AND deleted_at IS NULL${tx.dialect.forUpdate}`, {
    id,
  });
}

export function findExtensionByClientId(reader: Reader, clientId: string): Promise<ExtensionRow | undefined> {
  return reader.get<ExtensionRow>('SELECT * FROM extensions WHERE client_id = :clientId AND deleted_at IS NULL', {
    clientId,
  });
}

export function listExtensionRows(
  reader: Reader,
  after: { name: string; id: string } | undefined,
  limit: number,
): Promise<ExtensionRow[]> {
  return reader.all<ExtensionRow>(
    `SELECT * FROM extensions WHERE deleted_at IS NULL ${after === undefined ? '' : 'AND (name, id) > (:name, :id)'} ORDER BY name, id LIMIT :limit`,
    { limit, name: after?.name ?? '', id: after?.id ?? '' },
  );
}

/** Compared here, not in SQL, because databases fold case differently. An installation has few extensions. */
export async function isNameTaken(reader: Reader, name: string, exceptId: string): Promise<boolean> {
  const otherExtensions = await reader.all<{ name: string }>(
    'SELECT name FROM extensions WHERE id <> :exceptId AND deleted_at IS NULL',
    { exceptId },
  );
  return otherExtensions.some((extension) => comparableName(extension.name) === comparableName(name));
}

export async function updateExtensionRow(tx: Transaction, row: ExtensionRow): Promise<void> {
  const { id, name, description, company_id, mode, acting, scopes, is_leading, linkable, redirect_uris } = row;
  const { link_days, webhook_url, key_reads, event_types, updated_at } = row;
  const settings = { name, description, company_id, mode, acting, scopes, is_leading, linkable, redirect_uris };
  await update(tx, 'extensions', { id }, { ...settings, link_days, webhook_url, key_reads, event_types, updated_at });
}

/** The remaining row has no permissions and only keeps the name. */
export async function markExtensionDeleted(tx: Transaction, id: ExtensionId, at: Instant): Promise<void> {
  await update(
    tx,
    'extensions',
    { id },
    { deleted_at: at, updated_at: at, scopes: '[]', linkable: 0, redirect_uris: '[]', webhook_url: null },
  );
  await updateWhere(tx, 'api_keys', { revoked_at: at }, 'extension_id = :id AND revoked_at IS NULL', { id });
}

export type LiveKey = Omit<Tables['api_keys'], 'extension_id' | 'hash'>;

/** The end of a key: its own expiry or the end of a rotation, whichever comes first; null if never. */
export function endOfKey({ expires_at, revoked_at }: Pick<LiveKey, 'expires_at' | 'revoked_at'>): number | null {
  return expires_at === null ? revoked_at : revoked_at === null ? expires_at : Math.min(expires_at, revoked_at);
}

/** Working keys: the current one first, then the one that a rotation has replaced. */
export function liveKeys(reader: Reader, extensionId: ExtensionId, at: Instant): Promise<LiveKey[]> {
  return reader.all<LiveKey>(
    `SELECT id, lookup, created_at, expires_at, revoked_at, last_used_at FROM api_keys
     WHERE extension_id = :extensionId AND (revoked_at IS NULL OR revoked_at > :at) AND (expires_at IS NULL OR expires_at > :at)
     ORDER BY CASE WHEN revoked_at IS NULL THEN 0 ELSE 1 END, created_at DESC, id DESC`,
    { extensionId, at },
  );
}

/** The key expires at `endsAt`, or sooner by its own date. */
export async function endKeyAt(tx: Transaction, id: KeyId, endsAt: Instant): Promise<void> {
  await updateWhere(
    tx,
    'api_keys',
    { revoked_at: endsAt },
    'id = :id AND (revoked_at IS NULL OR revoked_at > :endsAt)',
    { id, endsAt },
  );
}

export async function noteAccessChange(tx: Transaction, personId: PersonId, at: Instant): Promise<void> {
  await update(tx, 'people_access', { one: 1 }, { changed_at: at, changed_by: personId });
}

export async function readAccessChange(
  reader: Reader,
): Promise<{ readonly changed_at: number | null; readonly changed_by: number | null }> {
  return (await reader.get<{ changed_at: number | null; changed_by: number | null }>(
    'SELECT changed_at, changed_by FROM people_access WHERE one = 1',
  ))!;
}
