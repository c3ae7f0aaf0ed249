/** A way to PostgreSQL that falls silent, like a pulled cable, or goes away, like a stopped server. */
import { connect, createServer, type Server, type Socket } from 'node:net';

/**
 * Takes connections to a PostgreSQL and passes everything on, until the test stops it.
 * @param onSend sees the bytes for the server, and returns those that arrive there
 */
export async function openPostgresProxy(dsn: string, onSend = (bytes: Buffer): Buffer => bytes) {
  // The server of the tests listens on both; a path to its socket stands in place of the host name.
  const { hostname, port } = new URL(dsn);
  const sockets = new Set<Socket>();
  let isSilent = false;
  const server: Server = createServer((clientSocket) => {
    const serverSocket = connect(Number(port), hostname.startsWith('%2F') ? '127.0.0.1' : hostname);
    for (const [from, to] of [
      [clientSocket, serverSocket],
      [serverSocket, clientSocket],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => void (isSilent || to.write(from === clientSocket ? onSend(bytes) : bytes)));
      from.on('error', () => undefined);
      from.on('close', () => to.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxyUrl = new URL(dsn);
  proxyUrl.hostname = '127.0.0.1';
  proxyUrl.port = String((server.address() as { port: number }).port);
  return {
    dsn: proxyUrl.href,
    silence(value: boolean) {
      isSilent = value;
    },
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

export type PostgresProxy = Awaited<ReturnType<typeof openPostgresProxy>>;
