import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const source = fileURLToPath(new URL('../src', import.meta.url));
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
/** What a file loads; types alone load nothing. */
const importsOf = (file: string) =>
  [...readFileSync(join(source, file), 'utf8').matchAll(/^import (?!type )[^;]*?from '(\.[^']+)\.js';/gm)].map(
    ([, path]) => normalize(join(dirname(file), `${path}.ts`)),
  );

describe('the files of the platform', () => {
  it('load each other without a cycle', () => {
    const clear = new Set<string>();
    const visit = (file: string, trail: readonly string[]): void => {
      expect(trail.includes(file) ? [...trail, file] : []).toEqual([]);
      if (clear.has(file)) return;
      for (const next of importsOf(file)) visit(next, [...trail, file]);
      clear.add(file);
    };
    for (const file of files) visit(file, []);
    expect(clear.size).toBeGreaterThan(30);
  });

  it('know nothing of the products that stand on them', () => {
    for (const file of files)
      expect([
        file,
        readFileSync(join(source, file), 'utf8').match(/from '@clockproof\/|\.\.\/(?:service|indexer)\//),
      ]).toEqual([file, null]);
  });
});
