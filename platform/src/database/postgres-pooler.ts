/**
 * A pooler in transaction mode gives each statement to whatever connection is free. Statements prepared on one are then
 * missing on the next, and LISTEN hears nothing. Better refused at the start than failing under load.
 */
import { pgp } from './postgres-query.js';

/** One connection, as its client sees it. */
export interface Probe {
  /** The process of the server that answers now. */
  pid(): Promise<number>;
  end(): Promise<void>;
}

/**
 * Asks over two connections in turn. Each has a process of the server to itself, unless a pooler shares one between
 * them or changes it. Where the server cannot be reached it says nothing: opening the database says why.
 */
export async function sharesConnections(connect: () => Promise<Probe>): Promise<boolean> {
  const probes: Probe[] = [];
  try {
    for (let count = 0; count < 2; count++) probes.push(await connect());
    const [first, second] = probes as [Probe, Probe];
    const before = await first.pid();
    const other = await second.pid();
    return other === before || (await first.pid()) !== before;
  } catch {
    return false;
  } finally {
    await Promise.all(probes.map((probe) => probe.end().catch(() => undefined)));
  }
}

interface Client {
  connect(): Promise<unknown>;
  query(sql: string): Promise<{ readonly rows: readonly { readonly pid: number }[] }>;
  end(): Promise<void>;
  on(event: 'error', listener: () => void): void;
}
const { Client } = pgp.pg as unknown as { Client: new (config: object) => Client };

/** @throws when the server cannot be reached within five seconds */
export async function connectProbe(dsn: string): Promise<Probe> {
  const client = new Client({ connectionString: dsn, connectionTimeoutMillis: 5_000, query_timeout: 5_000 });
  client.on('error', () => undefined);
  await client.connect();
  return {
    pid: async () => (await client.query('SELECT pg_backend_pid() AS pid')).rows[0]!.pid,
    end: () => client.end(),
  };
}
