/**
 * Cost and speed of webhooks: stamps with one and ten subscribed addresses against none, deliveries against a bare loop
 * that signs and posts the same bodies, and the time of an event to a good address while ten others hang.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Figure, fire, median, show } from '@clockproof/platform/testing/bench';
import { createTestDatabase, type DialectName } from '@clockproof/platform/testing/databases';
import { Agent, request } from 'undici';
import { signedHeaders } from '../src/extensions/webhooks/signature.js';

interface Subject {
  readonly port: number;
  readonly key: string;
  readonly people: readonly number[];
  /** Processor time of the service so far, in milliseconds. */
  processorTime(): number;
  /** Stops deliveries, as if another process worked for the addresses, or lets them go on. */
  hold(isHeld: boolean): Promise<void>;
  stop(): Promise<void>;
}

const connections = 16;
/** Lanes of an address, and so of the loop. */
const lanes = 5;
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

async function startSubject(settings: { driver: string; dsn: string }, hooks: readonly number[]): Promise<Subject> {
  const child: ChildProcess = spawn(process.execPath, [fileURLToPath(new URL('./subject.js', import.meta.url))], {
    env: {
      ...process.env,
      DB_DRIVER: settings.driver,
      DB_DSN: settings.dsn,
      WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
      HOOKS: hooks.join(','),
    },
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
  });
  const [line] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string];
  return {
    ...(JSON.parse(line) as Omit<Subject, 'stop' | 'spent' | 'hold'>),
    processorTime: () => processorTime(child.pid!),
    async hold(isHeld) {
      child.send({ isHeld });
      await once(child, 'message');
    },
    async stop() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

/** User and system time of a process in milliseconds (proc(5); a tick is 10 ms). */
function processorTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** A receiver in a process of its own that takes everything and counts it, with the times. */
async function startTaker(): Promise<{
  readonly port: number;
  /** Resolves once this number of bodies is there. */
  until(count: number): Promise<void>;
  count(): number;
  bodies(): Promise<string[]>;
  stop(): void;
}> {
  const child = fork(fileURLToPath(import.meta.url), ['take']);
  let count = 0;
  let check = () => {};
  let receive: (bodies: string[]) => void = () => {};
  const listening = new Promise<number>((resolve) => {
    child.on('message', (message: { port?: number; count?: number; bodies?: string[] }) => {
      if (message.port !== undefined) resolve(message.port);
      if (message.count !== undefined) count = message.count;
      if (message.bodies !== undefined) receive(message.bodies);
      check();
    });
  });
  return {
    port: await listening,
    count: () => count,
    until: (target) =>
      new Promise((resolve) => {
        check = () => {
          if (count >= target) resolve();
        };
        check();
      }),
    bodies: () =>
      new Promise((resolve) => {
        receive = resolve;
        child.send('bodies');
      }),
    stop: () => void child.kill('SIGKILL'),
  };
}

function takeAll(): void {
  const bodies: string[] = [];
  const server = createServer((message, response) => {
    const chunks: Buffer[] = [];
    message.on('data', (chunk: Buffer) => chunks.push(chunk));
    message.on('end', () => {
      bodies.push(Buffer.concat(chunks).toString());
      response.writeHead(204).end();
      if (bodies.length % 10 === 0) process.send!({ count: bodies.length });
    });
  });
  process.on('message', () => process.send!({ bodies }));
  server.listen(0, '127.0.0.1', () => process.send!({ port: (server.address() as AddressInfo).port }));
}

/** @param onBody if undefined, the receiver never answers */
async function listenOn(onBody: ((body: string) => void) | undefined): Promise<number> {
  const server = createServer((message, response) => {
    const chunks: Buffer[] = [];
    message.on('data', (chunk: Buffer) => chunks.push(chunk));
    message.on('end', () => {
      if (onBody === undefined) return;
      onBody(Buffer.concat(chunks).toString());
      response.writeHead(204).end();
    });
  });
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const turns = new Map<Subject, number>();
const stamps = (subject: Subject, count: number) => {
  const first = turns.get(subject) ?? 0;
  turns.set(subject, first + count);
  return fire(subject.port, connections, count, (client, turn) => ({
    method: 'POST',
    path: `/api/v1/clock/${turn % 2 === 0 ? 'in' : 'out'}`,
    headers: { authorization: `Bearer ${subject.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      user_id: subject.people[(first + client + connections * (turn >> 1)) % subject.people.length],
    }),
  }));
};

/** The bare loop: five lanes that sign and post over connections of their own. */
async function postAll(port: number, bodies: readonly string[]): Promise<void> {
  const agent = new Agent({ connections: lanes });
  const queue = [...bodies];
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (let body = queue.pop(); body !== undefined; body = queue.pop()) {
        const bytes = Buffer.from(body);
        const answer = await request(`http://127.0.0.1:${port}/`, {
          dispatcher: agent,
          method: 'POST',
          body: bytes,
          headers: {
            'content-type': 'application/json',
            ...signedHeaders('evt_1', Math.floor(Date.now() / 1_000), bytes, [secret]),
          },
        });
        await answer.body.dump();
      }
    }),
  );
  await agent.close();
}

