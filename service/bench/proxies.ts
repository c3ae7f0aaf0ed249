/**
 * SIGTERM behind the documented proxies: stops the service under 24 stamping clients, starts it again, and compares the
 * clients' answers with the stored rows. Each request must get the answer of the service, or 502 or 503 of the proxy
 * without being carried out. `make soak NAME=proxies`; STOPS=10. Needs Debian's `caddy` and `nginx-light`, and openssl.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openDatabase } from '@clockproof/platform/database/open';
import { Agent, fetch } from 'undici';
import { startMember, stopMember } from './cluster.js';
import { addWorkers } from './company.js';
import { freePort } from './postgres-pair.js';

const stops = Number(process.env['STOPS'] ?? 10);
const clients = 24;
const loopback = { address: '127.0.0.1', family: 4 };
const name = 'time.example.com';

interface Ports {
  readonly proxy: number;
  readonly service: number;
}
interface Proxy {
  readonly file: string;
  /** Makes the operator's replacements, and replaces ports that need root or are taken. */
  adapt(text: string, ports: Ports, folder: string): string;
  command(file: string, folder: string): readonly [string, ...string[]];
}

const proxies: Readonly<Record<string, Proxy>> = {
  caddy: {
    file: 'Caddyfile',
    adapt: (text, { proxy, service }) =>
      `{\n\tadmin off\n\tauto_https disable_redirects\n\tlocal_certs\n\tskip_install_trust\n\thttps_port ${proxy}\n}\n${text.replace('127.0.0.1:8080', `127.0.0.1:${service}`)}`,
    command: (file) => ['caddy', 'run', '--config', file, '--adapter', 'caddyfile'],
  },
  nginx: {
    file: 'nginx.conf',
    adapt: (text, { proxy, service }, folder) => {
      const site = text
        .replace('127.0.0.1:8080', `127.0.0.1:${service}`)
        .replaceAll(/^\tlisten (\[::\]:)?80;\n/gm, (_, v6) =>
          v6 === undefined ? `\tlisten unix:${folder}/http;\n` : '',
        )
        .replaceAll(/^\tlisten \[::\]:443.*\n/gm, '')
        .replaceAll('listen 443 ', `listen 127.0.0.1:${proxy} `)
        .replaceAll(`/etc/letsencrypt/live/${name}`, folder);
      return `pid ${folder}/pid;\nerror_log ${folder}/error.log;\nevents {}\nhttp {\naccess_log off;\n${site}}\n`;
    },
    command: (file, folder) => ['nginx', '-p', folder, '-c', file, '-g', 'daemon off;'],
  },
};

const isOpen = (port: number) =>
  new Promise<boolean>((resolve) => {
    const probe = connect(port, loopback.address, () => {
      probe.destroy();
      resolve(true);
    }).on('error', () => resolve(false));
  });

async function startProxy({ file, adapt, command }: Proxy, ports: Ports, folder: string): Promise<ChildProcess> {
  const documentedConfig = fileURLToPath(new URL(`../../packaging/proxy/${file}`, import.meta.url));
  const config = join(folder, file);
  writeFileSync(config, adapt(readFileSync(documentedConfig, 'utf8'), ports, folder));
  const pem = ['-keyout', join(folder, 'privkey.pem'), '-out', join(folder, 'fullchain.pem')];
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', `/CN=${name}`, ...pem],
    {
      stdio: 'ignore',
    },
  );
  const [program, ...words] = command(config, folder);
  const home = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const child = spawn(program, words, { env: { ...process.env, ...home }, stdio: ['ignore', 'ignore', 'inherit'] });
  while (!(await isOpen(ports.proxy))) {
    if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}`);
    await pause(20);
  }
  return child;
}

async function run(proxy: Proxy): Promise<Readonly<Record<string, number>>> {
  const folder = mkdtempSync(join(tmpdir(), 'clockproof-proxy-'));
  mkdirSync(join(folder, 'logs'));
  const ports = { proxy: await freePort(), service: await freePort() };
  const settings = { driver: 'sqlite', dsn: join(folder, 'service.sqlite') } as const;
  const db = await openDatabase(settings);
  const { key, people } = await addWorkers(db, clients);
  await db.close();
  const env = {
    DB_DSN: settings.dsn,
    LISTEN_ADDR: `127.0.0.1:${ports.service}`,
    RATE_API_PER_MINUTE: '1000000',
    RATE_IP_PER_MINUTE: '1000000',
  };
  const proxyProcess = await startProxy(proxy, ports, folder);
  const dispatcher = new Agent({
    connect: { rejectUnauthorized: false, lookup: (_, __, callback) => callback(null, [loopback]) },
  });
  const counts: Record<string, number> = {};
  const count = (outcome: string) => {
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  };
  let isOver = false;

  async function stamp(person: number, verb: 'in' | 'out'): Promise<void> {
    const answer = await fetch(`https://${name}:${ports.proxy}/api/v1/clock/${verb}`, {
      method: 'POST',
      dispatcher,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ user_id: person }),
    }).then(
      async (response) => ({
        status: response.status,
        isFromService: response.headers.has('x-request-id'),
        text: await response.text(),
      }),
      (error: Error) => String((error.cause as NodeJS.ErrnoException)?.code ?? error.message),
    );
    if (typeof answer === 'string') count(`without an answer: ${answer}`);
    else count(`${answer.isFromService ? 'service' : 'proxy'} ${answer.status}`);
    if (typeof answer === 'string' || !answer.isFromService) await pause(20);
  }
  const stampLoops = people.map(async (person) => {
    for (let turn = 0; !isOver; turn++) await stamp(person, turn % 2 === 0 ? 'in' : 'out');
  });

  for (let stop = 0; stop < stops; stop++) {
    const member = await startMember(env);
    const acknowledgedCount = counts['service 200'] ?? 0;
    while ((counts['service 200'] ?? 0) < acknowledgedCount + 50) await pause(10);
    await pause(200 * Math.random());
    await stopMember(member);
    if (member.child.exitCode !== 0) count(`stops with exit code ${member.child.exitCode}`);
    await pause(200);
  }
  isOver = true;
  await Promise.all(stampLoops);
  const exit = once(proxyProcess, 'exit');
  proxyProcess.kill('SIGTERM');
  await exit;
  await dispatcher.close();
  const database = await openDatabase(settings);
  const row = await database.get<{ n: number }>("SELECT count(*) AS n FROM events WHERE type LIKE 'clock.%'");
  await database.close();
  rmSync(folder, { recursive: true });
  return { ...counts, stored: row!.n };
}

let hasFailed = false;
for (const [title, proxy] of Object.entries(proxies)) {
  const counts = await run(proxy);
  const allowedOutcomes = /^(service \d+|proxy 50[23]|stored)$/;
  const isRight =
    counts['stored'] === counts['service 200'] && Object.keys(counts).every((outcome) => allowedOutcomes.test(outcome));
  console.log(`${title}: ${isRight ? 'stored is what was acknowledged' : 'WRONG'}: ${JSON.stringify(counts)}`);
  hasFailed ||= !isRight;
}
process.exitCode = hasFailed ? 1 : 0;
