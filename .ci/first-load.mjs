// What an employee's browser loads before the start page works: the scripts of the HTML, with what they import, and the
// sentences of one language. Pages that are opened later do not count, nor does what is loaded once the page stands.
import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

/** Bytes of gzipped script. React with its DOM is the largest part of it. */
const budget = 150 * 1024;
const folder = 'service/web/dist/assets/';
const names = readdirSync(folder).filter((name) => name.endsWith('.js'));
const entries = [...readFileSync('service/web/dist/index.html', 'utf8').matchAll(/src="\/assets\/([^"]+\.js)"/g)];
// Of the languages the larger one.
const sentences = names
  .filter((name) => /^(de|en)-/.test(name))
  .sort((a, b) => readFileSync(folder + b).length - readFileSync(folder + a).length)[0];
if (entries.length === 0 || sentences === undefined) throw new Error('build the pages first: make build');

const loaded = new Set();
const load = (name) => {
  if (loaded.has(name)) return;
  loaded.add(name);
  const text = readFileSync(folder + name, 'utf8');
  for (const [, other] of text.matchAll(/(?:from|import)\s*["']\.\/([^"']+\.js)["']/g)) load(other);
};
for (const [, name] of entries) load(name);
load(sentences);
const sizes = [...loaded].map((name) => [name, gzipSync(readFileSync(folder + name), { level: 9 }).length]);
const sum = sizes.reduce((total, [, size]) => total + size, 0);
console.log(`first load of an employee: ${(sum / 1024).toFixed(1)} KB of gzipped script in ${sizes.length} files`);
if (sum > budget) {
  for (const [name, size] of sizes.sort((a, b) => b[1] - a[1])) console.error(`${(size / 1024).toFixed(1)} KB ${name}`);
  console.error(`at most ${budget / 1024} KB may be`);
  process.exit(1);
}
