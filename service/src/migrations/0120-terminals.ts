import type { Migration } from '@clockproof/platform/database/database';

export const terminals: Migration = {
  id: '0120-terminals',
  statements: (d) => [
    `CREATE TABLE terminals (
      id TEXT PRIMARY KEY, company_id ${d.integer} NOT NULL REFERENCES companies (id), name TEXT NOT NULL, location TEXT, public_key ${d.bytes}, fingerprint TEXT, device TEXT, confirmed_at ${d.integer},
      show_info ${d.integer} NOT NULL, info_without_pin ${d.integer} NOT NULL, badge_and_pin ${d.integer} NOT NULL, created_at ${d.integer} NOT NULL)`,
    'CREATE INDEX terminals_by_company ON terminals (company_id, id)',
    `CREATE TABLE terminal_departments (terminal_id TEXT NOT NULL REFERENCES terminals (id), department_id ${d.integer} NOT NULL REFERENCES departments (id), PRIMARY KEY (terminal_id, department_id))`,
    `CREATE TABLE pairing_codes (terminal_id TEXT PRIMARY KEY REFERENCES terminals (id), hash TEXT NOT NULL UNIQUE, expires_at ${d.integer} NOT NULL, wrong_tries ${d.integer} NOT NULL DEFAULT 0)`,
    `CREATE TABLE terminal_nonces (terminal_id TEXT NOT NULL, nonce TEXT NOT NULL, at ${d.integer} NOT NULL, PRIMARY KEY (terminal_id, nonce))`,
    'CREATE INDEX terminal_nonces_by_age ON terminal_nonces (terminal_id, at)',
    `CREATE TABLE issuing_windows (terminal_id TEXT PRIMARY KEY REFERENCES terminals (id), person_id ${d.integer} NOT NULL REFERENCES people (id), expires_at ${d.integer} NOT NULL)`,
    `CREATE TABLE card_sessions (
      id TEXT PRIMARY KEY, terminal_id TEXT NOT NULL REFERENCES terminals (id), company_id ${d.integer} NOT NULL, purpose TEXT NOT NULL, badge_id TEXT NOT NULL, person_id ${d.integer} NOT NULL,
      state TEXT NOT NULL, sealed ${d.bytes} NOT NULL, steps ${d.integer} NOT NULL, created_at ${d.integer} NOT NULL, last_at ${d.integer} NOT NULL)`,
    // One live conversation a terminal and a badge, whoever races.
    "CREATE UNIQUE INDEX one_session_a_terminal ON card_sessions (terminal_id) WHERE state <> 'ended'",
    "CREATE UNIQUE INDEX one_session_a_badge ON card_sessions (badge_id) WHERE state <> 'ended'",
    'CREATE INDEX card_sessions_by_age ON card_sessions (created_at)',
  ],
};
