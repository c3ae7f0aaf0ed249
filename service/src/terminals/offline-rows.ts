import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import type { Tables } from '../generated/tables.js';
import type { PersonId, TerminalId } from '../store/ids.js';
import { insert, type Transaction } from '../store/tables.js';

export type OfflineStampRow = Tables['offline_stamps'];

/** A terminal's key: numbers of offline stamps count for it alone. */
export interface TerminalKey {
  readonly terminalId: TerminalId;
  readonly fingerprint: string;
}

/** The highest number held for a terminal's key; 0 if none. */
export async function highestNumber(reader: Reader, { terminalId, fingerprint }: TerminalKey): Promise<number> {
  return (
    (await reader.get<{ highest: number | null }>(
      'SELECT max(number) AS highest FROM offline_stamps WHERE terminal_id = :terminalId AND key_fingerprint = :fingerprint',
      { terminalId, fingerprint },
    ))!.highest ?? 0
  );
}

export function findNumber(
  reader: Reader,
  { terminalId, fingerprint }: TerminalKey,
  number: number,
): Promise<OfflineStampRow | undefined> {
  return reader.get<OfflineStampRow>(
    'SELECT * FROM offline_stamps WHERE terminal_id = :terminalId AND key_fingerprint = :fingerprint AND number = :number',
    { terminalId, fingerprint, number },
  );
}

/** Whether this terminal has recorded the same stamp before, with another number or another key. */
export async function wasRecorded(reader: Reader, terminalId: TerminalId, contentHash: string): Promise<boolean> {
  return (
    (await reader.get(
      "SELECT 1 AS one FROM offline_stamps WHERE terminal_id = :terminalId AND content_hash = :contentHash AND result = 'accepted' LIMIT 1",
      { terminalId, contentHash },
    )) !== undefined
  );
}

export function insertOfflineStamp(tx: Transaction, row: OfflineStampRow): Promise<void> {
  return insert(tx, 'offline_stamps', row);
}

/** Whether an encrypted stamp of this key could be read. */
export async function hasSealed(reader: Reader, { terminalId, fingerprint }: TerminalKey): Promise<boolean> {
  return (
    (await reader.get(
      'SELECT 1 AS one FROM offline_stamps WHERE terminal_id = :terminalId AND key_fingerprint = :fingerprint AND sealed = 1 LIMIT 1',
      { terminalId, fingerprint },
    )) !== undefined
  );
}

/** The number of accepted stamps of a person that arrived from the terminal since then. */
export async function countAcceptedSince(
  reader: Reader,
  terminalId: TerminalId,
  personId: PersonId,
  since: Instant,
): Promise<number> {
  return (await reader.get<{ accepted: number }>(
    `SELECT count(*) AS accepted FROM offline_stamps s JOIN time_entries e ON e.id = s.entry_id
     WHERE s.terminal_id = :terminalId AND s.received_at >= :since AND e.person_id = :personId`,
    { terminalId, personId, since },
  ))!.accepted;
}
