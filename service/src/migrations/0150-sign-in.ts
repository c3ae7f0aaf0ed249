import type { Migration } from '@clockproof/platform/database/database';

export const signIn: Migration = {
  id: '0150-sign-in',
  statements: (d) => [
    `CREATE TABLE credentials (
      person_id ${d.integer} PRIMARY KEY REFERENCES people (id), password_hash TEXT, password_changed_at ${d.integer}, last_sign_in_at ${d.integer},
      factor_tries ${d.integer} NOT NULL DEFAULT 0, factor_tries_since ${d.integer} NOT NULL DEFAULT 0,
      totp_sealed ${d.bytes}, totp_sealed_by TEXT, totp_enrolled_at ${d.integer}, totp_step ${d.integer} NOT NULL DEFAULT 0,
      pending_sealed ${d.bytes}, pending_sealed_by TEXT, pending_expires_at ${d.integer})`,
    `CREATE TABLE recovery_codes (
      person_id ${d.integer} NOT NULL REFERENCES people (id), hash TEXT NOT NULL, hashed_by TEXT NOT NULL, used_at ${d.integer}, PRIMARY KEY (person_id, hash))`,
    `CREATE TABLE sessions (
      id TEXT PRIMARY KEY, token_hash TEXT NOT NULL UNIQUE, person_id ${d.integer} NOT NULL REFERENCES people (id), stage TEXT NOT NULL, created_at ${d.integer} NOT NULL,
      last_seen_at ${d.integer} NOT NULL, second_factor_at ${d.integer}, ended_at ${d.integer}, device TEXT, address TEXT NOT NULL)`,
    'CREATE INDEX sessions_by_person ON sessions (person_id, last_seen_at)',
    `CREATE TABLE one_time_links (
      hash TEXT PRIMARY KEY, kind TEXT NOT NULL, person_id ${d.integer} REFERENCES people (id), created_at ${d.integer} NOT NULL, expires_at ${d.integer} NOT NULL)`,
    'CREATE INDEX one_time_links_by_person ON one_time_links (person_id)',
  ],
};
