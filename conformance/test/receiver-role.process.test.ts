import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { judgeReceiver, senderTo } from '../roles/receiver.js';
import { secret } from '../violations/functions.js';
import { namedBy } from '../violations/receiver.js';
import { violations } from '../violations/rows.js';

/** Milliseconds between the pieces of a slow body. */
const pauseMs = 15;

describe('a receiver of webhooks', () => {
  const receiverViolations = violations.filter(({ breaks }) => breaks.startsWith('RCV'));
  it('a receiver of webhooks that verifies everything violates no requirement', async () => {
    expect(await namedBy([])).toEqual([]);
  });
  /** Further requirements that a violation breaks. */
  const more: Readonly<Record<string, readonly string[]>> = {
    'accepts everything': ['RCV-003', 'RCV-004', 'RCV-012'],
    'refuses a repeated event': ['RCV-012'],
  };
  for (const violation of receiverViolations)
    it(`a receiver of webhooks that ${violation.does} is reported`, async () => {
      const violationNames = await namedBy([violation]);
      expect(violationNames).toContain(violation.breaks);
      if (violation.breaks !== 'RCV-001' && violation.request?.cut !== true)
        expect(violationNames).toEqual([violation.breaks, ...(more[violation.does] ?? [])]);
    });
  // The guide prints the first of them.
  const examples = new URL('../../docs/examples/events/', import.meta.url).pathname;
  const programs = [
    ['receiver.mts', process.execPath, () => ['--import', 'tsx', `${examples}receiver.mts`]],
    ['receiver.py', 'python3', () => [`${examples}receiver.py`]],
    ['receiver.php', 'php', (port: number) => ['-S', `127.0.0.1:${port}`, `${examples}receiver.php`]],
  ] as const;
  for (const [name, command, words] of programs) {
    const isInstalled = spawnSync(command, ['--version']).status === 0;
    (isInstalled ? it : it.skip)(`of the examples, ${name}, breaks nothing`, async () => {
      const probe = createServer().listen(0, '127.0.0.1');
      await once(probe, 'listening');
      const { port } = probe.address() as AddressInfo;
      await new Promise((resolve) => probe.close(resolve));
      const handledFolder = mkdtempSync(join(tmpdir(), 'clockproof-handled-'));
      const child = spawn(command, words(port), {
        env: { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port), HANDLED: handledFolder },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      try {
        // PHP says that it has started on the other channel.
        await Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data')]);
        const results = await judgeReceiver(senderTo(`http://127.0.0.1:${port}/`, secret, pauseMs));
        expect(results.filter(({ outcome }) => outcome !== 'passed')).toEqual([]);
      } finally {
        child.kill();
        rmSync(handledFolder, { recursive: true });
      }
    });
  }
});
