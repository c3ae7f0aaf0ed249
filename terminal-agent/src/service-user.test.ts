import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { becomeOwnerOf } from './service-user.js';

let folder: string;

const warnings: unknown[] = [];
const processOf = (uid: number) => {
  warnings.length = 0;
  return {
    getuid: () => uid,
    initgroups: (...ids: number[]) => void warnings.push(['groups', ...ids]),
    setgid: (id: number | string) => void warnings.push(['group', id]),
    setuid: (id: number | string) => void warnings.push(['user', id]),
  };
};

describe('root', () => {
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'user-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  // Without root nothing can be given away.
  if (process.getuid?.() === 0) {
    it('root becomes the owner of the state folder: groups first, the user last', async () => {
      await chown(folder, 65_534, 65_533);
      expect(await becomeOwnerOf(folder, processOf(0))).toBe(true);
      expect(warnings).toEqual([
        ['groups', 65_534, 65_533],
        ['group', 65_533],
        ['user', 65_534],
      ]);
    });

    it('root stays root where the state folder is its own', async () => {
      expect(await becomeOwnerOf(folder, processOf(0))).toBe(false);
      expect(warnings).toEqual([]);
    });
  }

  it('root stays root while there is no state folder', async () => {
    expect(await becomeOwnerOf(join(folder, 'missing'), processOf(0))).toBe(false);
    expect(warnings).toEqual([]);
  });

  it('root is the only user that can become another', async () => {
    if (process.getuid?.() === 0) await chown(folder, 65_534, 65_534);
    expect([await becomeOwnerOf(folder, processOf(1_000)), await becomeOwnerOf(folder, {})]).toEqual([false, false]);
    expect(warnings).toEqual([]);
  });
});
