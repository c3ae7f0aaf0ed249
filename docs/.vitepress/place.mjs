// Where the site is served, and where it is built: the one that the service serves stays when another is built.
import { fileURLToPath } from 'node:url';

export const base = process.env.DOCS_BASE || '/docs/';
export const target = fileURLToPath(
  new URL(base === '/docs/' ? '../../dist/docs' : '../../dist/site', import.meta.url),
);
