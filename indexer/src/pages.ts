/** The one web page: paste a transaction, paste a root. Plain files, no frameworks, nothing from elsewhere; the policy lets nothing else happen. */
import { readFileSync } from 'node:fs';
import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { packageFolder } from './package-folder.js';

const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
const files = [
  ['/', 'index.html', 'text/html; charset=utf-8'],
  ['/page.js', 'page.js', 'text/javascript; charset=utf-8'],
  ['/words.js', 'words.js', 'text/javascript; charset=utf-8'],
  ['/page.css', 'page.css', 'text/css; charset=utf-8'],
] as const;

export function createPages(): Readonly<Record<string, (request: IncomingMessage, response: ServerResponse) => void>> {
  return Object.fromEntries(files.flatMap(([path, name, type]) => {
    const body = readFileSync(join(packageFolder, 'web', name));
    const etag = `"${hash('sha256', body, 'base64url').slice(0, 27)}"`;
    const headers = {
      'content-type': type, 'content-security-policy': policy, 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer', 'cross-origin-opener-policy': 'same-origin',
      'cache-control': 'no-cache', etag,
    };
    const serve = (request: IncomingMessage, response: ServerResponse) => {
      if (request.headers['if-none-match'] === etag) return void response.writeHead(304, headers).end();
      response.writeHead(200, { ...headers, 'content-length': body.length });
      response.end(request.method === 'HEAD' ? undefined : body);
    };
    return [[`GET ${path}`, serve], [`HEAD ${path}`, serve]];
  }));
}
