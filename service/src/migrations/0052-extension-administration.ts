import type { Migration } from '@clockproof/platform/database/database';

export const extensionAdministration: Migration = {
  id: '0052-extension-administration',
  statements: (d) => [
    'ALTER TABLE extensions ADD COLUMN description TEXT',
    // A deleted extension stays as the author of what it did; it has no key, permission or address left.
    `ALTER TABLE extensions ADD COLUMN deleted_at ${d.integer}`,
    `ALTER TABLE people_access ADD COLUMN changed_at ${d.integer}`,
    `ALTER TABLE people_access ADD COLUMN changed_by ${d.integer} REFERENCES people (id)`,
    'CREATE INDEX keys_by_extension ON api_keys (extension_id, created_at)',
  ],
};
