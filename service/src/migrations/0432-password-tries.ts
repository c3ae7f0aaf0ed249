import type { Migration } from '@clockproof/platform/database/database';

/**
 * Wrong passwords in a row for one address of an account, known or not: the hash says which. `last_address`: where the
 * person last signed in, which such a row does not slow down.
 */
export const passwordTries: Migration = {
  id: '0432-password-tries',
  statements: (d) => [
    `CREATE TABLE password_tries (account TEXT PRIMARY KEY, tries ${d.integer} NOT NULL, last_at ${d.integer} NOT NULL)`,
    'CREATE INDEX password_tries_by_age ON password_tries (last_at)',
    'ALTER TABLE credentials ADD COLUMN last_address TEXT',
  ],
};
