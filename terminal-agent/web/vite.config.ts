import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

export default defineConfig({
  // The complete face: builds for the web leave out the letters and figures that `cv11` and `zero` select.
  resolve: { alias: { '~inter': dirname(fileURLToPath(import.meta.resolve('inter-ui/package.json'))) } },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  // The policy of the page knows no data: addresses, so nothing is put inline.
  build: {
    outDir: 'dist',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
    sourcemap: false,
  },
});
