import type { Migration } from '@clockproof/platform/database/database';

/**
 * The first four characters of a pairing code find it, so that wrong tries count against this code alone. A public key
 * belongs to one terminal. Of several terminals with the same key the confirmed one keeps it, then the oldest; the
 * others have to be paired again.
 */
export const pairingCodesAndKeys: Migration = {
  id: '0430-pairing-codes-and-keys',
  statements: () => [
    'ALTER TABLE pairing_codes ADD COLUMN lookup_hash TEXT',
    'CREATE INDEX pairing_codes_by_lookup ON pairing_codes (lookup_hash)',
    `UPDATE terminals SET public_key = NULL, fingerprint = NULL, device = NULL, confirmed_at = NULL
     WHERE public_key IS NOT NULL AND EXISTS (
       SELECT 1 FROM terminals o WHERE o.public_key = terminals.public_key
        AND (CASE WHEN o.confirmed_at IS NULL THEN 1 ELSE 0 END, o.created_at, o.id)
          < (CASE WHEN terminals.confirmed_at IS NULL THEN 1 ELSE 0 END, terminals.created_at, terminals.id))`,
    'CREATE UNIQUE INDEX one_terminal_a_key ON terminals (public_key) WHERE public_key IS NOT NULL',
  ],
};
