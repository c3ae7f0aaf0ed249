import type { Migration } from '@clockproof/platform/database/database';

/** Who is connected, and how far each client has got: for the extension's page. */
export const clientsOfConnections: Migration = {
  id: '0570-clients-of-connections',
  statements: (d) => [
    'ALTER TABLE socket_connections ADD COLUMN address TEXT',
    'ALTER TABLE socket_connections ADD COLUMN agent TEXT',
    `ALTER TABLE socket_connections ADD COLUMN acknowledged ${d.integer}`,
  ],
};
