import type { Migration, Reader, Transaction } from '@clockproof/platform/database/database';

export interface EventRow {
  readonly sequence: number;
  readonly id: string;
  readonly type: string;
  readonly at: number;
  readonly company_id: number;
  readonly person_id: number | null;
  /** JSON, as it is delivered. */
  readonly payload: string;
}

export const eventMigrations: readonly Migration[] = [{
  id: '0020-events',
  statements: (d) => [
    `CREATE TABLE event_head (one ${d.integer} PRIMARY KEY CHECK (one = 1), sequence ${d.integer} NOT NULL)`,
    'INSERT INTO event_head (one, sequence) VALUES (1, 0)',
    `CREATE TABLE events (
      sequence ${d.integer} PRIMARY KEY, id TEXT NOT NULL, type TEXT NOT NULL, at ${d.integer} NOT NULL, company_id ${d.integer} NOT NULL, person_id ${d.integer}, payload TEXT NOT NULL)`,
    'CREATE INDEX events_by_company ON events (company_id, sequence)',
  ],
}];

export async function nextSequence(tx: Transaction): Promise<number> {
  return (await tx.get<{ sequence: number }>('UPDATE event_head SET sequence = sequence + 1 WHERE one = 1 RETURNING sequence'))!.sequence;
}

export async function currentSequence(reader: Reader): Promise<number> {
  return (await reader.get<{ sequence: number }>('SELECT sequence FROM event_head WHERE one = 1'))!.sequence;
}

export async function insertEvent(tx: Transaction, row: EventRow): Promise<void> {
  await tx.run(
    'INSERT INTO events (sequence, id, type, at, company_id, person_id, payload) VALUES (:sequence, :id, :type, :at, :company_id, :person_id, :payload)',
    { ...row },
  );
}

/** Events after a position; `companyId` null means every company. */
export function eventsAfter(reader: Reader, after: number, companyId: number | null, limit: number): Promise<EventRow[]> {
  return companyId === null
    ? reader.all<EventRow>('SELECT * FROM events WHERE sequence > :after ORDER BY sequence LIMIT :limit', { after, limit })
    : reader.all<EventRow>('SELECT * FROM events WHERE company_id = :companyId AND sequence > :after ORDER BY sequence LIMIT :limit', { after, companyId, limit });
}
