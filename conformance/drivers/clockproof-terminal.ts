/**
 * Operates the product's own terminal for `--role terminal`: `node dist/src/main.js` with a simulated reader, requests to
 * its page instead of touches, and a new simulated card for each visit. A model for drivers of other terminals.
 *
 * `--drive 'node conformance/dist/drivers/clockproof-terminal.js [COMMAND …]'`; COMMAND starts the agent.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { DriverReply, Instruction } from '../roles/terminal/driver.js';

const commandLine = process.argv.slice(2);
const [program = process.execPath, ...programArguments] =
  commandLine.length > 0 ? commandLine : [process.execPath, 'terminal-agent/dist/src/main.js'];
const folder = mkdtempSync(join(tmpdir(), 'clockproof-terminal-'));
const cards = join(folder, 'cards');
let env: NodeJS.ProcessEnv = {};
let agent: ChildProcess | undefined;
let screen = '';
let reader = '';
let frame: Frame | undefined;
let hold: Extract<Instruction, { do: 'hold' }> | undefined;
let count = 0;
let shownFingerprint: string | undefined;

/** The members of a page's frame that the driver needs. */
interface Frame {
  readonly visit: number;
  readonly line: string;
  readonly screen: {
    readonly name: string;
    readonly fingerprint?: string;
    readonly message?: string;
    readonly busy?: boolean;
  };
}

/** Screens of a visit that a person may close. */
const closableScreens = new Set(
  'choice pin account done refused removed issued failed locked unsure offline_choice offline_saved'.split(' '),
);

const post = (url: string, body: unknown) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: new URL(url).origin },
    body: JSON.stringify(body),
  });
