/**
 * Makes the page one file, with the hashes of its script and style in its policy.
 * `node indexer/verifier/build.mjs` writes it where the index serves it.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const folder = dirname(fileURLToPath(import.meta.url));
const read = (path) => readFileSync(join(folder, path), 'utf8');
const hashOf = (text) => `sha256-${createHash('sha256').update(text).digest('base64')}`;

/** @returns {Promise<string>} the page */
async function buildPage() {
  const [{ output }] = [
    await build({
      configFile: false,
      root: folder,
      logLevel: 'warn',
      build: {
        write: false,
        target: 'es2022',
        lib: { entry: 'page.js', formats: ['es'], fileName: 'page' },
        minify: true,
      },
    }),
  ].flat();
  // `</` would end the script element; in code it stands in strings alone.
  const script = output[0].code.replaceAll('</', '<\\/');
  const style = read('../web/page.css') + read('page.css');
  return read('page.html')
    .replace('SCRIPT-HASH', hashOf(script))
    .replace('STYLE-HASH', hashOf(style))
    .replace('STYLE', () => style)
    .replace('SCRIPT', () => script);
}

const target = join(folder, '../dist/verifier/check-a-file.html');
mkdirSync(dirname(target), { recursive: true });
writeFileSync(target, await buildPage());
