// Starts the demo on free ports with data of its own, judges it with the conformance kit and stops it. The kit may switch
// features of this deployment off: nobody works here. Arguments go to the kit.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createServer } from 'node:net';

const data = 'data/conformance';
const names = ['service-port', 'indexer-port', 'ledger-port', 'reader-port', 'demo-port'];
const servers = await Promise.all(
  names.map(
    () =>
      new Promise((resolve) => {
        const server = createServer().listen(0, '127.0.0.1', () => resolve(server));
      }),
  ),
);
const ports = servers.flatMap((server, index) => [`--${names[index]}`, String(server.address().port)]);
await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));

rmSync(data, { recursive: true, force: true });
const demo = spawn(process.execPath, ['service/dist/demo/run.js', '--fresh', '--data', data, ...ports], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
let output = '';
const ended = new Promise((resolve) => demo.on('exit', resolve));
const ready = new Promise((resolve) =>
  demo.stdout.on('data', (text) => {
    output += text;
    if (output.includes('Ctrl-C stops')) resolve(true);
  }),
);
if ((await Promise.race([ready, ended])) !== true) {
  console.error(`the demo did not start:\n${output}`);
  process.exit(2);
}
// The terms of this deployment are a page that its service serves.
const terms = `http://localhost:${ports[names.indexOf('service-port') * 2 + 1]}/docs/terms.html`;
const indexer = `/usr/bin/env TERMS_URL=${terms} ${process.execPath} indexer/dist/src/main.js`;
const kit = spawn(
  process.execPath,
  [
    'conformance/dist/cli.js',
    ...['--target', `${data}/target.json`, '--report', '.reports/conformance', '--intrusive'],
    ...process.argv.slice(2),
  ],
  { stdio: 'inherit', env: { ...process.env, KIT_INDEXER_COMMAND: indexer } },
);
const code = await new Promise((resolve) => kit.on('exit', resolve));
demo.kill('SIGINT');
await ended;
if (code === 0) rmSync(data, { recursive: true, force: true });
process.exit(code ?? 2);
