import type { Migration } from '@clockproof/platform/database/database';

export const oauth: Migration = {
  id: '0160-oauth',
  statements: (d) => [
    `CREATE TABLE links (
      id TEXT PRIMARY KEY, extension_id TEXT NOT NULL REFERENCES extensions (id), person_id ${d.integer} NOT NULL REFERENCES people (id), company_id ${d.integer} NOT NULL,
      scopes TEXT NOT NULL, refresh_hash TEXT NOT NULL UNIQUE, created_at ${d.integer} NOT NULL, expires_at ${d.integer} NOT NULL, last_used_at ${d.integer}, ended_at ${d.integer}, ended_why TEXT)`,
    'CREATE INDEX links_by_person ON links (person_id, id)',
    'CREATE INDEX links_by_extension ON links (extension_id, id)',
    'CREATE INDEX links_by_end ON links (expires_at) WHERE ended_at IS NULL',
    // Refresh tokens that have been exchanged: whoever presents one again ends the link.
    'CREATE TABLE used_refresh_tokens (hash TEXT PRIMARY KEY, link_id TEXT NOT NULL REFERENCES links (id))',
    'CREATE INDEX used_refresh_tokens_by_link ON used_refresh_tokens (link_id)',
    `CREATE TABLE access_tokens (hash TEXT PRIMARY KEY, link_id TEXT NOT NULL REFERENCES links (id), scopes TEXT NOT NULL, expires_at ${d.integer} NOT NULL)`,
    'CREATE INDEX access_tokens_by_link ON access_tokens (link_id, expires_at)',
    `CREATE TABLE authorization_codes (
      hash TEXT PRIMARY KEY, extension_id TEXT NOT NULL REFERENCES extensions (id), person_id ${d.integer} NOT NULL REFERENCES people (id), redirect_uri TEXT NOT NULL, code_challenge TEXT NOT NULL,
      scopes TEXT NOT NULL, link_expires_at ${d.integer} NOT NULL, expires_at ${d.integer} NOT NULL, used_at ${d.integer}, link_id TEXT REFERENCES links (id))`,
    `CREATE TABLE consent_requests (
      id TEXT PRIMARY KEY, extension_id TEXT NOT NULL REFERENCES extensions (id), redirect_uri TEXT NOT NULL, code_challenge TEXT NOT NULL, state TEXT, scopes TEXT NOT NULL, browser_hash TEXT NOT NULL,
      session_id TEXT, person_id ${d.integer} REFERENCES people (id), created_at ${d.integer} NOT NULL, expires_at ${d.integer} NOT NULL, decided_at ${d.integer})`,
    'CREATE INDEX consent_requests_by_end ON consent_requests (expires_at)',
  ],
};
