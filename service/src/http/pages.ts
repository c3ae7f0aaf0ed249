/**
 * The web application: its HTML at the addresses of its pages, its hashed files under /assets. If the build is missing,
 * a notice is served in place of the pages. The policy lets in no script and no style but its own files (the notice
 * brings one style, by its hash), no frame, and no words of another page's address.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DocumentationNeeds, mountDocumentation } from '@clockproof/platform/http/documentation';
import { filesIn, type MountPages } from '@clockproof/platform/http/pages';
import { mountSecurityTxt, type SecurityTxtNeeds } from '@clockproof/platform/http/security-txt';
import type { Request, RequestHandler } from 'express';
import { pagePaths } from './page-paths.js';
import { languageFor, plainPage, plainPageStyle } from './plain-page.js';

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
const plainHeaders = {
  ...page,
  'content-security-policy': policy.replace("style-src 'self'", `style-src ${plainPageStyle}`),
};
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

export interface PagesNeeds {
  /** Folder of the build: `index.html` and `assets/`. */
  readonly folder: string;
  /** Without extensions their pages do not exist. */
  readonly extensionsEnabled: boolean;
  readonly documentation?: DocumentationNeeds;
  readonly securityTxt?: SecurityTxtNeeds;
}

/** The application's HTML at the addresses of its pages, its files, and a sentence for mistyped addresses. */
export function createPages({ folder, extensionsEnabled, documentation, securityTxt }: PagesNeeds): MountPages {
  const application = existsSync(join(folder, 'index.html'))
    ? applicationIn(readFileSync(join(folder, 'index.html'), 'utf8'))
    : html(notBuilt, 503, plainHeaders);
  const availablePaths = pagePaths.filter((path) => extensionsEnabled || !path.startsWith('/admin/extensions'));
  return (pages) => {
    if (documentation !== undefined) mountDocumentation(pages, documentation);
    if (securityTxt !== undefined) mountSecurityTxt(pages, securityTxt);
    pages.get([...availablePaths], application);
    pages.use('/assets', filesIn(join(folder, 'assets'), unchanging));
    pages.get(/^\/[^/]+\.(?:svg|ico|txt)$/, filesIn(folder, { ...guards, 'cache-control': 'no-cache' }));
    // A person who mistyped an address in a browser reads a sentence; programs get the contract's 404, which counts
    // against their limit.
    pages.use((request, response, next) => {
      if (isNavigation(request)) notFound(request, response, next);
      else next();
    });
  };
}

const html =
  (text: string, status: number, headers: Readonly<Record<string, string>>): RequestHandler =>
  (_, response) =>
    void response
      .status(status)
      .set({ ...headers, 'x-content-type-options': 'nosniff' })
      .type('html')
      .send(text);

const notFound: RequestHandler = (request, response, next) => {
  const language = languageFor(request.headers['accept-language']);
  return html(plainPage({ language, leadsHome: true, ...noSuchPage[language] }), 404, plainHeaders)(
    request,
    response,
    next,
  );
};

/**
 * Without a cookie there is no session: the application learns that, and does not ask for one only to be refused, which
 * browsers show as an error.
 */
function applicationIn(text: string): RequestHandler {
  const pageHtml = html(text, 200, page);
  const visitor = html(text.replace('<html ', '<html data-visitor '), 200, page);
  return (request, response, next) =>
    (request.headers.cookie === undefined ? visitor : pageHtml)(request, response, next);
}

function isNavigation({ headers, originalUrl }: Request): boolean {
  return headers['sec-fetch-mode'] === 'navigate' && !/^\/(api|app|oauth|assets|\.well-known)(\/|$)/.test(originalUrl);
}
