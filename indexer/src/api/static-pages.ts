/**
 * The one web page: paste a transaction, paste a root. Plain files, no frameworks, nothing from elsewhere; the policy
 * lets nothing else happen.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Fallback } from '@clockproof/platform/http/api';
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

export function createPages(): Fallback {
  return createSite((site) => {
    for (const [path, name] of files)
      site.get(path, serveStaticFile({ name, body: readFileSync(join(packageFolder, 'web', name)), headers }));
  });
}
