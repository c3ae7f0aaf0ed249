import type { Migration } from '@clockproof/platform/database/database';

/** What is due next is found without reading all that waits, or all that was delivered. */
export const dueDeliveries: Migration = {
  id: '0551-due-deliveries',
  statements: () => [
    "CREATE INDEX webhook_deliveries_due ON webhook_deliveries (extension_id, sequence) WHERE state = 'pending'",
  ],
};
