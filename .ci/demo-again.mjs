// The demo twice on the same data, with stamps through the API in between: `make run` must start whatever was done.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

const data = 'data/demo-again';
const [service, indexer, ledger, reader] = [18150, 18151, 18152, 18153];
const ports = ['--service-port', service, '--indexer-port', indexer, '--ledger-port', ledger, '--reader-port', reader];

/** Starts the demo, does something while it runs, and stops it. */
async function demo(extra, meanwhile) {
  const child = spawn(process.execPath, ['service/dist/demo/run.js', '--data', data, ...ports, ...extra].map(String), {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  const ended = new Promise((resolve) => child.on('exit', resolve));
  await new Promise((resolve) => {
    child.stdout.on('data', (text) => {
      output += text;
      if (output.includes('Ctrl-C stops')) resolve();
    });
    void ended.then(resolve);
  });
  console.log(/at the door: .*/.exec(output)?.[0]);
  if (child.exitCode === null) await meanwhile(/KEY=(\S+)/.exec(output)[1]);
  child.kill('SIGINT');
  const code = await ended;
  if (code !== 0 || !output.includes('Ctrl-C stops')) throw new Error(`the demo ended with ${code}:\n${output}`);
}

async function clock(key, verb) {
  const [{ userId }] = JSON.parse(readFileSync(`${data}/holders.json`, 'utf8'));
  const answer = await fetch(`http://127.0.0.1:${service}/api/v1/clock/${verb}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ user_id: userId }),
  });
  if (answer.status !== 200) throw new Error(`clock ${verb}: ${answer.status} ${await answer.text()}`);
}

await demo(['--fresh'], async (key) => {
  await clock(key, 'out');
  await clock(key, 'in');
});
await demo([], async (key) => {
  await clock(key, 'in');
  await clock(key, 'break/start');
});
await demo([], async () => undefined);
console.log('started again after stamps through the API: right each time');
