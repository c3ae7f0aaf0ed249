/**
 * The web application: its HTML at the addresses of its pages, its hashed files under /assets. Read once at start; if
 * the build is missing, a notice is served in place of the pages.
 * The policy lets in no script and no style but its own files (the notice brings one
 * style, by its hash), no frame, and no words of another page's address.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Fallback } from '@clockproof/platform/http/api';
import { type DocumentationNeeds, mountDocumentation } from '@clockproof/platform/http/documentation';
import { mountSecurityTxt, type SecurityTxtNeeds } from '@clockproof/platform/http/security-txt';
import { createSite } from '@clockproof/platform/http/site';
import { serveStaticFile } from '@clockproof/platform/http/static-file';
import { languageFor, plainPage, plainPageStyle } from '../shared/plain-page.js';
import { pagePaths } from './page-paths.js';

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');
const guards = {
  'content-security-policy': policy,
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), usb=(), payment=()',
};
const page = { ...guards, 'cache-control': 'no-store' };
const plain = { ...page, 'content-security-policy': policy.replace("style-src 'self'", `style-src ${plainPageStyle}`) };
const unchanging = { ...guards, 'cache-control': 'public, max-age=31536000, immutable' };

const notBuilt = plainPage({
  language: 'en',
  title: 'The pages have not been built',
  content: '<p>The API answers. To build the pages, run <code>make build</code> and start the service again.</p>',
  leadsHome: false,
});
const noSuchPage = {
  de: {
    title: 'Diese Seite gibt es nicht',
    content:
      '<p>Vielleicht ist die Adresse falsch geschrieben, oder diese Installation bietet die Seite nicht an.</p><p><a href="/">Zur Startseite</a></p>',
  },
  en: {
    title: 'There is no such page',
    content:
      '<p>The address may be mistyped, or the page is not offered in this installation.</p><p><a href="/">To the start page</a></p>',
  },
} as const;

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

export interface PagesNeeds {
  /** Where the build lies: `index.html` and `assets/`. */
  readonly folder: string;
  /** Without extensions their pages do not exist. */
  readonly extensionsEnabled: boolean;
  readonly documentation?: DocumentationNeeds;
  readonly securityTxt?: SecurityTxtNeeds;
}

/** The application's HTML at the addresses of its pages, its files, and a sentence for mistyped addresses. */
export function createPages({ folder, extensionsEnabled, documentation, securityTxt }: PagesNeeds): Fallback {
  const built = existsSync(join(folder, 'index.html'));
  const html = (text: string | Buffer, status = 200) =>
    serveStaticFile({ name: 'index.html', body: Buffer.from(text), status, headers: status === 200 ? page : plain });
  const application = built
    ? applicationIn(readFileSync(join(folder, 'index.html'), 'utf8'), html)
    : html(notBuilt, 503);
  const missingIn = {
    de: html(plainPage({ language: 'de', leadsHome: true, ...noSuchPage.de }), 404),
    en: html(plainPage({ language: 'en', leadsHome: true, ...noSuchPage.en }), 404),
  };
  const missing: Serve = (request, response) =>
    missingIn[languageFor(request.headers['accept-language'])](request, response);
  const files = new Map<string, Serve>();
  if (built) {
    const assets = new Set(readdirSync(join(folder, 'assets')));
    const read = (name: string) => readFileSync(join(folder, 'assets', name));
    for (const name of assets) {
      if (name.endsWith('.br')) continue;
      const brotli = assets.has(`${name}.br`) ? { brotli: read(`${name}.br`) } : {};
      files.set(`/assets/${name}`, serveStaticFile({ name, body: read(name), ...brotli, headers: unchanging }));
    }
    for (const name of readdirSync(folder).filter((file) => /\.(svg|ico|txt)$/.test(file)))
      files.set(
        `/${name}`,
        serveStaticFile({
          name,
          body: readFileSync(join(folder, name)),
          headers: { ...guards, 'cache-control': 'no-cache' },
        }),
      );
  }
  const offered = pagePaths.filter((path) => extensionsEnabled || !path.startsWith('/admin/extensions'));
  return createSite((site) => {
    if (documentation !== undefined) mountDocumentation(site, documentation);
    if (securityTxt !== undefined) mountSecurityTxt(site, securityTxt);
    site.get([...offered], application);
    site.get(['/:file', '/assets/:file'], (request, response, next) => {
      const file = files.get(request.path);
      if (file === undefined) next();
      else file(request, response);
    });
    // A person who mistyped an address in a browser reads a sentence; programs get the contract's 404, which counts
    // against their limit.
    site.use((request, response, next) => {
      if (isNavigation(request)) missing(request, response);
      else next();
    });
  });
}

/**
 * Without a cookie there is no session: the application learns that, and does not ask for one only to be refused, which
 * browsers show as an error.
 */
function applicationIn(text: string, html: (text: string) => Serve): Serve {
  const known = html(text);
  const visitor = html(text.replace('<html ', '<html data-visitor '));
  return (request, response) => (request.headers.cookie === undefined ? visitor : known)(request, response);
}

function isNavigation({ headers, url }: IncomingMessage): boolean {
  return headers['sec-fetch-mode'] === 'navigate' && !/^\/(api|app|oauth|assets|\.well-known)(\/|$)/.test(url ?? '/');
}
