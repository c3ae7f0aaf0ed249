/** What is shipped beside the program: units, proxies, and the page that says what to do with them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(root + path, 'utf8');
const page = read('docs/operations/install.md') + read('docs/operations/tls.md');

/** `a{b,c}` is two names. */
const expand = (name: string): string[] => {
  const [, before, list, after] = /^(.*)\{(.*)\}(.*)$/.exec(name) ?? [];
  return list === undefined ? [name] : list.split(',').map((part) => before! + part + after!);
};

describe('what is shipped', () => {
  it('has every file that the pages name', () => {
    const named = [...page.matchAll(/\/opt\/clockproof\/(service\/packaging\/[^\s`]+)/g)].flatMap(([, path]) =>
      expand(path!),
    );
    expect(named).toEqual(expect.arrayContaining(['service/packaging/systemd/clockproof-backup.timer']));
    expect(named.filter((path) => !existsSync(root + path))).toEqual([]);
  });

  const folder = 'service/packaging/systemd/';
  it.each(readdirSync(root + folder).filter((name) => name.endsWith('.service')))('%s starts Node', (name) => {
    const unit = read(folder + name);
    // Node is killed at its start if V8 may not ask for memory keys, and at its first odd system call without the second.
    expect(unit).toMatch(/^SystemCallFilter=@system-service @pkey$/m);
    expect(unit).toMatch(/^SystemCallErrorNumber=EPERM$/m);
    expect(unit).not.toMatch(/^MemoryDenyWriteExecute=yes/m);
    const [, program] = /\/opt\/clockproof\/bin\/([a-z-]+)/.exec(unit) ?? [];
    expect(['clockproof', 'clockproof-indexer']).toContain(program);
  });
});
