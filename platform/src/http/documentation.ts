/**
 * The documentation that an installation serves about itself: the pages that `make docs` builds, under /docs, and the
 * documents that describe its APIs, at addresses which programs find by RFC 9727. Everything here may be read from
 * anywhere. Without the build there is none of it.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Router } from 'express';
import { serveStaticFile } from './static-file.js';

export interface DocumentationNeeds {
  /** Where the build lies: `index.html` and everything it links to. */
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

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  // The interactive reference sets styles in elements.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
const readable = { 'access-control-allow-origin': '*', 'cache-control': 'public, max-age=300' };
const page = { ...readable, 'content-security-policy': policy, 'referrer-policy': 'no-referrer' };

export function mountDocumentation(
  site: Pick<Router, 'get'>,
  { folder, baseUrl, documents, reference, present = (document) => document }: DocumentationNeeds,
): void {
  if (!existsSync(join(folder, 'index.html'))) return;
  // Read once, when they are first asked for: most installations are asked for few of them.
  const served = new Map<string, Serve>();
  const serve = (path: string, read: () => Buffer, headers: Readonly<Record<string, string>>): Serve => {
    const known = served.get(path) ?? serveStaticFile({ name: path, body: read(), headers });
    served.set(path, known);
    return known;
  };
  const files = new Set(
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/')),
  );
  site.get('/docs', (_, response) => response.redirect(308, '/docs/'));
  site.get('/docs/', (request, response) =>
    serve('index.html', () => readFileSync(join(folder, 'index.html')), page)(request, response),
  );
  site.get('/docs/*path', (request, response, next) => {
    const path = (request.params['path'] as unknown as readonly string[]).join('/');
    if (!files.has(path) || !/\.[a-z0-9]+$/.test(path)) return next();
    serve(path, () => readFileSync(join(folder, path)), page)(request, response);
  });
  site.get('/llms.txt', (request, response) =>
    serve('llms.txt', () => readFileSync(join(folder, 'llms.txt')), page)(request, response),
  );
  for (const [address, file] of Object.entries(documents))
    site.get(address, (request, response) =>
      serve(address, () => documentOf(join(folder, file), { baseUrl, files, present }), readable)(request, response),
    );
  // RFC 9727 §4: the catalogue is a linkset (RFC 9264).
  const absolute = (path: string) => `${baseUrl ?? ''}${path}`;
  const catalogue = Buffer.from(
    JSON.stringify({
      linkset: [
        {
          anchor: absolute('/.well-known/api-catalog'),
          'service-desc': Object.keys(documents).map((address) => ({
            href: absolute(address),
            type: 'application/json',
          })),
          'service-doc': [{ href: absolute(`/docs/${reference}`), type: 'text/html' }],
        },
      ],
    }),
  );
  site.get('/.well-known/api-catalog', (request, response) => {
    response.writeHead(200, {
      ...readable,
      'content-type': 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
      'content-length': catalogue.length,
    });
    response.end(request.method === 'HEAD' ? undefined : catalogue);
  });
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
  {
    baseUrl,
    files,
    present,
  }: { readonly baseUrl: string | undefined; readonly files: ReadonlySet<string> } & Required<
    Pick<DocumentationNeeds, 'present'>
  >,
): Buffer {
  const document = present(JSON.parse(readFileSync(file, 'utf8'))) as Described;
  if (baseUrl === undefined) return Buffer.from(JSON.stringify(document));
  const info = {
    ...document.info,
    ...(files.has('terms.html') ? { termsOfService: `${baseUrl}/docs/terms.html` } : {}),
    contact: { ...document.info?.contact, url: `${baseUrl}/docs/` },
  };
  const { protocol, host } = new URL(baseUrl);
  const own =
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
  return Buffer.from(JSON.stringify(own));
}
