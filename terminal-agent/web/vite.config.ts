import { defineConfig } from 'vite';

export default defineConfig({
  // The policy of the page knows no data: addresses, so nothing is put inline.
  build: {
    outDir: 'dist',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
    sourcemap: false,
  },
});
