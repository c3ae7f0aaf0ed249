// The demo on free ports with data of its own, for programs that judge it.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createServer } from 'node:net';

const names = ['service-port', 'indexer-port', 'ledger-port', 'reader-port', 'demo-port'];

/**
 * @param data folder for its data, which is emptied first; `target.json` in it says where the demo is
 * @returns {Promise<{ servicePort: number, stop: () => Promise<void> }>} once it is ready
 */
export async function startDemo(data) {
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
  rmSync(data, { recursive: true, force: true });
  const demo = spawn(
    process.execPath,
    [
      ...['service/dist/demo/run.js', '--fresh', '--data', data],
      ...names.flatMap((name, index) => [`--${name}`, String(ports[index])]),
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
  if ((await Promise.race([ready, ended])) !== true) {
    console.error(`the demo did not start:\n${output}`);
    process.exit(2);
  }
  return {
    servicePort: ports[0],
    stop: async () => {
      demo.kill('SIGINT');
      await ended;
    },
  };
}
