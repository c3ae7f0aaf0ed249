import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The page of the demo, which the demo serves itself: it is no part of the product's pages. */
export default defineConfig({
  plugins: [react()],
  publicDir: '../public',
  build: {
    outDir: '../../dist/demo-page',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
  },
});
