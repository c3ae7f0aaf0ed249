import { readFileSync, writeFileSync } from 'node:fs';
import type { ConfigurationFaults, Setting } from '@clockproof/platform/config/config';
import { describe, expect, it } from '@jest/globals';
import { anchorSettings } from '../anchor/config.js';
import { readConfig, serviceSettings } from '../src/config.js';

describe('settings', () => {
  it.each([
    ['service', serviceSettings, 'operations/configuration.md'],
    ['anchor service', anchorSettings, 'guides/anchor-months.md'],
  ] as const)(
    'settings of the %s are in the docs as in the code (UPDATE_DOCS=1 writes them)',
    (program, settings, path) => {
      const page = new URL(`../../docs/${path}`, import.meta.url);
      const rows = Object.entries<Setting<unknown>>(settings).map(([name, setting]) => {
        const fallback = setting.schema.safeParse(undefined).success ? 'none' : 'required';
        return `| \`${name}\` | ${setting.default === undefined ? fallback : setting.default === '' ? 'empty' : `\`${setting.default}\``} | ${setting.description}${setting.secret === true ? ' Secret.' : ''} |`;
      });
      const table = ['| Variable | Default | Meaning |', '|---|---|---|', ...rows].join('\n');
      const text = readFileSync(page, 'utf8');
      const updatedText = text.replace(
        new RegExp(`(<!-- settings of the ${program} -->\n)[\\s\\S]*?(<!-- end -->)`),
        `$1${table}\n$2`,
      );
      if (process.env['UPDATE_DOCS'] === '1') writeFileSync(page, updatedText);
      expect(updatedText).toBe(process.env['UPDATE_DOCS'] === '1' ? updatedText : text);
    },
  );

  it('settings have defaults that work', () => {
    expect(readConfig({})).toMatchObject({
      DB_DRIVER: 'sqlite',
      RATE_API_PER_MINUTE: 120,
      RATE_IP_PER_MINUTE: 60,
      RATE_TERMINAL_PER_MINUTE: 600,
      EXTENSIONS_ENABLED: true,
      LISTEN_ADDR: { host: '::', port: 8080 },
    });
  });

  it('settings report every fault at once and repeat no secret', () => {
    const faultySettings = {
      LISTEN_ADDR: '8080',
      DB_DRIVER: 'mysql',
      DATA_KEY: 'hunter2-hunter2',
      EXTENSIONS_ENABLED: 'yes',
      RATE_API_PER_MINUTE: '-1',
      RATE_IP_PER_MINUTE: '1e3',
      BASE_URL: 'ftp://x',
      LOG_LEVEL: 'loud',
    };
    let faults: readonly string[] = [];
    try {
      readConfig(faultySettings);
    } catch (error) {
      faults = (error as ConfigurationFaults).faults;
    }
    expect(faults.map((fault) => fault.split(' ')[0])).toEqual(expect.arrayContaining(Object.keys(faultySettings)));
    expect(faults.join()).not.toContain('hunter2');
  });

  it.each(['AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=', 'c2hvcnQ=', '0'.repeat(64), 'x'])(
    'settings refuse the DATA_KEY %s',
    (key) => {
      expect(() => readConfig({ DATA_KEY: key })).toThrow('DATA_KEY');
    },
  );
});
