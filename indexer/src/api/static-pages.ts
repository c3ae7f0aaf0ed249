/**
 * The one web page: paste a transaction, paste a root. Plain files, no frameworks, nothing from elsewhere; the policy
 * lets nothing else happen.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Fallback } from '@clockproof/platform/http/api';
import { mountDocumentation } from '@clockproof/platform/http/documentation';
import { createSite } from '@clockproof/platform/http/site';
import { serveStaticFile } from '@clockproof/platform/http/static-file';
import { packageFolder } from '../package-folder.js';

const headers = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-cache',
};
const files = [
  ['/', 'index.html'],
  ['/page.js', 'page.js'],
  ['/words.js', 'words.js'],
  ['/page.css', 'page.css'],
] as const;

/** @param docsFolder where the built documentation lies */
export function createPages(docsFolder = join(packageFolder, '../dist/docs')): Fallback {
  return createSite((site) => {
    mountDocumentation(site, {
      folder: docsFolder,
      baseUrl: undefined,
      documents: {
        '/api/v1/openapi.json': 'indexer-openapi.json',
        '/api/v1/openapi-3.0.json': 'indexer-openapi-3.0.json',
      },
      reference: 'reference/indexer.html',
    });
    for (const [path, name] of files)
      site.get(path, serveStaticFile({ name, body: readFileSync(join(packageFolder, 'web', name)), headers }));
  });
}
