// Judges sound demos where the kit could accuse them falsely, and prints one line for each run: none may have a failure.
// Arguments are names of runs; all of them unless some are given.
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { startDemo } from './demo.mjs';

const nodes = () => execFileSync(join('.ci', 'nodes', 'install'), { encoding: 'utf8' }).trim();
/** What is run, by its name. Each returns what {@link judge} does. */
const runs = {
  // Companies where it is another day than in UTC, and near to midnight.
  'midnight-before': () => judged('midnight-before', { kit: ['--time-zone', zoneAt((minutes) => minutes > 0)] }),
  'midnight-after': () => judged('midnight-after', { kit: ['--time-zone', zoneAt((minutes) => minutes <= 0)] }),
  'midnight-far-west': () => judged('midnight-far-west', { kit: ['--time-zone', 'Pacific/Pago_Pago'] }),
  far: judgedFromAfar,
  'not-intrusive': () => judged('not-intrusive', { intrusive: false }),
  'no-extensions': judgedWithoutExtensions,
  postgres: judgedOnPostgres,
  'node-24': () => judged('node-24', { node: join(nodes(), 'node-24') }),
  'node-26': () => judged('node-26', { node: join(nodes(), 'node-26') }),
  busy: judgedWhileBusy,
};

const given = process.argv.slice(2);
const unknown = given.find((name) => runs[name] === undefined);
if (unknown !== undefined) throw new Error(`there is no run ${unknown}: ${Object.keys(runs).join(', ')}`);
let failed = 0;
for (const name of given.length > 0 ? given : Object.keys(runs)) {
  const { code, report } = await runs[name]();
  const count = (outcome) => report.results.filter((result) => result.outcome === outcome).length;
  const counts = ['passed', 'failed', 'inconclusive', 'skipped'].map((outcome) => `${count(outcome)} ${outcome}`);
  console.log(`${name}: exit ${code}, ${counts.join(', ')}, ${Math.round(report.milliseconds / 1_000)} s`);
  for (const { id, outcome, message } of report.results)
    if (outcome === 'failed' || outcome === 'inconclusive') console.log(`    ${outcome} ${id}: ${message}`);
  if (count('failed') > 0 || code !== 0) failed += 1;
}
process.exit(failed === 0 ? 0 : 1);

/**
 * A demo of its own, judged.
 * @param {{ kit?: string[], node?: string, intrusive?: boolean, demo?: object }} options further arguments of the kit; the program that
 * runs both; how the demo is started
 */
async function judged(name, { kit = [], node = process.execPath, intrusive = true, demo: more = {} } = {}) {
  const data = `data/conformance-runs-${name}`;
  const demo = await startDemo(data, { node, ...more });
  try {
    return await judge(name, `${data}/target.json`, { kit, node, intrusive });
  } finally {
    await demo.stop();
    rmSync(data, { recursive: true, force: true });
  }
}

/** @returns the exit code of the kit, and its report */
async function judge(name, target, { kit = [], node = process.execPath, intrusive = true } = {}) {
  const report = `.reports/conformance-runs/${name}`;
  rmSync(report, { recursive: true, force: true });
  const command = ['conformance/dist/cli.js', '--target', target, '--level', 'should', '--report', report, ...kit];
  const child = spawn(node, intrusive ? [...command, '--intrusive'] : command, {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const code = await new Promise((resolve) => child.on('exit', (status) => resolve(status ?? 2)));
  return { code, report: JSON.parse(readFileSync(`${report}/conformance.json`, 'utf8')) };
}

/** The time zone whose midnight is nearest, before or after. @param {(minutes: number) => boolean} fits minutes until then */
function zoneAt(fits) {
  const now = new Date();
  const untilMidnight = (timeZone) => {
    const parts = new Intl.DateTimeFormat('en', { timeZone, hour: 'numeric', minute: 'numeric', hourCycle: 'h23' });
    const [hour, minute] = parts.format(now).split(':').map(Number);
    const past = hour * 60 + minute;
    return past < 720 ? -past : 1_440 - past;
  };
  const zones = Intl.supportedValuesOf('timeZone').filter((zone) => fits(untilMidnight(zone)));
  return zones.sort((a, b) => Math.abs(untilMidnight(a)) - Math.abs(untilMidnight(b)))[0];
}

/** Every piece of an answer comes 200 ms late. A client keeps its address, so that limits per address stay as they are. */
async function judgedFromAfar() {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const own = probe.address().port;
  await new Promise((resolve) => probe.close(resolve));
  const proxy = createServer((near) => {
    const localAddress = near.remoteAddress.replace('::ffff:', '');
    const service = connect({ host: '127.0.0.1', port: own, localAddress });
    near.on('data', (piece) => service.write(piece));
    near.on('end', () => service.end());
    service.on('data', (piece) => setTimeout(() => near.write(piece), 200));
    service.on('end', () => setTimeout(() => near.end(), 200));
    for (const [one, other] of [
      [near, service],
      [service, near],
    ])
      one.on('error', () => other.destroy());
  });
  await new Promise((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const demo = { servicePort: proxy.address().port, extra: ['--listen-port', String(own)] };
  try {
    return await judged('far', { demo });
  } finally {
    proxy.close();
  }
}

/** The demo's service again without extensions, on the same data. */
async function judgedWithoutExtensions() {
  const data = 'data/conformance-runs-no-extensions';
  const demo = await startDemo(data);
  await demo.stop();
  const target = JSON.parse(readFileSync(`${data}/target.json`, 'utf8'));
  const { indexer: _, ledger: _ledger, ...others } = target;
  writeFileSync(`${data}/target.json`, JSON.stringify(others));
  const service = spawn(process.execPath, ['service/dist/src/main.js', 'serve'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env.PATH,
      LISTEN_ADDR: `127.0.0.1:${demo.servicePort}`,
      BASE_URL: target.service.url,
      DB_DSN: `${data}/service.sqlite`,
      DATA_KEY: readFileSync(`${data}/data.key`, 'utf8'),
      RATE_IP_PER_MINUTE: '600',
      EXTENSIONS_ENABLED: 'false',
      LOG_LEVEL: 'error',
    },
  });
  const ready = () =>
    fetch(`${target.service.url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await ready())) await new Promise((resolve) => setTimeout(resolve, 200));
  try {
    return await judge('no-extensions', `${data}/target.json`);
  } finally {
    const ended = new Promise((resolve) => service.on('exit', resolve));
    service.kill('SIGTERM');
    await ended;
    rmSync(data, { recursive: true, force: true });
  }
}

async function judgedOnPostgres() {
  process.env.DIALECTS = 'postgres';
  const { default: startPostgres } = await import('../platform/test/postgres-server.js');
  const { default: stopPostgres } = await import('../platform/test/stop-postgres-server.js');
  await startPostgres();
  try {
    return await judged('postgres', { demo: { extra: ['--database', process.env.TEST_POSTGRES_DSN] } });
  } finally {
    await stopPostgres();
  }
}

/** Three programs a core that never rest. */
async function judgedWhileBusy() {
  const restless = Array.from({ length: 3 * availableParallelism() }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  );
  try {
    return await judged('busy');
  } finally {
    for (const one of restless) one.kill('SIGKILL');
  }
}
