import type { Migration } from '@clockproof/platform/database/database';

export const passkeys: Migration = {
  id: '0210-passkeys',
  statements: (d) => [
    `CREATE TABLE passkeys (
      id TEXT PRIMARY KEY, person_id ${d.integer} NOT NULL REFERENCES people (id), credential_id TEXT NOT NULL UNIQUE, public_key ${d.bytes} NOT NULL, counter ${d.integer} NOT NULL,
      transports TEXT NOT NULL, name TEXT NOT NULL, created_at ${d.integer} NOT NULL, last_used_at ${d.integer})`,
    'CREATE INDEX passkeys_by_person ON passkeys (person_id, created_at)',
    // A session waits for one signature at a time.
    'ALTER TABLE sessions ADD COLUMN challenge TEXT',
    'ALTER TABLE sessions ADD COLUMN challenge_for TEXT',
    `ALTER TABLE sessions ADD COLUMN challenge_until ${d.integer}`,
  ],
};
