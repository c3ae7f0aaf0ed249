/**
 * The service as a process on SQLite, whose disk or memory fails and has room again: each write is whole or absent, the
 * audit log stays intact, and nothing fails afterwards. `make soak NAME=chaos ARGS="sqlite once filled temporary"` runs longer.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

// The built one. `make test` builds before it tests.
const chaos = fileURLToPath(new URL('../../dist/bench/chaos.js', import.meta.url));
const canMount =
  process.getuid?.() === 0 && spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;
const canPreload = process.platform === 'linux' && spawnSync('cc', ['--version']).status === 0;
if (!canMount) console.warn('skipped: full file systems need root, to mount them');
if (!canPreload) console.warn('skipped: failing calls need Linux and a C compiler');

describe('the service on SQLite', () => {
  it.each([
    ['of which single calls fail', 'once', canPreload],
    ['whose file system has no room for a while', 'filled', canMount],
    ['with a small folder for temporary files', 'temporary', canMount],
  ])('the service on SQLite %s stores each stamp whole or not at all', (_, trouble, isPossible) => {
    if (!isPossible) return;
    const { status, stdout } = spawnSync(process.execPath, [chaos, 'sqlite', trouble], {
      encoding: 'utf8',
      env: { ...process.env, DIALECTS: 'sqlite', CHAOS_SECONDS: '10', CHAOS_SEED: '1' },
    });
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining('nothing lost, nothing twice') });
  });
});
