/**
 * Short texts between the processes that share a PostgreSQL, by LISTEN and NOTIFY on a connection of its own. A text sent
 * while the connection is down is lost: listeners look for what they missed when the connection is back.
 */
import type { SignalListener, Signals } from './database.js';
import { pgp } from './postgres-query.js';

/** What this file uses of the driver beneath pg-promise. */
interface Client {
  connect(): Promise<unknown>;
  query(sql: string, values?: readonly string[]): Promise<unknown>;
  end(): Promise<void>;
  on(event: 'error' | 'end', listener: () => void): void;
  on(event: 'notification', listener: (notification: { readonly payload?: string }) => void): void;
}
const { Client } = pgp.pg as unknown as { Client: new (config: object) => Client };

const channel = 'clockproof';
const longestPause = 5_000;

export function openPostgresSignals(dsn: string, { received, connected }: SignalListener): Signals {
  let current: Client | undefined;
  let closed = false;
  let failures = 0;
  let retrying: NodeJS.Timeout | undefined;

  async function connect(): Promise<void> {
    const client = new Client({ connectionString: dsn, keepAlive: true, connectionTimeoutMillis: 5_000 });
    let lost = false;
    const lose = () => {
      if (lost) return;
      lost = true;
      if (current === client) current = undefined;
      client.end().catch(() => undefined);
      if (closed) return;
      // Varied, so that replicas do not come back in step.
      const pause = Math.min(longestPause, 100 * 2 ** failures++) * (0.5 + Math.random() / 2);
      retrying = setTimeout(() => void connect(), pause);
      retrying.unref();
    };
    client.on('error', lose);
    client.on('end', lose);
    client.on('notification', ({ payload }) => received(payload ?? ''));
    try {
      await client.connect();
      await client.query(`LISTEN ${channel}`);
      if (lost) return;
      if (closed) return lose();
      failures = 0;
      current = client;
      connected();
    } catch {
      lose();
    }
  }
  const first = connect();

  return {
    async send(text) {
      await current?.query('SELECT pg_notify($1, $2)', [channel, text]).catch(() => undefined);
    },
    async close() {
      closed = true;
      clearTimeout(retrying);
      await first;
      await current?.end().catch(() => undefined);
    },
  };
}
