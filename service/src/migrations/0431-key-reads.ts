import type { Migration } from '@clockproof/platform/database/database';

/**
 * What the key of an extension reads itself. An app that acts only for people who linked it no longer reads the others;
 * one that acts for everyone in its company, or that nobody can link, reads what it did.
 */
export const keyReads: Migration = {
  id: '0431-key-reads',
  statements: () => [
    "ALTER TABLE extensions ADD COLUMN key_reads TEXT NOT NULL DEFAULT 'everyone'",
    "UPDATE extensions SET key_reads = 'linked_people' WHERE linkable = 1 AND acting = 'personal_link'",
    'CREATE INDEX links_alive ON links (extension_id, person_id) WHERE ended_at IS NULL',
  ],
};
