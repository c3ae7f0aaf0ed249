import type { Migration } from '@clockproof/platform/database/database';

export const idempotency: Migration = {
  id: '0030-idempotency',
  statements: (d) => [
    `CREATE TABLE idempotency_keys (
      caller TEXT NOT NULL, key TEXT NOT NULL, fingerprint TEXT NOT NULL, answer TEXT, at ${d.integer} NOT NULL, PRIMARY KEY (caller, key))`,
    'CREATE INDEX idempotency_by_age ON idempotency_keys (at)',
  ],
};
