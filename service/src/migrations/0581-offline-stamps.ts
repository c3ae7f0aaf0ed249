import type { Migration } from '@clockproof/platform/database/database';

/** Stamps that terminals recorded without a connection, each number of a terminal's key once, with what came of it. */
export const offlineStamps: Migration = {
  id: '0581-offline-stamps',
  statements: (d) => [
    `CREATE TABLE offline_stamps (
      terminal_id TEXT NOT NULL, key_fingerprint TEXT NOT NULL, number ${d.integer} NOT NULL, content_hash TEXT NOT NULL, result TEXT NOT NULL, entry_id ${d.integer},
      received_at ${d.integer} NOT NULL, PRIMARY KEY (terminal_id, key_fingerprint, number))`,
    'CREATE INDEX offline_stamps_by_content ON offline_stamps (terminal_id, content_hash)',
    "CREATE INDEX pending_entries_by_person ON time_entries (person_id, start_at) WHERE status = 'pending'",
  ],
};
