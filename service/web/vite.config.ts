import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { bundledPackages } from '../packaging/bundled-packages.mjs';

/** Vite wraps each import() in a loader of preloads. There is nothing to preload: a page is its import. */
const plainImports: Plugin = {
  name: 'plain-imports',
  enforce: 'pre',
  load: (id) => (id.includes('vite/preload-helper') ? 'export const __vitePreload = (load) => load();' : undefined),
};

export default defineConfig({
  plugins: [react(), plainImports, bundledPackages(fileURLToPath(new URL('../../', import.meta.url)), 'web')],
  // Also for packages that import wouter.
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
          // The needs of every first page are one file: it compresses better than ten.
          groups: [{ name: 'first', tags: ['$initial'] }],
        },
      },
    },
  },
});
