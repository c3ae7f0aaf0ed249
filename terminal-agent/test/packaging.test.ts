/** What the Debian package carries, without Node and without dpkg: it must run away from this repository. */
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { systemdUnit } from '../src/host.js';
import { loadOrCreateKey } from '../src/key.js';
import { storeRegistration } from '../src/registration.js';
import { startFakeService, terminalId } from './fake-service.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'package-'));
  const script = fileURLToPath(new URL('../packaging/build.mjs', import.meta.url));
  const { code, text } = await node([script, '--folder', join(folder, 'program')]);
  expect([code, text]).toEqual([0, expect.anything()]);
});
afterAll(() => rm(folder, { recursive: true }));

/** Node in an environment without this repository; exit code and all it printed. */
function node(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return new Promise<{ readonly code: unknown; readonly text: string }>((resolve) => {
    const options = { cwd: folder, env: { PATH: '/usr/bin:/bin', ...env } };
    execFile(process.execPath, args, options, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, text: stdout + stderr }),
    );
  });
}

describe('the packed terminal agent', () => {
  it('runs by itself, and finds its page and the service', async () => {
    const service = await startFakeService();
    const env = {
      SERVICE_URL: service.address.href,
      STATE_DIR: join(folder, 'state'),
      READER: 'simulated',
      SIMULATOR_PORT: '0',
      CARDS_DIR: join(folder, 'cards'),
      SCREEN_PORT: '8085',
    };
    const { code, text } = await node([join(folder, 'program/main.mjs'), 'status'], env);
    await service.close();
    expect(text).toMatch(/not paired/);
    expect(text).toMatch(/ok +service/);
    expect(code).toBe(1);
    expect(existsSync(join(folder, 'program/web/index.html'))).toBe(true);
  });

  it('names its settings file and its service by itself', async () => {
    const { text } = await node([join(folder, 'program/main.mjs'), 'service-file']);
    expect(text).toContain(`ExecStart=${process.execPath} ${join(folder, 'program/main.mjs')} run`);
  });

  // A PC with 1 GB also runs a browser. The peak is that of the first request: the parser of HTTP is compiled then.
  (process.platform === 'linux' ? it : it.skip)('needs no more than 80 MB, with the screen open', async () => {
    const service = await startFakeService();
    const env = {
      ...environmentOf(systemdUnit({ node: 'node', script: 'main.mjs' })),
      SERVICE_URL: service.address.href,
      STATE_DIR: join(folder, 'paired'),
      READER: 'simulated',
      SIMULATOR_PORT: '0',
      CARDS_DIR: join(folder, 'cards'),
      SCREEN_PORT: '0',
    };
    const program = join(folder, 'program/main.mjs');
    const key = await loadOrCreateKey(env.STATE_DIR, (length) => Uint8Array.from(randomBytes(length)));
    await storeRegistration(env.STATE_DIR, { terminalId, serviceUrl: service.address.href });
    Object.assign(service.terminal, { publicKey: Buffer.from(key.publicKey), confirmed: true });
    const child = spawn(process.execPath, [program, 'run'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    while (!(said.includes('hold your badge here') && said.includes('Screen: ')) && child.exitCode === null)
      said += String(...(await once(child.stdout, 'data')));
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
    child.kill('SIGTERM');
    await once(child, 'exit');
    await service.close();
    expect(Number(/VmRSS:\s+(\d+) kB/.exec(status)![1])).toBeLessThan(80 * 1024);
  });
});

/** What systemd would set for the program. */
function environmentOf(unit: string): Record<string, string> {
  const words = /^Environment=(.*)$/m.exec(unit)![1]!.split(' ');
  return Object.fromEntries(words.map((word) => word.split('=') as [string, string]));
}
