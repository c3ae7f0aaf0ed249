// Deals test files over a few that import them, in .reports/shards-NAME: Jest loads the product for each file that it
// runs, and loading it takes half of the processor time of an ordinary test file.
// Hooks outside of a `describe`, timeouts and mocks of modules hold for a whole shard: a file that has them is alone.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';

const shards = 8;
const [name, ...selection] = process.argv.slice(2);
const folder = `.reports/shards-${name}`;
const holdsForAll =
  /^(\S.*)?\b((before|after)(All|Each)|use[A-Z]\w*)\(|\bjest\.(setTimeout|mock|unstable_mockModule)\(/m;

const size = (file) => statSync(file).size;
const files = execFileSync('npx', ['jest', '--listTests', ...selection], { encoding: 'utf8' })
  .trim()
  .split('\n')
  .sort((a, b) => size(b) - size(a));

const contents = new Map();
let dealt = 0;
for (const file of files) {
  const path = relative('.', file);
  const isAlone = holdsForAll.test(readFileSync(file, 'utf8'));
  const shard = isAlone ? path.replace('.test.ts', '').replaceAll('/', '-') : `${(dealt++ % shards) + 1}`;
  contents.set(shard, `${contents.get(shard) ?? ''}import '../../${path}';\n`);
}

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const [shard, imports] of contents) writeFileSync(`${folder}/${shard}.test.js`, imports);
console.log(`${files.length} test files, ${dealt} of them in ${shards} shards`);
