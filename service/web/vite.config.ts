import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Vite wraps each import() in a loader of preloads. There is nothing to preload: a page is its import. */
const plainImports: Plugin = {
  name: 'plain-imports',
  enforce: 'pre',
  load: (id) => (id.includes('vite/preload-helper') ? 'export const __vitePreload = (load) => load();' : undefined),
};

/** Files that compress lie beside their compressed form, so that no process has to compress them again. */
const brotliFiles: Plugin = {
  name: 'brotli-files',
  apply: 'build',
  // Written, not generated: other plugins change what is generated until the end.
  async writeBundle({ dir = '' }, bundle) {
    const names = Object.keys(bundle).filter((name) => /^assets\/.*\.(js|css|svg)$/.test(name));
    await Promise.all(
      names.map(async (name) => {
        const body = await readFile(join(dir, name));
        if (body.length > 1_024) await writeFile(join(dir, `${name}.br`), await compress(body));
      }),
    );
  },
};
const compress = promisify(brotliCompress);

export default defineConfig({
  plugins: [react(), plainImports, brotliFiles],
  // Also for what imports wouter elsewhere.
  resolve: { alias: { wouter: fileURLToPath(new URL('src/shell/router.tsx', import.meta.url)) } },
  // The policy of the pages knows no data: addresses, so nothing is put inline.
  build: {
    outDir: 'dist',
    assetsInlineLimit: 0,
    // One style sheet, so that no page has to wait for its own; pages are loaded ahead when the first one stands
    // (lazy-page.tsx), which leaves nothing for Vite's own preloading.
    cssCodeSplit: false,
    modulePreload: false,
    target: 'es2022',
    sourcemap: false,
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // What every first page needs is one file: it compresses better than ten.
          groups: [{ name: 'first', tags: ['$initial'] }],
        },
      },
    },
  },
});
