/** Shared by benches with a standby: synchronous replication, and an address that leads to one of the two servers. */
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '@clockproof/platform/database/database';
import type { Pair } from './postgres-pair.js';

/** Resolves once every commit waits for the standby. */
export async function waitForSynchronousStandby(db: Database): Promise<void> {
  await db.all("ALTER SYSTEM SET synchronous_standby_names = 'standby'");
  await db.all('SELECT pg_reload_conf()');
  for (let tries = 0; tries < 400; tries++) {
    const row = await db.get<{ state: string }>(
      "SELECT sync_state AS state FROM pg_stat_replication WHERE application_name = 'standby'",
    );
    if (row?.state === 'sync') return;
    await pause(50);
  }
  throw new Error('the standby does not follow');
}

/** Simulates the operator's balancer or address: connections go to one server until a switch to the other. */
export async function openAddress(pair: Pair) {
  let target = pair.primary.port;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.setNoDelay(true);
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    dsn: `postgres://postgres@127.0.0.1:${(server.address() as { port: number }).port}/postgres`,
    switchTo(port: number) {
      target = port;
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
