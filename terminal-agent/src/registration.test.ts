import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { loadRegistration, storeRegistration } from './registration.js';

let folder: string;

const service = new URL('https://time.example.com');

describe('the registration of a terminal', () => {
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'terminal-registration-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('a registration is kept, and replaced by the next pairing', async () => {
    await storeRegistration(folder, { terminalId: 'trm_first000', serviceUrl: service.href });
    await storeRegistration(folder, { terminalId: 'trm_second00', serviceUrl: service.href });
    expect(await loadRegistration(folder, service)).toEqual({
      terminalId: 'trm_second00',
      serviceUrl: 'https://time.example.com/',
    });
    expect(JSON.parse(await readFile(join(folder, 'terminal.json'), 'utf8'))).toEqual({
      terminal_id: 'trm_second00',
      service_url: 'https://time.example.com/',
    });
  });

  it('a PC that was never paired has no registration', async () => {
    await expect(loadRegistration(folder, service)).rejects.toThrow(/not paired/);
  });

  it('a registration belongs to one service', async () => {
    await storeRegistration(folder, { terminalId: 'trm_first000', serviceUrl: service.href });
    await expect(loadRegistration(folder, new URL('https://other.example.com'))).rejects.toThrow(
      /paired with https:\/\/time.example.com\//,
    );
  });

  it.each(['', '{', '{"terminal_id":"x","service_url":"y"}', '[]'])('that reads %j is damaged', async (content) => {
    await writeFile(join(folder, 'terminal.json'), content);
    await expect(loadRegistration(folder, service)).rejects.toThrow(/damaged/);
  });
});
