import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import type { Tables } from '../../generated/tables.js';
import type { ExtensionId } from '../../store/ids.js';
import { insert, remove, removeSome, removeWhere, type Transaction, update } from '../../store/tables.js';

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
  await removeWhere(tx, 'webhook_secrets', 'extension_id = :extensionId AND ends_at IS NOT NULL', { extensionId });
  await update(tx, 'webhook_secrets', { extension_id: extensionId }, { ends_at: endsAt });
}

export async function deleteSecrets(tx: Transaction, extensionId: ExtensionId): Promise<void> {
  await remove(tx, 'webhook_secrets', { extension_id: extensionId });
}

/** @returns their number */
export function deleteEndedSecrets(tx: Transaction, at: Instant, limit: number): Promise<number> {
  return removeSome(tx, 'webhook_secrets', ['extension_id', 'number'], 'ends_at <= :at', { at, limit });
}

// ---- losses with a lost DATA_KEY

/** Extensions with a secret that needs `DATA_KEY`. */
export async function listSealedHolders(reader: Reader): Promise<ExtensionId[]> {
  const rows = await reader.all<{ extension_id: ExtensionId }>(
    "SELECT DISTINCT extension_id FROM webhook_secrets WHERE sealed_by = 'data_key' ORDER BY extension_id",
  );
  return rows.map((row) => row.extension_id);
}
