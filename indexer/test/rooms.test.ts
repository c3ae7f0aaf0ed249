/** What the order of imports (`.dependency-cruiser.mjs`) cannot say. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { packageFolder } from '../src/package-folder.js';

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

describe('the folders of the indexer', () => {
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
