import type { Migration } from '@clockproof/platform/database/database';

export const webhookSecrets: Migration = {
  id: '0170-webhook-secrets',
  statements: (d) => [
    // The column extensions.webhook_secret of earlier versions is emptied at the start that follows: sealing needs a
    // key that SQL does not have.
    `CREATE TABLE webhook_secrets (
      extension_id TEXT NOT NULL REFERENCES extensions (id), number ${d.integer} NOT NULL, sealed ${d.bytes} NOT NULL, sealed_by TEXT NOT NULL, created_at ${d.integer} NOT NULL,
      ends_at ${d.integer}, PRIMARY KEY (extension_id, number))`,
  ],
};
