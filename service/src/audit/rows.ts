import type { Migration, Reader, Transaction } from '@clockproof/platform/database/database';

export interface EntryRow {
  readonly sequence: number;
  readonly at: number;
  readonly company_id: number | null;
  readonly actor_kind: string;
  readonly actor_id: string | null;
  readonly actor_name: string | null;
  readonly action: string;
  readonly subject: string | null;
  /** JSON */
  readonly details: string | null;
  /** 64 hex digits */
  readonly hash: string;
}

export interface Head { readonly sequence: number; readonly hash: string }

export const auditMigrations: readonly Migration[] = [{
  id: '0010-audit',
  statements: (d) => [
    `CREATE TABLE audit_entries (
      sequence ${d.integer} PRIMARY KEY, at ${d.integer} NOT NULL, company_id ${d.integer}, actor_kind TEXT NOT NULL, actor_id TEXT, actor_name TEXT,
      action TEXT NOT NULL, subject TEXT, details TEXT, hash TEXT NOT NULL)`,
    'CREATE INDEX audit_by_company ON audit_entries (company_id, sequence)',
    // One row: the newest entry. Locked while an entry is appended, so that entries are numbered in the order of commit, without gaps.
    `CREATE TABLE audit_head (one ${d.integer} PRIMARY KEY CHECK (one = 1), sequence ${d.integer} NOT NULL, hash TEXT NOT NULL)`,
    `INSERT INTO audit_head (one, sequence, hash) VALUES (1, 0, '${'0'.repeat(64)}')`,
    ...d.appendOnly('audit_entries'),
  ],
}];

export async function lockHead(tx: Transaction): Promise<Head> {
  return (await tx.get<Head>(`SELECT sequence, hash FROM audit_head WHERE one = 1${tx.dialect.forUpdate}`))!;
}

export async function readHead(reader: Reader): Promise<Head> {
  return (await reader.get<Head>('SELECT sequence, hash FROM audit_head WHERE one = 1'))!;
}

export async function moveHead(tx: Transaction, sequence: number, hash: string): Promise<void> {
  await tx.run('UPDATE audit_head SET sequence = :sequence, hash = :hash WHERE one = 1', { sequence, hash });
}

export async function insertEntry(tx: Transaction, row: EntryRow): Promise<void> {
  await tx.run(
    `INSERT INTO audit_entries (sequence, at, company_id, actor_kind, actor_id, actor_name, action, subject, details, hash)
     VALUES (:sequence, :at, :company_id, :actor_kind, :actor_id, :actor_name, :action, :subject, :details, :hash)`,
    { ...row },
  );
}

export function entriesAfter(reader: Reader, sequence: number, limit: number): Promise<EntryRow[]> {
  return reader.all<EntryRow>('SELECT * FROM audit_entries WHERE sequence > :sequence ORDER BY sequence LIMIT :limit', { sequence, limit });
}
