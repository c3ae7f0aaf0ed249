import type { Reader, Transaction } from '@clockproof/platform/database/database';
import type { Tables } from '../generated/tables.js';
import { insert, update } from '../tables.js';

/**
 * A secret that webhooks of an extension are signed with. At most two: the present one, and the one it replaced while
 * that still counts.
 */
export type WebhookSecretRow = Tables['webhook_secrets'];

/** The newest first. */
export function listSecrets(reader: Reader, extensionId: string): Promise<WebhookSecretRow[]> {
  return reader.all<WebhookSecretRow>(
    'SELECT * FROM webhook_secrets WHERE extension_id = :extensionId ORDER BY number DESC',
    { extensionId },
  );
}

export async function insertSecret(tx: Transaction, row: WebhookSecretRow): Promise<void> {
  await insert(tx, 'webhook_secrets', row);
}

/** The present secret counts until `endsAt`; what was replaced before it counts no longer. */
export async function endPresentSecret(tx: Transaction, extensionId: string, endsAt: number): Promise<void> {
  await tx.run('DELETE FROM webhook_secrets WHERE extension_id = :extensionId AND ends_at IS NOT NULL', {
    extensionId,
  });
  await update(tx, 'webhook_secrets', { extension_id: extensionId }, { ends_at: endsAt });
}

export async function deleteSecrets(tx: Transaction, extensionId: string): Promise<void> {
  await tx.run('DELETE FROM webhook_secrets WHERE extension_id = :extensionId', { extensionId });
}

/** @returns how many there were */
export function deleteEndedSecrets(tx: Transaction, at: number): Promise<number> {
  return tx.run('DELETE FROM webhook_secrets WHERE ends_at <= :at', { at });
}

// ---- what earlier versions have left in clear

export async function listClearSecretHolders(reader: Reader): Promise<string[]> {
  return (
    await reader.all<{ id: string }>('SELECT id FROM extensions WHERE webhook_secret IS NOT NULL ORDER BY id')
  ).map((row) => row.id);
}

/** Takes the extension's row for the rest of the transaction. */
export async function lockClearSecret(tx: Transaction, extensionId: string): Promise<string | undefined> {
  const row = await tx.get<{ webhook_secret: string }>(
    `SELECT webhook_secret FROM extensions WHERE id = :extensionId AND webhook_secret IS NOT NULL${tx.dialect.forUpdate}`,
    { extensionId },
  );
  return row?.webhook_secret;
}

/**
 * Overwritten in its length before it is emptied: SQLite leaves the bytes of a value that got shorter where they were.
 */
export async function eraseClearSecret(tx: Transaction, extensionId: string, secret: string): Promise<void> {
  await update(tx, 'extensions', { id: extensionId }, { webhook_secret: '-'.repeat(secret.length) });
  await update(tx, 'extensions', { id: extensionId }, { webhook_secret: null });
}
