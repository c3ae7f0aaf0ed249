// The demo twice on the same data, with stamps through the API in between: `make run` must start after any use of the demo.
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

const data = 'data/demo-again';
const [service, indexer, ledger, reader, stage] = [18150, 18151, 18152, 18153, 18154];
const ports = [
  '--service-port',
  service,
  '--indexer-port',
  indexer,
  '--ledger-port',
  ledger,
  '--reader-port',
  reader,
  '--demo-port',
  stage,
];

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
  try {
    if (child.exitCode === null) await meanwhile(/KEY=(\S+)/.exec(output)[1], output);
  } finally {
    // Also after a failure: what still runs would keep this script from ending.
    child.kill('SIGINT');
  }
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

/** Every command that the demo prints works as it is printed. */
function tryCommands(key, output) {
  const lines = output.split('\n').filter((line) => line.startsWith('  curl '));
  for (const line of lines) {
    const command = line.replaceAll('curl ', 'curl -sS --fail-with-body ');
    execFileSync('bash', ['-c', command], { env: { ...process.env, KEY: key }, timeout: 60_000 });
  }
  console.log(`${lines.length} printed commands work`);
}

/** The demo's page: a stamp reaches all four places, a copied badge is refused, a link signs in once, strangers do not. */
async function tryPage(output) {
  const page = `http://localhost:${stage}`;
  const ask = (what, body, origin = page) =>
    fetch(`${page}/ask/${what}`, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const expect = (what, actual, expected) => {
    if (actual !== expected) throw new Error(`${what}: ${actual}, not ${expected}`);
  };
  expect('the page', (await fetch(`${page}/`)).status, 200);
  expect('another origin', (await ask('present', { card: 'emre' }, 'http://evil.example')).status, 403);
  expect('a badge', (await ask('present', { card: 'emre' })).status, 204);
  await sceneWith(
    page,
    ({ stamp, developer }) => stamp?.supervisor > 0 && stamp.sequence > 0 && developer.webhook?.valid,
  );
  expect('an anchor', (await ask('anchor', {})).status, 204);
  await sceneWith(page, ({ developer }) => developer.proof?.verdict === 'match');
  expect('a copy', (await ask('present', { card: 'copied' })).status, 204);
  await sceneWith(page, ({ door }) => door.last.card === 'copied' && door.last.outcome === 'refused');
  for (const [trick, outcome] of [
    ['replayed', 'refused'],
    ['phone', 'nothing'],
    ['short', 'nothing'],
    ['wrong_key', 'refused'],
    ['factory', 'refused'],
    ['torn', 'nothing'],
    ['aborted', 'refused'],
    ['slow', 'refused'],
    ['relayed', 'stamped'],
  ]) {
    expect(trick, (await ask('present', { card: 'jana', trick })).status, 204);
    await sceneWith(page, ({ door }) => door.last.trick === trick && door.last.outcome === outcome);
  }
  const link = /http:\S+\/sign-in\/\S+/.exec(output)[0];
  const signedIn = await fetch(link, { redirect: 'manual' });
  expect('a link', signedIn.status, 303);
  const cookie = signedIn.headers.get('set-cookie').split(';')[0];
  const session = await fetch(`http://localhost:${service}/app/session`, { headers: { cookie } });
  expect('the session', (await session.json()).person.name, 'Jana Petersen');
  expect('the link again', (await fetch(link, { redirect: 'manual' })).status, 410);
}

/** The person blocks the badge that the demo holds to the reader at each start. */
async function blockBadge(output) {
  const signedIn = await fetch(/http:\S+\/sign-in\/\S+/.exec(output)[0], { redirect: 'manual' });
  const origin = `http://localhost:${service}`;
  const headers = { origin, cookie: signedIn.headers.get('set-cookie').split(';')[0] };
  const { data: badges } = await (await fetch(`${origin}/app/me/badges`, { headers })).json();
  const { status } = await fetch(`${origin}/app/me/badges/${badges[0].id}/block`, { method: 'POST', headers });
  if (status !== 200) throw new Error(`blocking the badge: ${status}`);
}

/** Reads what the page is sent until it shows what is wanted. */
async function sceneWith(page, shows) {
  const scenes = await fetch(`${page}/scene`, { signal: AbortSignal.timeout(30_000) });
  let text = '';
  for await (const chunk of scenes.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const messages = text.split('\n\n');
    text = messages.pop();
    if (messages.some((message) => shows(JSON.parse(message.slice('data: '.length))))) return;
  }
}

await demo(['--fresh'], async (key, output) => {
  tryCommands(key, output);
  await tryPage(output);
  await clock(key, 'out');
  await clock(key, 'in');
});
await demo([], async (key) => {
  await clock(key, 'in');
  await clock(key, 'break/start');
});
await demo([], (_, output) => blockBadge(output));
await demo([], async () => undefined);
execFileSync(process.execPath, ['service/dist/src/main.js', 'audit', 'verify'], {
  env: { ...process.env, DB_DSN: `${data}/service.sqlite`, DATA_KEY: readFileSync(`${data}/data.key`, 'utf8') },
  stdio: ['ignore', 'ignore', 'inherit'],
});
console.log('started again after stamps through the API and with a blocked badge: right each time');
