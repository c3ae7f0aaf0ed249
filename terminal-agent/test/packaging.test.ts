/** What the Debian package carries, without Node and without dpkg: it must run away from this repository. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startFakeService } from './fake-service.js';

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
      SERVICE_URL: service.url.href,
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
});
