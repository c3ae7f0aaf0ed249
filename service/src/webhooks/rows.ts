import type { Reader, Transaction } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import type { Tables } from '../generated/tables.js';
import type { ExtensionId } from '../ids.js';
import { insert, update } from '../tables.js';

/**
 * A secret that signs webhooks of an extension. At most two: the current one, and the replaced one while it is still
 * valid.
 */
export type WebhookSecretRow = Tables['webhook_secrets'];

/** The newest first. */
export function listSecrets(reader: Reader, extensionId: ExtensionId): Promise<WebhookSecretRow[]> {
  return reader.all<WebhookSecretRow>(
    'SELECT * FROM webhook_secrets WHERE extension_id = :extensionId ORDER BY number DESC',
    { extensionId },
  );
}

export async function insertSecret(tx: Transaction, row: WebhookSecretRow): Promise<void> {
  await insert(tx, 'webhook_secrets', row);
}

/** The current secret is valid until `endsAt`; secrets replaced earlier are no longer valid. */
export async function endPresentSecret(tx: Transaction, extensionId: ExtensionId, endsAt: Instant): Promise<void> {
  await tx.run('DELETE FROM webhook_secrets WHERE extension_id = :extensionId AND ends_at IS NOT NULL', {
    extensionId,
  });
  await update(tx, 'webhook_secrets', { extension_id: extensionId }, { ends_at: endsAt });
}

export async function deleteSecrets(tx: Transaction, extensionId: ExtensionId): Promise<void> {
  await tx.run('DELETE FROM webhook_secrets WHERE extension_id = :extensionId', { extensionId });
}

/** @returns their number */
export function deleteEndedSecrets(tx: Transaction, at: Instant): Promise<number> {
  return tx.run('DELETE FROM webhook_secrets WHERE ends_at <= :at', { at });
}

// ---- plaintext of earlier versions

export async function listClearSecretHolders(reader: Reader): Promise<string[]> {
  return (
    await reader.all<{ id: string }>('SELECT id FROM extensions WHERE webhook_secret IS NOT NULL ORDER BY id')
  ).map((row) => row.id);
}

/** Locks the extension's row for the rest of the transaction. */
export async function lockClearSecret(tx: Transaction, extensionId: ExtensionId): Promise<string | undefined> {
  const row = await tx.get<{ webhook_secret: string }>(
    `SELECT webhook_secret FROM extensions WHERE id = :extensionId AND webhook_secret IS NOT NULL${tx.dialect.forUpdate}`,
    { extensionId },
  );
  return row?.webhook_secret;
}

/** Overwritten at full length before it is emptied, because SQLite leaves the bytes of a shortened value in place. */
export async function eraseClearSecret(tx: Transaction, extensionId: ExtensionId, secret: string): Promise<void> {
  await update(tx, 'extensions', { id: extensionId }, { webhook_secret: '-'.repeat(secret.length) });
  await update(tx, 'extensions', { id: extensionId }, { webhook_secret: null });
}

// ---- what a lost DATA_KEY takes with it

/** Extensions with a secret that needs `DATA_KEY`. */
export async function listSealedHolders(reader: Reader): Promise<ExtensionId[]> {
  const rows = await reader.all<{ extension_id: ExtensionId }>(
    "SELECT DISTINCT extension_id FROM webhook_secrets WHERE sealed_by = 'data_key' ORDER BY extension_id",
  );
  return rows.map((row) => row.extension_id);
}
