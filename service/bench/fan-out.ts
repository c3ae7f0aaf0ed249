/**
 * Events to 1,000 sockets, beside a bare broadcast with `ws` to as many sockets in the same process layout: one process
 * serves, this one holds the clients. `node service/dist/bench/fan-out.js postgres` prints both; without a name, on SQLite.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { WebSocket, WebSocketServer } from 'ws';
import { addExtension } from '../src/extensions/extensions.js';
import { createWorld } from '../test/world.js';

const sockets = 1_000;
const burst = 200;
const perSecond = 50;
const seconds = 20;

interface Ready {
  readonly port: number;
  readonly barePort: number;
  readonly keys: readonly string[];
}
type Command =
  | { readonly emit: number; readonly every?: number }
  | { readonly broadcast: number; readonly text: string };

/** Serves the service and the bare broadcast, and makes events when told. */
async function serve(): Promise<void> {
  const world = await createWorld(dialectOf(process.argv[3]), { unchecked: true });
  const system = { actor: { kind: 'system' } as const, at: world.now() };
  const keys = await world.service.store.write(system, async (write) => {
    const added: string[] = [];
    for (let index = 0; index < sockets / 5; index++) {
      const extension = await addExtension(
        write,
        {
          name: `Board ${index}`,
          companyId: world.nord,
          mode: 'websocket',
          acting: 'personal_link',
          scopes: ['read:clock_states', 'read:time_entries'],
        },
        world.randomBytes,
      );
      added.push(extension.key);
    }
    return added;
  });
  // One stamp gives the payload of them all.
  await world.call('POST', '/api/v1/clock/in', { key: world.planner.key, body: { user_id: world.people.ada } });
  const listed = await world.call('GET', '/api/v1/events', { key: world.planner.key });
  const { data } = (listed.body['data'] as { data: object }[]).at(-1)!;
  const bare = createServer();
  const broadcast = new WebSocketServer({ server: bare, perMessageDeflate: false });
  bare.listen(0, '127.0.0.1');
  await once(bare, 'listening');
  const emit = (count: number) =>
    world.service.store.write(system, async (write) => {
      await write.audit({ companyId: world.nord, action: 'clock.in' });
      for (let index = 0; index < count; index++)
        await write.event({
          type: 'clock.in',
          companyId: world.nord,
          personId: world.people.ada,
          data,
        } as Parameters<typeof write.event>[0]);
    });
  process.on('message', (command: Command | 'memory' | 'stop') => {
    const act = async () => {
      if (command === 'stop') {
        process.exit(0);
      } else if (command === 'memory') {
        process.send!({ rss: process.memoryUsage.rss(), cpu: process.cpuUsage() });
      } else if ('broadcast' in command) {
        for (let index = 0; index < command.broadcast; index++) {
          for (const client of broadcast.clients) client.send(command.text);
          // Room for what arrives.
          await new Promise((resolve) => setImmediate(resolve));
        }
      } else if (command.every === undefined) {
        await emit(command.emit);
      } else {
        for (let index = 0; index < command.emit; index++) {
          void emit(1);
          await new Promise((resolve) => setTimeout(resolve, command.every));
        }
      }
    };
    void act();
  });
  process.send!({ port: Number(new URL(world.url).port), barePort: (bare.address() as AddressInfo).port, keys });
}

interface Usage {
  readonly rss: number;
  readonly cpu: { readonly user: number; readonly system: number };
}

async function usageOf(child: ChildProcess): Promise<Usage> {
  child.send('memory');
  const [usage] = (await once(child, 'message')) as [Usage];
  return usage;
}

