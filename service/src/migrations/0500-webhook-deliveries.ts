import type { Migration } from '@clockproof/platform/database/database';

/**
 * Events on their way to webhook addresses. An endpoint follows the commit sequence with a position of its own, so that
 * writers of events do not know of endpoints.
 */
export const webhookDeliveries: Migration = {
  id: '0500-webhook-deliveries',
  statements: (d) => [
    `CREATE TABLE webhook_endpoints (
      extension_id TEXT PRIMARY KEY REFERENCES extensions (id),
      position ${d.integer} NOT NULL,
      failing_since ${d.integer},
      last_delivered_at ${d.integer},
      disabled_at ${d.integer},
      disabled_why TEXT,
      lease_holder TEXT,
      leased_until ${d.integer})`,
    `CREATE TABLE webhook_deliveries (
      extension_id TEXT NOT NULL REFERENCES webhook_endpoints (extension_id),
      sequence ${d.integer} NOT NULL,
      lane ${d.integer} NOT NULL,
      state TEXT NOT NULL,
      tries ${d.integer} NOT NULL,
      created_at ${d.integer} NOT NULL,
      next_attempt_at ${d.integer},
      PRIMARY KEY (extension_id, sequence))`,
    "CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (extension_id, lane, sequence) WHERE state = 'pending'",
    'CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries (created_at)',
    `CREATE TABLE webhook_attempts (
      extension_id TEXT NOT NULL,
      sequence ${d.integer} NOT NULL,
      number ${d.integer} NOT NULL,
      at ${d.integer} NOT NULL,
      outcome TEXT NOT NULL,
      status ${d.integer},
      milliseconds ${d.integer} NOT NULL,
      answer TEXT,
      PRIMARY KEY (extension_id, sequence, number),
      FOREIGN KEY (extension_id, sequence) REFERENCES webhook_deliveries (extension_id, sequence))`,
    // What happened before is not delivered: nothing was until now.
    `INSERT INTO webhook_endpoints (extension_id, position)
     SELECT e.id, h.sequence FROM extensions e CROSS JOIN event_head h WHERE e.mode = 'webhooks' AND e.deleted_at IS NULL`,
  ],
};
