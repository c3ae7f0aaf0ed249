import type { Migration, Reader, Transaction } from '@clockproof/platform/database/database';

export interface ExtensionRow {
  readonly id: string;
  readonly name: string;
  /** Company binding; required for acting for everyone. */
  readonly company_id: number | null;
  readonly mode: 'api' | 'webhooks' | 'websocket';
  readonly acting: 'personal_link' | 'everyone';
  /** JSON array */
  readonly scopes: string;
  /** "Absences count as approved" */
  readonly is_leading: 0 | 1;
  readonly linkable: 0 | 1;
  /** JSON array, compared byte for byte */
  readonly redirect_uris: string;
  readonly link_days: number;
  readonly client_id: string;
  readonly webhook_url: string | null;
  readonly webhook_secret: string | null;
  readonly created_at: number;
  readonly updated_at: number;
}

export interface KeyRow extends Pick<ExtensionRow, 'name' | 'scopes' | 'company_id' | 'acting' | 'is_leading'> {
  readonly id: string;
  readonly extension_id: string;
  readonly hash: string;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
  readonly people_writes: 0 | 1;
}

export const extensionMigrations: readonly Migration[] = [{
  id: '0050-extensions',
  statements: (d) => [
    `CREATE TABLE extensions (
      id TEXT PRIMARY KEY, name TEXT NOT NULL, company_id ${d.integer} REFERENCES companies (id), mode TEXT NOT NULL, acting TEXT NOT NULL, scopes TEXT NOT NULL,
      is_leading ${d.integer} NOT NULL, linkable ${d.integer} NOT NULL, redirect_uris TEXT NOT NULL, link_days ${d.integer} NOT NULL, client_id TEXT NOT NULL UNIQUE,
      webhook_url TEXT, webhook_secret TEXT, created_at ${d.integer} NOT NULL, updated_at ${d.integer} NOT NULL,
      CHECK (acting <> 'everyone' OR company_id IS NOT NULL))`,
    `CREATE TABLE api_keys (
      id TEXT PRIMARY KEY, extension_id TEXT NOT NULL REFERENCES extensions (id), lookup TEXT NOT NULL UNIQUE, hash TEXT NOT NULL,
      created_at ${d.integer} NOT NULL, expires_at ${d.integer}, revoked_at ${d.integer}, last_used_at ${d.integer})`,
    // Access for people: one row, everything off until a super admin switches it on.
    `CREATE TABLE people_access (
      one ${d.integer} PRIMARY KEY CHECK (one = 1), people_writes ${d.integer} NOT NULL, personal_links ${d.integer} NOT NULL, terminals ${d.integer} NOT NULL)`,
    'INSERT INTO people_access (one, people_writes, personal_links, terminals) VALUES (1, 0, 0, 0)',
  ],
}];

export function findKey(reader: Reader, lookup: string): Promise<KeyRow | undefined> {
  return reader.get<KeyRow>(
    `SELECT k.id, k.extension_id, k.hash, k.expires_at, k.revoked_at, e.name, e.scopes, e.company_id, e.acting, e.is_leading, a.people_writes
     FROM api_keys k JOIN extensions e ON e.id = k.extension_id JOIN people_access a ON a.one = 1 WHERE k.lookup = :lookup`,
    { lookup },
  );
}

export async function insertKey(tx: Transaction, row: { id: string; extension_id: string; lookup: string; hash: string; created_at: number; expires_at: number | null }): Promise<void> {
  await tx.run('INSERT INTO api_keys (id, extension_id, lookup, hash, created_at, expires_at) VALUES (:id, :extension_id, :lookup, :hash, :created_at, :expires_at)', { ...row });
}

export async function noteUse(tx: Transaction, id: string, at: number): Promise<void> {
  await tx.run('UPDATE api_keys SET last_used_at = :at WHERE id = :id AND (last_used_at IS NULL OR last_used_at < :at)', { id, at });
}

export async function insertExtension(tx: Transaction, row: ExtensionRow): Promise<void> {
  await tx.run(
    `INSERT INTO extensions (id, name, company_id, mode, acting, scopes, is_leading, linkable, redirect_uris, link_days, client_id, webhook_url, webhook_secret, created_at, updated_at)
     VALUES (:id, :name, :company_id, :mode, :acting, :scopes, :is_leading, :linkable, :redirect_uris, :link_days, :client_id, :webhook_url, :webhook_secret, :created_at, :updated_at)`,
    { ...row },
  );
}

export interface PeopleAccess { readonly people_writes: 0 | 1; readonly personal_links: 0 | 1; readonly terminals: 0 | 1 }

export async function readPeopleAccess(reader: Reader): Promise<PeopleAccess> {
  return (await reader.get<PeopleAccess>('SELECT people_writes, personal_links, terminals FROM people_access WHERE one = 1'))!;
}

export async function savePeopleAccess(tx: Transaction, access: PeopleAccess): Promise<void> {
  await tx.run('UPDATE people_access SET people_writes = :people_writes, personal_links = :personal_links, terminals = :terminals WHERE one = 1', { ...access });
}