async function measure(): Promise<void> {
  const child = fork(fileURLToPath(import.meta.url), ['serve', dialectOf(process.argv[2])], { stdio: 'inherit' });
  const [{ port, barePort, keys }] = (await once(child, 'message')) as [Ready];
  let received = 0;
  let bytes = 0;
  let sample = '';
  const delays: number[] = [];
  let sentAt: (sequence: number) => number | undefined = () => undefined;
  let check = () => {};
  const until = (count: number) =>
    new Promise<void>((resolve) => {
      check = () => {
        if (received >= count) resolve();
      };
      check();
    });
  const open = async (url: string, headers: Record<string, string>) => {
    const socket = new WebSocket(url, { headers, perMessageDeflate: false });
    socket.on('message', (data: Buffer) => {
      const text = data.toString('latin1');
      if (!text.startsWith('{"type":"event"')) return;
      received++;
      bytes += data.length;
      sample = text;
      const sent = sentAt(Number(/"sequence":(\d+)/.exec(text)![1]));
      if (sent !== undefined) delays.push(performance.now() - sent);
      check();
    });
    await once(socket, 'open');
    return socket;
  };

  // The service first: its message is what the bare broadcast sends.
  const clients: WebSocket[] = [];
  for (let index = 0; index < sockets; index++)
    clients.push(
      await open(`ws://127.0.0.1:${port}/api/v1/extension/connect`, {
        authorization: `Bearer ${keys[Math.floor(index / 5)]}`,
      }),
    );
  const before = await usageOf(child);
  const rates: { ours: number[]; bare: number[] } = { ours: [], bare: [] };
  const cpu: { ours: number[]; bare: number[] } = { ours: [], bare: [] };
  const spent = (from: Usage, to: Usage) => to.cpu.user + to.cpu.system - from.cpu.user - from.cpu.system;
  const bareClients: WebSocket[] = [];
  for (let round = 0; round < 5; round++) {
    const oursBefore = await usageOf(child);
    received = 0;
    let began = performance.now();
    child.send({ emit: burst });
    await until(burst * sockets);
    rates.ours.push((burst * sockets) / ((performance.now() - began) / 1_000));
    cpu.ours.push(spent(oursBefore, await usageOf(child)) / (burst * sockets));
    while (bareClients.length < sockets) bareClients.push(await open(`ws://127.0.0.1:${barePort}`, {}));
    const bareBefore = await usageOf(child);
    received = 0;
    began = performance.now();
    child.send({ broadcast: burst, text: sample });
    await until(burst * sockets);
    rates.bare.push((burst * sockets) / ((performance.now() - began) / 1_000));
    cpu.bare.push(spent(bareBefore, await usageOf(child)) / (burst * sockets));
  }
  for (const client of bareClients) client.terminate();
  const middle = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
  const [ours, bare] = [middle(rates.ours), middle(rates.bare)];
  console.log(
    `messages of ${Math.round(bytes / (10 * burst * sockets))} bytes to ${sockets} sockets, ${burst} events at once`,
  );
  console.log(`| | messages/s | CPU of the server, µs each |\n|---|---|---|`);
  console.log(`| bare broadcast | ${Math.round(bare)} | ${middle(cpu.bare).toFixed(1)} |`);
  console.log(`| service | ${Math.round(ours)} | ${middle(cpu.ours).toFixed(1)} |`);
  console.log(`ratio ${(ours / bare).toFixed(2)}`);

  // A steady stream. When an event was sent is not known here: the first socket that gets it starts its clock.
  const firsts = new Map<number, number>();
  sentAt = (sequence) => {
    const first = firsts.get(sequence);
    if (first === undefined) firsts.set(sequence, performance.now());
    return first;
  };
  received = 0;
  const steadyBefore = await usageOf(child);
  child.send({ emit: perSecond * seconds, every: 1_000 / perSecond });
  const rss: number[] = [];
  const watch = setInterval(() => void usageOf(child).then((usage) => rss.push(usage.rss)), 1_000);
  await until(perSecond * seconds * sockets);
  clearInterval(watch);
  const after = await usageOf(child);
  const sorted = delays.sort((a, b) => a - b);
  const mib = (value: number) => (value / 2 ** 20).toFixed(0);
  console.log(
    `${perSecond} events/s for ${seconds} s: all ${perSecond * seconds * sockets} messages arrived; from the first socket to the others p50 ${sorted[Math.floor(sorted.length / 2)]!.toFixed(1)} ms, p99 ${sorted[Math.floor(sorted.length * 0.99)]!.toFixed(1)} ms`,
  );
  console.log(
    `memory of the server: ${mib(before.rss)} MiB with ${sockets} sockets, ${mib(steadyBefore.rss)} before, ${mib(Math.max(...rss))} at most during, ${mib(after.rss)} after the stream`,
  );
  for (const client of clients) client.terminate();
  child.send('stop');
  await once(child, 'exit');
}

const dialectOf = (name: string | undefined) => (name === 'postgres' ? 'postgres' : 'sqlite');

if (process.argv[2] === 'serve') {
  await serve();
} else {
  const folder = new URL('../../../platform/test/', import.meta.url);
  const run = async (name: string) =>
    ((await import(new URL(name, folder).href)) as { default(): Promise<void> }).default();
  await run('postgres-server.js');
  await measure();
  await run('stop-postgres-server.js');
  process.exit(0);
}
