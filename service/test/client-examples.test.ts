/** The clients of docs/examples/events, run as they are; those that the guides print are the same. */
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { silentLog } from '@clockproof/platform/log';
import { blocksOf, repository, sampleFolder } from '@clockproof/platform/testing/guide';
import { minute } from '@clockproof/platform/time/instant';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { addExtension } from '../src/extensions/extensions.js';
import { createWebhookSender } from '../src/extensions/webhooks/send.js';
import { signedHeaders } from '../src/extensions/webhooks/signature.js';
import { closedPort } from './receivers.js';
import { createWorld, type World } from './world.js';

const examples = fileURLToPath(new URL('../../docs/examples/events/', import.meta.url));
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const path = process.env['PATH'] ?? '';
const folder = mkdtempSync(join(tmpdir(), 'clockproof-examples-'));
const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

/** @returns its lines, as they come; ready once it says so */
async function start(command: string, words: readonly string[], env: Record<string, string>): Promise<string[]> {
  const child = spawn(command, words, { env: { PATH: path, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  const lines: string[] = [];
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on('line', (line) => {
        if (/^ready$|Development Server/.test(line)) resolve();
        else lines.push(line);
      });
    child.once('exit', (code) => reject(new Error(`ended with ${code}: ${lines.join('\n')}`)));
  });
  return lines;
}

it.each([
  ['receive-events.md', 'receiver.mts'],
  ['receive-events.md', 'receiver.py'],
  ['receive-events.md', 'verify.sh'],
  ['receive-events.md', 'stay-connected.mts'],
  ['receive-events.md', 'pull.sh'],
])('the guide %s prints %s as it runs here', (guide, example) => {
  const printed = (['ts', 'py', 'sh'] as const).flatMap((language) => blocksOf(guide, language));
  expect(printed).toContain(readFileSync(join(examples, example), 'utf8'));
});

it('the TypeScript of all guides compiles in strict mode, as readers have it', async () => {
  const samples = sampleFolder();
  const guides = readdirSync(join(repository, 'docs/guides')).filter((name) => blocksOf(name, 'ts').length > 0);
  expect(guides.length).toBeGreaterThan(7);
  for (const guide of guides) {
    const blocks = blocksOf(guide, 'ts');
    // The blocks of this guide are parts of one program; others have one program a block.
    const programs = guide === 'build-a-terminal.md' ? [blocks.join('\n')] : blocks;
    for (const [index, program] of programs.entries()) samples.save(`${guide}-${index}.mts`, program);
  }
  // What the guide to generated clients lets readers generate; only the comments differ.
  const types = join(repository, 'service/src/generated/service-types.js');
  samples.save('clockproof.d.ts', `export type * from '${types}';`);
  samples.save('libraries.d.ts', readFileSync(join(repository, 'service/test/access/oauth-clients.d.ts'), 'utf8'));
  const compilerOptions = {
    ...{ target: 'ES2023', lib: ['ES2023'], module: 'NodeNext', types: ['node'] },
    ...{ strict: true, noUnusedLocals: true, skipLibCheck: true, noEmit: true },
  };
  samples.save('tsconfig.json', JSON.stringify({ compilerOptions, include: ['*.mts', '*.d.ts'] }));
  const compiler = join(repository, 'node_modules/typescript/bin/tsc');
  const said = await promisify(execFile)(process.execPath, [compiler, '--project', samples.path]).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
  samples.remove();
  expect(said).toBe('');
});

const receivers = [
  ['node', (_: number) => ['--import', 'tsx', join(examples, 'receiver.mts')]],
  ['python3', (_: number) => [join(examples, 'receiver.py')]],
  ['php', (port: number) => ['-S', `127.0.0.1:${port}`, join(examples, 'receiver.php')]],
] as const;

describe('a receiver of webhooks', () => {
  for (const [command, words] of receivers) {
    const installed = spawnSync(command, ['--version']).status === 0;
    (installed ? it : it.skip)(`in ${command} takes what is genuine, and handles it once`, async () => {
      const port = await closedPort();
      const handled = mkdtempSync(join(folder, 'handled-'));
      const lines = await start(command, words(port), {
        WEBHOOK_SECRET: secret,
        PORT: String(port),
        HANDLED: handled,
      });
      let now = Date.now();
      const send = createWebhookSender({ allowPrivateTargets: true, clock: () => now, log: silentLog });
      const post = (secrets: string[], sequence: number, epoch = '3f9a7c21') => {
        const id = `evt_${epoch}0000000000000${sequence}`;
        const body = JSON.stringify({ id, type: 'clock.in', sequence, epoch, note: 'ü' });
        return send({ url: `http://127.0.0.1:${port}/`, id, body, secrets });
      };
      const status = async (secrets: string[], sequence: number, epoch?: string) => {
        const attempt = await post(secrets, sequence, epoch);
        return attempt.outcome === 'unreachable' ? attempt.outcome : attempt.status;
      };
      expect(await status([secret], 1)).toBe(204);
      expect(await status([secret], 1)).toBe(204);
      // While secrets are being replaced, either comes first.
      expect(await status([other, secret], 2)).toBe(204);
      expect(await status([secret, other], 3)).toBe(204);
      expect(await status([other], 4)).toBe(400);
      for (const away of [-6 * minute, 6 * minute]) {
        now = Date.now() + away;
        expect(await status([secret], 5)).toBe(400);
      }
      // Signed, then altered on the way.
      const body = Buffer.from('{"id":"evt_3f9a7c2100000000000006","sequence":6,"epoch":"3f9a7c21","type":"clock.in"}');
      const headers = signedHeaders('evt_3f9a7c2100000000000006', Math.floor(Date.now() / 1000), body, [secret]);
      const altered = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body: `${body} ` });
      expect(altered.status).toBe(400);
      const before = ['1 clock.in', '2 clock.in', '3 clock.in'];
      const kept = () =>
        readdirSync(handled)
          .filter((name) => name.startsWith('evt_'))
          .map((name) => readFileSync(join(handled, name), 'utf8').trim())
          .sort();
      expect(command === 'php' ? kept() : lines).toEqual(before);
      // A new epoch: it reads the lists in full, once.
      now = Date.now();
      expect(await status([secret], 7, '0badc0de')).toBe(204);
      expect(await status([secret], 8, '0badc0de')).toBe(204);
      expect(await status([secret], 9)).toBe(204);
      const after = ['7 clock.in', '8 clock.in', '9 clock.in'];
      expect(command === 'php' ? kept() : lines).toEqual(
        command === 'php' ? [...before, ...after] : [...before, 'history changed: read the lists in full', ...after],
      );
    });
  }

  it('in a shell verifies what was stored', async () => {
    const body = Buffer.from('{"id":"evt_3f9a7c2100000000000001","note":"ü"}');
    const seconds = Math.floor(Date.now() / 1000);
    const verify = (known: string, at: number, given: string) =>
      spawnSync(join(examples, 'verify.sh'), ['evt_3f9a7c2100000000000001', String(at), given], {
        input: body,
        env: { PATH: path, WEBHOOK_SECRET: known },
      }).status;
    const signed = (at: number, ...secrets: string[]) =>
      signedHeaders('evt_3f9a7c2100000000000001', at, body, secrets)['webhook-signature'];
    expect(verify(secret, seconds, signed(seconds, secret))).toBe(0);
    expect(verify(other, seconds, signed(seconds, secret, other))).toBe(0);
    expect(verify(other, seconds, signed(seconds, secret))).toBe(1);
    expect(verify(secret, seconds, signed(seconds - 1, secret))).toBe(1);
    expect(verify(secret, seconds - 400, signed(seconds - 400, secret))).toBe(1);
  });
});

