/** A TCP proxy that holds every chunk back for a while, in both directions: a database in the next building. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface SlowLink {
  readonly port: number;
  close(): void;
}

/** @param milliseconds each way @param at the port it listens on, any by default */
export async function openSlowLink(host: string, port: number, milliseconds: number, at = 0): Promise<SlowLink> {
  const sockets = new Set<Socket>();
  const server = createServer((nearSocket) => {
    const farSocket = connect(port, host);
    for (const [from, to] of [
      [nearSocket, farSocket],
      [farSocket, nearSocket],
    ] as const) {
      sockets.add(from);
      from.setNoDelay(true);
      from.on('data', (chunk) =>
        milliseconds === 0 ? to.write(chunk) : setTimeout(() => to.writable && to.write(chunk), milliseconds),
      );
      from.on('end', () => setTimeout(() => to.end(), milliseconds));
      from.on('error', () => to.destroy());
      from.on('close', () => sockets.delete(from));
    }
  });
  server.listen(at, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
