/**
 * The web pages: compare a transaction with a root, and check a person's file. Plain files, no frameworks, nothing from
 * elsewhere; the policies let nothing else happen.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { documentationIn, mountDocumentation } from '@clockproof/platform/http/documentation';
import { filesIn, type MountPages } from '@clockproof/platform/http/pages';
import { mountSecurityTxt, type SecurityTxtNeeds } from '@clockproof/platform/http/security-txt';
import { packageFolder } from '../package-folder.js';

const headersWith = (policy: string) => ({
  'content-security-policy': `${policy}; frame-ancestors 'none'`,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-cache',
});
const headers = headersWith(
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'",
);
/** The page that checks a file, one file itself. It names its policy: the hashes of its script and style. */
const filePage = join(packageFolder, 'dist/verifier/check-a-file.html');
/** The folder of the built documentation. */
const docsFolder = join(packageFolder, '../dist/docs');

const isDocumented = documentationIn(docsFolder);

/** The page that explains the code of an error. @returns undefined where none is served, or its address is not known */
export const errorPage = (baseUrl: string | undefined): string | undefined =>
  baseUrl !== undefined && isDocumented() ? `${baseUrl}/docs/reference/errors.html` : undefined;

/** The page, the documentation and whom to tell about a vulnerability. */
export function createPages(needs: SecurityTxtNeeds): MountPages {
  return (pages) => {
    mountDocumentation(pages, {
      folder: docsFolder,
      baseUrl: needs.baseUrl,
      documents: {
        '/api/v1/openapi.json': 'indexer-openapi.json',
        '/api/v1/openapi-3.0.json': 'indexer-openapi-3.0.json',
      },
      reference: 'reference/indexer.html',
    });
    mountSecurityTxt(pages, needs);
    const files = filesIn(join(packageFolder, 'web'), headers);
    pages.get('/', (request, response, next) => {
      request.url = '/index.html';
      files(request, response, next);
    });
    pages.get(/^\/\w+\.(?:js|css)$/, files);
    pages.get('/check-a-file.html', (_request, response) => {
      const page = readFileSync(filePage, 'utf8');
      const policy = /content-security-policy" content="([^"]+)"/.exec(page)![1]!;
      response.set(headersWith(policy)).type('html').send(page);
    });
  };
}
