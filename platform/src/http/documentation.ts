/**
 * The documentation that an installation serves about itself: the pages that `make docs` builds, under /docs, and the
 * documents that describe its APIs, at addresses which programs find by RFC 9727. Everything here may be read from
 * anywhere. Until the build is there, every address says so; it may come while the program runs.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import express, { type RequestHandler, type Response, type Router } from 'express';
import { entityTagOf, isNamed } from './conditional.js';

export interface DocumentationNeeds {
  /** The folder of the build: `index.html` and everything it links to. */
  readonly folder: string;
  /** Address of the installation, without a slash at the end, if it knows one. */
  readonly baseUrl: string | undefined;
  /** Files of the build that describe an API, by the address they are served at. */
  readonly documents: Readonly<Record<`/${string}.json`, string>>;
  /** The page of the build that explains these APIs. */
  readonly reference: string;
  /** A document as this installation offers it. */
  readonly present?: (document: unknown) => unknown;
}

/** @returns a function that tells whether the build is complete */
export function documentationIn(folder: string): () => boolean {
  let isBuilt = false;
  // The build writes it last.
  return () => (isBuilt ||= existsSync(join(folder, 'policy.json')));
}

const notBuilt = `The documentation has not been built yet. Where its build is running, as beside the first start of
"make run", it is here in about a minute. Otherwise build it: make docs
`;

const readable = { 'access-control-allow-origin': '*', 'cache-control': 'public, max-age=300' };

const catalogueAddress = '/.well-known/api-catalog';

export function mountDocumentation(
  site: Pick<Router, 'get' | 'use'>,
  { folder, baseUrl, documents, reference, present = (document) => document }: DocumentationNeeds,
): void {
  const isBuilt = documentationIn(folder);
  site.use(['/docs', '/llms.txt', catalogueAddress, ...Object.keys(documents)], (_, response, next) => {
    if (isBuilt()) next();
    else response.status(503).set({ 'retry-after': '30', 'cache-control': 'no-store' }).type('text').send(notBuilt);
  });
  const files = filesOf(folder);
  site.get('/docs', (_, response) => response.redirect(308, '/docs/'));
  site.use('/docs', files);
  site.get('/llms.txt', files);
  const absolute = (path: string) => `${baseUrl ?? ''}${path}`;
  for (const [address, file] of Object.entries(documents)) {
    // Read once, when it is first asked for: most installations are asked for few of them.
    let body: Buffer | undefined;
    site.get(address, (_, response) => {
      body ??= documentOf(join(folder, file), { baseUrl, present });
      send(response, 'application/json; charset=utf-8', body);
    });
  }
  // RFC 9727 §4: the catalogue is a linkset (RFC 9264).
  const catalogue = {
    linkset: [
      {
        anchor: absolute(catalogueAddress),
        'service-desc': Object.keys(documents).map((address) => ({
          href: absolute(address),
          type: 'application/json',
        })),
        'service-doc': [{ href: absolute(`/docs/${reference}`), type: 'text/html' }],
      },
    ],
  };
  const body = Buffer.from(JSON.stringify(catalogue));
  site.get(catalogueAddress, (_, response) =>
    send(response, 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"', body),
  );
}

/** Answers 304 if the client has it already. Programs that say so also say `no-cache`, by which express sends all. */
function send(response: Response, type: string, body: Buffer): void {
  const etag = entityTagOf(body);
  response.set({ ...readable, 'content-type': type, 'x-content-type-options': 'nosniff', etag });
  if (isNamed(etag, response.req.headers['if-none-match'])) response.status(304).end();
  else response.send(body);
}

/** The files of the build. */
function filesOf(folder: string): RequestHandler {
  const headers = { ...readable, 'referrer-policy': 'no-referrer', 'x-content-type-options': 'nosniff' };
  let policy: string | undefined;
  return express.static(folder, {
    redirect: false,
    cacheControl: false,
    lastModified: false,
    setHeaders(response, path) {
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      policy ??= policyOf(folder);
      response.setHeader('content-security-policy', policy);
      // RFC 9512
      if (path.endsWith('.yaml')) response.setHeader('content-type', 'application/yaml');
      // The build names these by their content.
      if (/[\\/]assets[\\/]/.test(path)) response.setHeader('cache-control', 'public, max-age=31536000, immutable');
    },
  });
}

/** Pages run the files of the site, and the scripts that the build wrote into them. */
function policyOf(folder: string): string {
  const { scripts } = JSON.parse(readFileSync(join(folder, 'policy.json'), 'utf8')) as { scripts: readonly string[] };
  return [
    "default-src 'none'",
    `script-src 'self' ${scripts.join(' ')}`,
    // Highlighted samples, and the interactive reference, set styles in elements.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

interface Described {
  readonly openapi?: string;
  readonly info?: { readonly contact?: object };
  readonly servers?: Readonly<Record<string, { readonly host: string }>>;
}

/**
 * With the address of the installation as its server, so that generated clients and forms reach this one, and with the
 * addresses of its documentation and terms: a document in the repository knows none of them.
 */
function documentOf(
  file: string,
  { baseUrl, present }: { readonly baseUrl: string | undefined } & Required<Pick<DocumentationNeeds, 'present'>>,
): Buffer {
  const document = present(JSON.parse(readFileSync(file, 'utf8'))) as Described;
  if (baseUrl === undefined) return Buffer.from(JSON.stringify(document));
  const info = {
    ...document.info,
    termsOfService: `${baseUrl}/docs/terms.html`,
    contact: { ...document.info?.contact, url: `${baseUrl}/docs/` },
  };
  const { protocol, host } = new URL(baseUrl);
  const installedDocument =
    document.openapi === undefined
      ? {
          ...document,
          info,
          servers: {
            ...document.servers,
            installation: {
              ...document.servers?.['installation'],
              host,
              protocol: protocol === 'https:' ? 'wss' : 'ws',
            },
          },
        }
      : {
          ...document,
          info,
          servers: [{ url: baseUrl, description: 'This installation' }],
          externalDocs: { url: `${baseUrl}/docs/`, description: 'Guides, errors and permissions' },
        };
  return Buffer.from(JSON.stringify(installedDocument));
}
