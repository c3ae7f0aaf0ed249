import type { Migration } from '@clockproof/platform/database/database';

export const extensions: Migration = {
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
};
