// The demo on free ports with data of its own, for programs that judge it.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createServer } from 'node:net';

const names = ['service-port', 'indexer-port', 'ledger-port', 'reader-port', 'demo-port'];

/**
 * @param data folder for its data, which is emptied first; `target.json` in it says where the demo is
 * @param given port of the service, further arguments, and the program that runs it
 * @returns {Promise<{ servicePort: number, readerPort: number, demoPort: number, stop: () => Promise<void> }>} once it is
 * ready
 * @throws Error with what it printed
 */
export async function startDemo(data, { servicePort, extra = [], node = process.execPath } = {}) {
  const servers = await Promise.all(
    names.map(
      () =>
        new Promise((resolve) => {
          const server = createServer().listen(0, '127.0.0.1', () => resolve(server));
        }),
    ),
  );
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  if (servicePort !== undefined) ports[0] = servicePort;
  rmSync(data, { recursive: true, force: true });
  const demo = spawn(
    node,
    [
      ...['service/dist/demo/run.js', '--fresh', '--data', data],
      ...names.flatMap((name, index) => [`--${name}`, String(ports[index])]),
      ...extra,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let output = '';
  const ended = new Promise((resolve) => demo.on('exit', resolve));
  const ready = new Promise((resolve) =>
    demo.stdout.on('data', (text) => {
      output += text;
      if (output.includes('Ctrl-C stops')) resolve(true);
    }),
  );
  if ((await Promise.race([ready, ended])) !== true) throw new Error(`the demo did not start:\n${output}`);
  return {
    servicePort: ports[0],
    readerPort: ports[3],
    demoPort: ports[4],
    stop: async () => {
      demo.kill('SIGINT');
      await ended;
    },
  };
}

/**
 * Judges a demo with the conformance kit. The kit may switch its features off, since the demo has no users.
 * @param report folder for the kit's reports
 * @param given further arguments of the kit
 * @returns {Promise<number>} the kit's exit code
 */
export async function judgeDemo({ data, servicePort, report, given }) {
  // The terms of this deployment are a page that its service serves.
  const terms = `http://localhost:${servicePort}/docs/terms.html`;
  const indexer = `/usr/bin/env TERMS_URL=${terms} ${process.execPath} indexer/dist/src/main.js`;
  const kit = spawn(
    process.execPath,
    [
      ...['conformance/dist/cli.js', '--target', `${data}/target.json`, '--report', report, '--intrusive'],
      ...['--indexer-command', indexer, ...given],
    ],
    { stdio: 'inherit' },
  );
  return await new Promise((resolve) => kit.on('exit', (code) => resolve(code ?? 2)));
}
