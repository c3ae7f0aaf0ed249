import type { Migration } from '@clockproof/platform/database/database';

/**
 * Entries of personal links from before the extension was recorded with them: the links know it. Runs where there are
 * links.
 */
export const auditOfLinks: Migration = {
  id: '0220-audit-of-links',
  statements: () => [
    `INSERT INTO audit_parties (party, sequence)
       SELECT 'extension ' || l.extension_id, e.sequence FROM audit_entries e JOIN links l ON l.id = e.actor_id WHERE e.actor_kind = 'personal_link' ON CONFLICT DO NOTHING`,
  ],
};
