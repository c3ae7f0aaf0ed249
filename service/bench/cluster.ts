/** Processes of the service on one PostgreSQL, and a balancer that gives each request to the next of them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../src/main.js', import.meta.url));

export interface Member {
  readonly child: ChildProcess;
  readonly port: number;
}

/** @returns once it listens */
export async function startMember(env: Readonly<Record<string, string>>): Promise<Member> {
  const child = spawn(process.execPath, [main, 'serve'], {
    env: { PATH: process.env['PATH'] ?? '', LISTEN_ADDR: '127.0.0.1:0', LOG_LEVEL: 'info', ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const last: string[] = [];
  const port = await new Promise<number>((resolve, reject) => {
    createInterface({ input: child.stdout! }).on('line', (line) => {
      const url = /"url":"http:\/\/[^"]*:(\d+)".*"listening"/.exec(line)?.[1];
      if (url !== undefined) resolve(Number(url));
      if (/"level":(50|60)/.test(line)) last.push(line);
    });
    child.once('exit', (code) => reject(new Error(`a process ended with ${String(code)}: ${last.join('\n')}`)));
  });
  return { child, port };
}

export async function stopMember({ child }: Member, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill(signal);
  await exit;
}

/** @param members the present ones; failed requests are not repeated: the client has to see them */
export async function openBalancer(
  members: () => readonly Member[],
): Promise<{ readonly server: Server; readonly port: number }> {
  const agent = new Agent({ keepAlive: true });
  let turn = 0;
  const server = createServer((incoming, outgoing) => {
    const currentMembers = members();
    const member = currentMembers[turn++ % Math.max(1, currentMembers.length)];
    if (member === undefined) return void outgoing.writeHead(502).end();
    const forwardedRequest = request(
      {
        host: '127.0.0.1',
        port: member.port,
        agent,
        method: incoming.method,
        path: incoming.url,
        headers: incoming.headers,
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(outgoing);
        answer.on('error', () => outgoing.destroy());
      },
    );
    forwardedRequest.on('error', (error) =>
      outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(502).end(String(error)),
    );
    incoming.pipe(forwardedRequest);
  });
  // On a busy machine a client may use a connection in the moment in which Node ends it as idle, after five seconds.
  server.keepAliveTimeout = 120_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}
