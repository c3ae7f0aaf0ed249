import type { Migration } from '@clockproof/platform/database/database';

/**
 * Terminals, badges and issuings as their admins see them. An issuing stays visible after it has ended, until the next
 * one at the same terminal.
 */
export const entrances: Migration = {
  id: '0590-entrances',
  statements: (d) => [
    `ALTER TABLE terminals ADD COLUMN issuing_allowed ${d.integer} NOT NULL DEFAULT 1`,
    `ALTER TABLE terminals ADD COLUMN confirmed_by ${d.integer}`,
    `ALTER TABLE terminals ADD COLUMN last_seen_at ${d.integer}`,
    'ALTER TABLE terminals ADD COLUMN agent_version TEXT',
    'ALTER TABLE terminals ADD COLUMN reader TEXT',
    'ALTER TABLE terminals ADD COLUMN reader_state TEXT',
    `ALTER TABLE terminals ADD COLUMN clock_offset_ms ${d.integer}`,
    `ALTER TABLE terminals ADD COLUMN offline_waiting ${d.integer}`,
    `ALTER TABLE terminals ADD COLUMN proofs_stopped_at ${d.integer}`,
    `ALTER TABLE terminals ADD COLUMN removed_at ${d.integer}`,
    'ALTER TABLE badges ADD COLUMN issued_terminal_id TEXT',
    `ALTER TABLE badges ADD COLUMN last_used_at ${d.integer}`,
    `ALTER TABLE badges ADD COLUMN blocked_at ${d.integer}`,
    `ALTER TABLE badges ADD COLUMN blocked_by ${d.integer}`,
    `ALTER TABLE badges ADD COLUMN lost ${d.integer} NOT NULL DEFAULT 0`,
    `ALTER TABLE badges ADD COLUMN returned_at ${d.integer}`,
    'CREATE INDEX badges_by_company ON badges (company_id, issued_at, id)',
    `ALTER TABLE issuing_windows ADD COLUMN state TEXT NOT NULL DEFAULT 'waiting'`,
    `ALTER TABLE issuing_windows ADD COLUMN started_at ${d.integer} NOT NULL DEFAULT 0`,
    `ALTER TABLE issuing_windows ADD COLUMN card_at ${d.integer}`,
    'ALTER TABLE issuing_windows ADD COLUMN reason TEXT',
    'ALTER TABLE issuing_windows ADD COLUMN badge_id TEXT',
    `CREATE TABLE proof_failures (
      terminal_id TEXT NOT NULL REFERENCES terminals (id), badge_id TEXT NOT NULL, at ${d.integer} NOT NULL, PRIMARY KEY (terminal_id, badge_id))`,
  ],
};
