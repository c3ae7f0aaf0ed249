import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConfigurationFaults } from './config.js';
import { withConfigFile } from './config-file.js';

let folder: string;

async function file(text: string): Promise<string> {
  const path = join(folder, 'terminal.conf');
  await writeFile(path, text);
  return path;
}

describe('the file of the settings', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'config-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('the environment takes precedence over the settings file', async () => {
    const path = await file(
      '# door 2\n\nSERVICE_URL=https://time.example.com\nREADER_NAME = "ACS ACR1252"\nTHEME=dark\r\n',
    );
    expect(await withConfigFile({ THEME: 'light' }, path)).toEqual({
      SERVICE_URL: 'https://time.example.com',
      READER_NAME: 'ACS ACR1252',
      THEME: 'light',
    });
  });

  it('need not exist, unless it is named', async () => {
    const missingFile = join(folder, 'missing.conf');
    expect(await withConfigFile({ THEME: 'dark' }, missingFile)).toEqual({ THEME: 'dark' });
    await expect(withConfigFile({ CONFIG_FILE: missingFile }, missingFile)).rejects.toThrow(ConfigurationFaults);
  });

  it('the settings file names every line at fault', async () => {
    const path = await file('SERVICE_URL\nSERVICE_ADDRESS=x\nTHEME=dark\n');
    await expect(withConfigFile({}, path)).rejects.toMatchObject({
      faults: [expect.stringContaining('line 1'), expect.stringContaining('SERVICE_ADDRESS')],
    });
  });
});