/** A position of a history that this installation does not have. */
const replaced = `evt_0badc0de${'1'.padStart(14, '0')}`;

describe('a client without a public address', () => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld('sqlite');
  });
  afterEach(() => world.close());
  const stamp = async (verb: string) =>
    expect(
      await world.call('POST', `/api/v1/clock/${verb}`, {
        key: world.planner.key,
        body: { user_id: world.people.ada },
      }),
    ).toMatchObject({ status: 200 });

  /** Lines with an event, without what else is printed. */
  const told = (lines: readonly string[]) => lines.filter((line) => /^\d+ /.test(line));
  const types = (lines: readonly string[]) => told(lines).map((line) => line.split(' ')[1]);
  const until = async (lines: readonly string[], count: number) => {
    while (told(lines).length < count) await world.call('GET', '/api/v1/status');
  };

  it('pulls what is new with curl, and goes on where it was', async () => {
    const state = join(folder, 'pulled');
    const pull = async () => {
      const { stdout } = await promisify(execFile)(join(examples, 'pull.sh'), [state], {
        env: { PATH: path, BASE_URL: world.url, API_KEY: world.planner.key },
      });
      return stdout
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => (JSON.parse(line) as { type: string }).type);
    };
    await stamp('in');
    await stamp('out');
    expect(await pull()).toEqual(['clock.in', 'clock.out']);
    expect(await pull()).toEqual([]);
    await stamp('in');
    expect(await pull()).toEqual(['clock.in']);
    // A position of another history: it reads the lists in full, and begins again.
    writeFileSync(state, replaced);
    expect(await pull()).toEqual(['clock.in', 'clock.out', 'clock.in']);
    expect(await pull()).toEqual([]);
  });

  (spawnSync('python3', ['--version']).status === 0 ? it : it.skip)(
    'follows by long polling in Python, and goes on where it was',
    async () => {
      const [, program] = blocksOf('receive-events.md', 'py');
      const state = join(folder, 'followed');
      const follow = () => {
        const child = spawn('python3', ['-u', '-c', program!, state], {
          env: { PATH: path, BASE_URL: world.url, API_KEY: world.planner.key },
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        children.push(child);
        const lines: string[] = [];
        createInterface({ input: child.stdout! }).on('line', (line) => lines.push(line));
        return lines;
      };
      const stored = () => (existsSync(state) ? Number(`0x${readFileSync(state, 'utf8').slice(12)}`) : 0);
      await stamp('in');
      const before = follow();
      await until(before, 1);
      await stamp('out');
      await until(before, 2);
      while (stored() < Number(before[1]!.split(' ')[0])) await world.call('GET', '/api/v1/status');
      const [child] = children.splice(0);
      child!.kill('SIGKILL');
      await once(child!, 'exit');
      await stamp('in');
      const after = follow();
      await until(after, 1);
      expect([types(before), types(after)]).toEqual([['clock.in', 'clock.out'], ['clock.in']]);
      const [second] = children.splice(0);
      second!.kill('SIGKILL');
      await once(second!, 'exit');
      writeFileSync(state, replaced);
      const again = follow();
      await until(again, 3);
      expect(types(again)).toEqual(['clock.in', 'clock.out', 'clock.in']);
    },
  );

  it('stays connected, and misses nothing while it is away', async () => {
    const { key } = await world.service.store.write({ actor: { kind: 'system' }, at: world.now() }, (write) =>
      addExtension(
        write,
        {
          name: 'Board',
          mode: 'websocket',
          acting: 'everyone',
          companyId: world.nord,
          scopes: ['read:clock_states', 'read:time_entries'],
        },
        world.randomBytes,
      ),
    );
    const run = () =>
      start(process.execPath, ['--import', 'tsx', join(examples, 'stay-connected.mts'), join(folder, 'connected')], {
        BASE_URL: world.url,
        API_KEY: key,
      });
    const before = await run();
    await stamp('in');
    await until(before, 1);
    const [child] = children.splice(0);
    child!.kill('SIGKILL');
    await once(child!, 'exit');
    await stamp('out');
    await stamp('in');
    const after = await run();
    await until(after, 2);
    await stamp('out');
    await until(after, 3);
    expect([types(before), types(after)]).toEqual([['clock.in'], ['clock.out', 'clock.in', 'clock.out']]);
    const [second] = children.splice(0);
    second!.kill('SIGKILL');
    await once(second!, 'exit');
    writeFileSync(join(folder, 'connected'), replaced);
    const again = await run();
    await stamp('in');
    await until(again, 1);
    expect(types(again)).toEqual(['clock.in']);
  });
});