const control = (body: unknown) =>
  fetch(reader, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
const act = (visit: number, what: object) => post(`${screen}act`, { visit, ...what });
const until = async (condition: () => boolean, seconds: number) => {
  for (let tenths = 0; !condition() && tenths < seconds * 10; tenths += 1)
    await new Promise((resolve) => setTimeout(resolve, 100));
};

async function start(url: string): Promise<DriverReply> {
  env = {
    ...process.env,
    SERVICE_URL: url,
    STATE_DIR: join(folder, 'state'),
    CARDS_DIR: cards,
    READER: 'simulated',
    SIMULATOR_PORT: '0',
    SCREEN_PORT: '0',
    COUNTDOWN: '4',
    CONFIG_FILE: '/dev/null',
  };
  const child = spawn(program, [...programArguments, 'run'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  agent = child;
  createInterface({ input: child.stdout }).on('line', (line) => {
    screen = /^Screen: (\S+)/.exec(line)?.[1] ?? screen;
    reader = /^Simulator: (\S+)/.exec(line)?.[1] ?? reader;
    if (process.env['DRIVER_SAYS'] !== undefined) process.stderr.write(`agent: ${line}\n`);
  });
  await until(() => screen !== '' && reader !== '', 30);
  if (reader === '') return { cannot: 'the agent did not start' };
  // Ends with the agent.
  void watch().catch(() => undefined);
  await until(() => frame !== undefined, 5);
  return {};
}

/** Follows the page at the door, and makes the person's choices. */
async function watch(): Promise<void> {
  const answer = await fetch(`${screen}frames`);
  let remainder = '';
  for await (const part of answer.body as unknown as AsyncIterable<Uint8Array>) {
    const events = (remainder + Buffer.from(part).toString('utf8')).split('\n\n');
    remainder = events.pop() ?? '';
    for (const event of events) {
      const data = /^data: (.*)$/m.exec(event)?.[1];
      if (data === undefined) continue;
      const previous = `${frame?.visit} ${frame?.screen.name}`;
      frame = JSON.parse(data) as Frame;
      shownFingerprint = frame.screen.fingerprint ?? shownFingerprint;
      if (`${frame.visit} ${frame.screen.name}` !== previous) await touch(frame);
    }
  }
}

async function touch({ visit, screen: { name } }: Frame): Promise<void> {
  if (hold === undefined) return;
  const { action, info, pin } = hold;
  if (name === 'choice' && info) await act(visit, { kind: 'account' });
  if ((name === 'choice' || name === 'offline_choice') && action !== undefined) {
    hold = { ...hold, action: undefined } as never;
    await act(visit, { kind: 'act', action });
  }
  if (name === 'pin' && pin !== undefined) {
    hold = { ...hold, pin: undefined } as never;
    await act(visit, { kind: 'pin', pin });
  }
}

async function follow(instruction: Instruction): Promise<DriverReply> {
  switch (instruction.do) {
    case 'start':
      return start(instruction.url);
    case 'pair':
      return pair(instruction.code);
    case 'hold': {
      count += 1;
      const name = `card-${count}`;
      const family = count % 2 === 1 ? 'desfire' : 'ntag424';
      await promisify(execFile)(program, [...programArguments, 'new-card', '--name', name, '--family', family], {
        env,
      });
      // The previous visit is over, and the page is back at its start.
      await until(
        () => ['idle', 'offline', 'offline_choice', 'confirming', 'unpaired'].includes(frame?.screen.name ?? ''),
        12,
      );
      hold = instruction;
      const answer = await control({ present: name });
      return answer.ok ? {} : { cannot: await answer.text() };
    }
    case 'remove': {
      hold = undefined;
      await control({ remove: true });
      if (frame !== undefined && closableScreens.has(frame.screen.name)) {
        await act(frame.visit, { kind: 'close' });
        await act(frame.visit, { kind: 'cancel' });
      }
      return {};
    }
  }
}

/** An unpaired terminal asks for a code on its page; a paired one is paired again by the command. */
async function pair(code: string): Promise<DriverReply> {
  const currentScreen = () => frame?.screen;
  if (frame?.line === 'unpaired') {
    await until(() => currentScreen()?.name === 'unpaired', 12);
    shownFingerprint = undefined;
    await act(frame.visit, { kind: 'code', code });
    await until(() => currentScreen()?.name === 'unpaired' && currentScreen()?.busy === true, 1);
    await until(() => currentScreen()?.name !== 'unpaired' || currentScreen()?.busy === false, 10);
    await until(() => currentScreen()?.name === 'confirming' || currentScreen()?.message !== undefined, 2);
    return shownFingerprint === undefined ? {} : { fingerprint: shownFingerprint };
  }
  await stop();
  const command = spawn(program, [...programArguments, 'pair', code], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let fingerprint: string | undefined;
  let hasEnded = false;
  command.on('close', () => {
    hasEnded = true;
  });
  createInterface({ input: command.stdout }).on('line', (line) => {
    fingerprint = /^Fingerprint: (\S+)/.exec(line)?.[1] ?? fingerprint;
  });
  await until(() => hasEnded || fingerprint !== undefined, 15);
  const url = env['SERVICE_URL'] ?? '';
  // From here on, the agent itself polls for the confirmation.
  command.kill();
  await until(() => hasEnded, 5);
  await start(url);
  return fingerprint === undefined ? {} : { fingerprint };
}

async function stop(): Promise<void> {
  const child = agent;
  agent = undefined;
  frame = undefined;
  screen = '';
  reader = '';
  if (child === undefined || child.exitCode !== null) return;
  const exit = new Promise((resolve) => child.once('close', resolve));
  child.kill();
  await exit;
}

let queue: Promise<unknown> = Promise.resolve();
const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  queue = queue
    .then(() => follow(JSON.parse(line) as Instruction))
    .catch((error: unknown): DriverReply => ({ cannot: String(error) }))
    .then((reply) => process.stdout.write(`${JSON.stringify(reply)}\n`));
});
lines.on('close', () => {
  queue = queue.then(stop).finally(() => {
    rmSync(folder, { recursive: true, force: true });
    process.exit();
  });
});
