import type { Migration } from '@clockproof/platform/database/database';

/** Open WebSockets of extensions, of every process: for their number per key, and for the extension's page. */
export const socketConnections: Migration = {
  id: '0540-socket-connections',
  statements: (d) => [
    `CREATE TABLE socket_connections (
      id TEXT PRIMARY KEY,
      extension_id TEXT NOT NULL REFERENCES extensions (id),
      key_id TEXT NOT NULL REFERENCES api_keys (id),
      process TEXT NOT NULL,
      opened_at ${d.integer} NOT NULL,
      seen_at ${d.integer} NOT NULL)`,
    'CREATE INDEX socket_connections_by_key ON socket_connections (key_id, opened_at)',
    'CREATE INDEX socket_connections_by_process ON socket_connections (process)',
    'CREATE INDEX socket_connections_by_extension ON socket_connections (extension_id)',
  ],
};
