// Judges several processes behind HAProxy, which gives each request to the next of them, with the conformance kit: the demo
// on PostgreSQL, and further processes beside it. PROCESSES=4 for four. Needs Debian's haproxy. Arguments go to the kit.
import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import startPostgres from '../platform/test/postgres-server.js';
import stopPostgres from '../platform/test/stop-postgres-server.js';
import { startHaproxy } from '../service/dist/bench/haproxy.js';
import { judgeDemo, startDemo } from './demo.mjs';

const data = 'data/conformance-replicas';
const size = Number(process.env.PROCESSES ?? 2);
const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
const ports = [];
for (let index = 0; index <= size; index++) ports.push(await freePort());
const [publicPort, ...instancePorts] = ports;

process.env.DIALECTS = 'postgres';
await startPostgres();
const dsn = process.env.TEST_POSTGRES_DSN;
const balancer = await startHaproxy(instancePorts, publicPort);
const demo = await startDemo(data, {
  servicePort: publicPort,
  extra: ['--database', dsn, '--listen-port', String(instancePorts[0])],
});
const replicas = instancePorts.slice(1).map((port) =>
  spawn(process.execPath, ['service/dist/src/main.js', 'serve'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env.PATH,
      LISTEN_ADDR: `127.0.0.1:${port}`,
      BASE_URL: `http://localhost:${publicPort}`,
      DB_DRIVER: 'postgres',
      DB_DSN: dsn,
      DATA_KEY: readFileSync(`${data}/data.key`, 'utf8'),
      RATE_IP_PER_MINUTE: '600',
      TRUSTED_PROXIES: '127.0.0.1',
      WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
      LOG_LEVEL: 'warn',
    },
  }),
);
for (const port of instancePorts)
  for (let tries = 0; ; tries++) {
    if (tries > 200) throw new Error(`the process on port ${port} is not ready`);
    if (
      await fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
// HAProxy looks every two seconds, and takes a process in once it answered twice.
await new Promise((resolve) => setTimeout(resolve, 6_000));

const code = await judgeDemo({
  data,
  servicePort: publicPort,
  report: '.reports/conformance-replicas',
  given: process.argv.slice(2),
});
for (const other of replicas) {
  const ended = new Promise((resolve) => other.on('exit', resolve));
  other.kill('SIGTERM');
  await ended;
}
await demo.stop();
await balancer.close();
await stopPostgres();
if (code === 0) rmSync(data, { recursive: true, force: true });
process.exit(code);
