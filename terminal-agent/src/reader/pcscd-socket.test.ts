import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pcscdObstacle } from './pcscd-socket.js';

let folder: string;

describe('the way to pcscd', () => {
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pcscd-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('the socket of pcscd is reachable while something listens', async () => {
    const server = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => server.listen(join(folder, 'comm'), resolve));
    expect(await pcscdObstacle(join(folder, 'comm'))).toBeUndefined();
    await new Promise((resolve) => server.close(resolve));
  });

  it('the socket of pcscd is unreachable if it is missing or nobody listens at it', async () => {
    expect(await pcscdObstacle(join(folder, 'none'))).toMatch(/pcscd is not running/);
    await writeFile(join(folder, 'dead'), '');
    expect(await pcscdObstacle(join(folder, 'dead'))).toMatch(/pcscd is not running/);
  });
});
