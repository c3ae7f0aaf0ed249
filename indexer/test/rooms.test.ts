/** The folders of the indexer and who may import whom. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { packageFolder } from '../src/package-folder.js';

/** Folders and root files in the order in which they build on each other: each imports only what stands before it. */
const order = [
  'generated',
  'package-folder.ts',
  'sleep.ts',
  'v8-flags.ts',
  'ledger',
  'config.ts',
  'store',
  'follow',
  'api',
  'commands',
  'indexer.ts',
  'main.ts',
];
const source = join(packageFolder, 'src');

function filesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return filesBelow(path);
    return path.endsWith('.ts') && !path.endsWith('.test.ts') ? [relative(source, path)] : [];
  });
}

const files = filesBelow(source).filter((file) => !file.startsWith('generated/'));
const textOf = (file: string) => readFileSync(join(source, file), 'utf8');
const importsOf = (file: string) =>
  [...textOf(file).matchAll(/^\s*(?:import|export)\b[^;]*?from '(\.[^']+)';|^import '(\.[^']+)';/gm)].map((match) =>
    relative(source, join(source, file, '..', (match[1] ?? match[2])!)).replace(/\.js$/, '.ts'),
  );
const placeOf = (file: string) => order.indexOf(order.includes(file) ? file : file.split('/')[0]!);

/** The first import cycle that starts at a file, as the list of files along it. */
function cycleFrom(file: string, path: readonly string[], finished: Set<string>): string[] | undefined {
  if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
  if (finished.has(file)) return undefined;
  for (const other of importsOf(file).filter((name) => files.includes(name))) {
    const cycle = cycleFrom(other, [...path, file], finished);
    if (cycle !== undefined) return cycle;
  }
  finished.add(file);
  return undefined;
}

describe('the folders of the indexer', () => {
  it('all have a place in the order', () => {
    expect(files.filter((file) => placeOf(file) < 0)).toEqual([]);
    expect(files.length).toBeGreaterThan(30);
  });

  it('import only from folders before them', () => {
    const upward = files.flatMap((file) =>
      importsOf(file)
        .filter((other) => placeOf(other) > placeOf(file))
        .map((other) => `${file} imports ${other}`),
    );
    expect(upward).toEqual([]);
  });

  it('contain no import cycle, not even of types', () => {
    const finished = new Set<string>();
    expect(files.map((file) => cycleFrom(file, [], finished)).filter((cycle) => cycle !== undefined)).toEqual([]);
  });

  it('set the V8 flags before anything else is loaded', () => {
    expect(/^import .*/m.exec(textOf('main.ts'))![0]).toBe("import './v8-flags.js';");
  });

  it('keep SQL in store/', () => {
    const sql = /\b(?:SELECT|INSERT INTO|DELETE FROM|UPDATE)\s+[a-z_*]+\b[^']*\b(?:FROM|VALUES|SET|WHERE)\b/;
    expect(files.filter((file) => !file.startsWith('store/') && sql.test(textOf(file)))).toEqual([]);
  });

  it('read clock, randomness and environment only at the edge', () => {
    const impure = /\bnew Date\(\)|Date\.now\b|Math\.random\b|process\.env\b|performance\.now\b/;
    expect(files.filter((file) => impure.test(textOf(file)))).toEqual(['indexer.ts', 'main.ts']);
  });
});
