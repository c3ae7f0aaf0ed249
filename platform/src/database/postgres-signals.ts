/**
 * Short texts between the processes that share a PostgreSQL, by LISTEN and NOTIFY on a connection of its own. A text
 * sent while the connection is down is lost: listeners look for missed changes when the connection is back. A NOTIFY
 * inside the writing transaction would take a lock that makes commits wait for each other.
 */
import pgPromise from 'pg-promise';
import type { SignalListener, Signals } from './database.js';

/** The part of the driver beneath pg-promise that this file uses. */
interface Client {
  connect(): Promise<unknown>;
  query(query: string | { name: string; text: string; values: readonly string[] }): Promise<unknown>;
  end(): Promise<void>;
  readonly connection: { readonly stream: { destroy(): void } };
  on(event: 'error' | 'end', listener: () => void): void;
  on(event: 'notification', listener: (notification: { readonly payload?: string }) => void): void;
}
const { Client } = pgPromise({ noWarnings: true }).pg as unknown as { Client: new (config: object) => Client };

const channel = 'clockproof';
const notify = { name: 'notify', text: 'SELECT pg_notify($1, $2)' };
const longestPause = 5_000;
/** Time between two tests of a silent connection, and longest wait for an answer. */
const tryMilliseconds = 30_000;
const answerMilliseconds = 5_000;

export function openPostgresSignals(
  dsn: string,
  { onMessage, onConnect }: SignalListener,
  { every = tryMilliseconds, answer = answerMilliseconds }: { readonly every?: number; readonly answer?: number } = {},
): Signals {
  let current: { readonly client: Client; lose(): void } | undefined;
  let isClosed = false;
  let failures = 0;
  let retrying: NodeJS.Timeout | undefined;

  async function connect(): Promise<void> {
    const client = new Client({
      connectionString: dsn,
      keepAlive: true,
      connectionTimeoutMillis: answer,
      query_timeout: answer,
      // Otherwise pg queues statements while an answer is due, and warns that it will stop doing so.
      pipeline: true,
      // A NOTIFY is a commit. A signal that is lost with the server needs no sync of the disk.
      options: '-c synchronous_commit=off',
    });
    let isLost = false;
    // A connection that is cut off on its way reports nothing.
    const probe = setInterval(() => void client.query('SELECT 1').catch(lose), every);
    probe.unref();
    const lose = () => {
      if (isLost) return;
      isLost = true;
      clearInterval(probe);
      if (current?.client === client) current = undefined;
      client.connection.stream.destroy();
      client.end().catch(() => undefined);
      if (isClosed) return;
      // Varied, so that replicas do not come back in step.
      const pause = Math.min(longestPause, 100 * 2 ** failures++) * (0.5 + Math.random() / 2);
      retrying = setTimeout(() => void connect(), pause);
      retrying.unref();
    };
    client.on('error', lose);
    client.on('end', lose);
    client.on('notification', ({ payload }) => onMessage(payload ?? ''));
    try {
      await client.connect();
      await client.query(`LISTEN ${channel}`);
      if (isLost) return;
      if (isClosed) return lose();
      failures = 0;
      current = { client, lose };
      onConnect();
    } catch {
      lose();
    }
  }
  const first = connect();

  return {
    opened: first,
    async send(text) {
      const connection = current;
      await connection?.client.query({ ...notify, values: [channel, text] }).catch(() => connection.lose());
    },
    async close() {
      isClosed = true;
      clearTimeout(retrying);
      await first;
      // No goodbye: a server that is gone would never answer it.
      current?.lose();
    },
  };
}
