/** Connections as the database knows them: for their page, and for the number that a key may have. */
import type { Instant } from '@clockproof/platform/time/instant';
import type { Store } from '../../store/write.js';
import type { Connection } from './connection.js';
import { addConnection, removeConnection } from './rows.js';

const maxPerKey = 5;

/** The client of a connection. */
export interface Client {
  readonly address: string;
  /** Its `User-Agent`. */
  readonly agent: string | undefined;
}

const changeOf = ({ extensionId }: Connection) => ({
  family: 'connection',
  company: null,
  parties: [`extension ${extensionId}`],
});

/** @returns false if the key has as many as it may */
export function storeConnection(
  db: Store,
  connection: Connection,
  { address, agent }: Client,
  { process, at }: { readonly process: string; readonly at: Instant },
): Promise<boolean> {
  return db.write({ actor: { kind: 'system' }, at }, (write) => {
    write.unaudited('progress');
    write.touch(changeOf(connection));
    const row = {
      id: connection.id,
      extension_id: connection.extensionId,
      key_id: connection.keyId,
      process,
      opened_at: at,
      seen_at: at,
      address,
      agent: agentOf(agent),
    };
    return addConnection(write, row, maxPerKey);
  });
}

export async function forgetConnection(db: Store, connection: Connection, at: Instant): Promise<void> {
  await db.write({ actor: { kind: 'system' }, at }, async (write) => {
    write.unaudited('progress');
    write.touch(changeOf(connection));
    await removeConnection(write, connection.id);
  });
}

/** Its beginning, without characters that no page shows. */
function agentOf(agent: string | undefined): string | null {
  return (
    agent
      ?.replace(/[^\x20-\x7e]/g, '')
      .slice(0, 200)
      .trim() || null
  );
}