/** Stamps with one and ten subscribed addresses, against none. */
export async function measureStamps(dialect: DialectName): Promise<readonly Figure[]> {
  const rates: number[][] = [[], [], []];
  for (let round = 0; round < 3; round++)
    for (const [index, count] of [0, 1, 10].entries()) {
      const home = await createTestDatabase(dialect);
      const hooks = await Promise.all(Array.from({ length: count }, () => listenOn(() => undefined)));
      const subject = await startSubject(home.settings, hooks);
      await stamps(subject, 160);
      rates[index]!.push((await stamps(subject, 800)).requestsPerSecond);
      await subject.stop();
      await home.drop();
    }
  const [baselineRate, oneAddressRate, tenAddressesRate] = rates.map(median) as [number, number, number];
  return (
    [
      ['one address', oneAddressRate],
      ['ten addresses', tenAddressesRate],
    ] as const
  ).map(([count, rate]) => [
    `stamps with ${count} against none, ${dialect}`,
    show(rate / baselineRate),
    '≥ 0.80',
    `${Math.round(rate)}/s`,
    `${Math.round(baselineRate)}/s`,
  ]);
}

/** A backlog of deliveries, and the bare loop with the bodies it delivered, in turns. */
export async function measureBacklog(dialect: DialectName): Promise<readonly Figure[]> {
  const home = await createTestDatabase(dialect);
  const taker = await startTaker();
  const subject = await startSubject(home.settings, [taker.port]);
  const rounds = 5;
  const eventCount = 960;
  const measurements: {
    rateRatio: number[];
    cpuRatio: number[];
    serviceRate: number[];
    loopRate: number[];
    serviceCpu: number[];
    loopCpu: number[];
  } = {
    rateRatio: [],
    cpuRatio: [],
    serviceRate: [],
    loopRate: [],
    serviceCpu: [],
    loopCpu: [],
  };
  // The first round is not counted: neither side's code has been compiled.
  for (let round = 0; round <= rounds; round++) {
    await subject.hold(true);
    await stamps(subject, eventCount);
    const [from, spentBefore] = [taker.count(), subject.processorTime()];
    await subject.hold(false);
    // Counted from the first arrivals: before, the service may have been waiting for its next look.
    await taker.until(from + 10);
    let startedAt = performance.now();
    await taker.until(from + eventCount);
    const serviceRate = ((eventCount - 10) * 1_000) / (performance.now() - startedAt);
    const serviceCpu = (subject.processorTime() - spentBefore) / eventCount;
    const bodies = (await taker.bodies()).slice(-eventCount);
    const loopFrom = process.cpuUsage();
    startedAt = performance.now();
    await postAll(taker.port, bodies);
    const loopRate = (eventCount * 1_000) / (performance.now() - startedAt);
    const { user, system } = process.cpuUsage(loopFrom);
    const loopCpu = (user + system) / 1_000 / eventCount;
    if (round === 0) continue;
    for (const [name, value] of Object.entries({
      rateRatio: serviceRate / loopRate,
      cpuRatio: loopCpu / serviceCpu,
      serviceRate,
      loopRate,
      serviceCpu,
      loopCpu,
    }))
      measurements[name as keyof typeof measurements].push(value);
  }
  await subject.stop();
  taker.stop();
  await home.drop();
  return [
    [
      `deliveries of a backlog of ${eventCount} against a bare loop, ${dialect}`,
      show(median(measurements.rateRatio)),
      'reported',
      `${Math.round(median(measurements.serviceRate))}/s`,
      `${Math.round(median(measurements.loopRate))}/s`,
    ],
    [
      `… processor time of the process, each`,
      show(median(measurements.cpuRatio)),
      'reported',
      `${show(median(measurements.serviceCpu))} ms`,
      `${show(median(measurements.loopCpu))} ms`,
    ],
  ];
}

/** Measures the time from a stamp to its first attempt at 50 events a second while ten addresses hang. */
export async function measureFirstAttempt(dialect: DialectName): Promise<readonly Figure[]> {
  const home = await createTestDatabase(dialect);
  const arrivals = new Map<number, number>();
  const answeringPort = await listenOn((body) => {
    const { data } = JSON.parse(body) as { data: { clock_state: { user_id: number } } };
    arrivals.set(data.clock_state.user_id, performance.now());
  });
  const hangingPorts = await Promise.all(Array.from({ length: 10 }, () => listenOn(undefined)));
  const subject = await startSubject(home.settings, [answeringPort, ...hangingPorts]);
  const sentAt = new Map<number, number>();
  const seconds = 20;
  for (let index = 0; index < 50 * seconds; index++) {
    const person = subject.people[index]!;
    sentAt.set(person, performance.now());
    void fetch(`http://127.0.0.1:${subject.port}/api/v1/clock/in`, {
      method: 'POST',
      headers: { authorization: `Bearer ${subject.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ user_id: person }),
    }).then((answer) => answer.arrayBuffer());
    await pause(Math.max(0, sentAt.get(subject.people[0]!)! + (index + 1) * 20 - performance.now()));
  }
  while (arrivals.size < 50 * seconds) await pause(50);
  const delays = [...sentAt].map(([person, at]) => arrivals.get(person)! - at).sort((a, b) => a - b);
  await subject.stop();
  await home.drop();
  return [
    [
      `from a stamp to its first attempt at 50/s while ten addresses hang, ${dialect}`,
      `p50 ${Math.round(delays[delays.length >> 1]!)} ms, p99 ${Math.round(delays[Math.floor(delays.length * 0.99)]!)} ms`,
      'p50 ≤ 500 ms, p99 ≤ 5 s',
    ],
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) takeAll();
