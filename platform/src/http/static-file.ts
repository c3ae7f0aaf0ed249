/**
 * One file of a page, held in memory and served with its type, a tag to ask again with, and whatever policy the page
 * has.
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname } from 'node:path';
import { brotliCompress, gzipSync } from 'node:zlib';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.ico': 'image/x-icon',
  '.json': 'application/json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  // RFC 9512
  '.yaml': 'application/yaml',
  '.zip': 'application/zip',
  // RFC 7763
  '.md': 'text/markdown; charset=utf-8',
};

/** @throws Error for a kind of file that no page of ours has, so that none goes out with a guessed type */
export function contentTypeOf(name: string): string {
  const type = types[extname(name)];
  if (type === undefined) throw new Error(`${name}: no content type for this kind of file`);
  return type;
}

export interface StaticFile {
  readonly name: string;
  readonly body: Buffer;
  /** The body as the build compressed it. Without it the first request that takes brotli has it compressed. */
  readonly brotli?: Buffer;
  readonly status?: number;
  /** Beside content-type, etag and nosniff. */
  readonly headers: Readonly<Record<string, string>>;
}

/** What has been compressed, by its tag: a process may serve one build several times, as tests do. */
const compressions = new Map<string, { gzip?: Buffer; brotli?: Buffer | 'asked' }>();

/**
 * Answers GET and HEAD (RFC 9110 §9.3), 304 where the client has it already, compressed where the client wants it and
 * it pays.
 */
export function serveStaticFile({
  name,
  body,
  brotli,
  status = 200,
  headers,
}: StaticFile): (request: IncomingMessage, response: ServerResponse) => void {
  const type = contentTypeOf(name);
  let made: (Readonly<Record<string, string>> & { readonly etag: string }) | undefined;
  const tagged = () => {
    made ??= {
      ...headers,
      'content-type': type,
      'x-content-type-options': 'nosniff',
      etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`,
      vary: 'accept-encoding',
    };
    return made;
  };
  const compressible = body.length > 1_024 && /^(text|application|image\/svg)/.test(type);
  const kept = () => {
    const { etag } = tagged();
    const known = compressions.get(etag) ?? {};
    compressions.set(etag, known);
    return known;
  };
  const compressed = (): Buffer => {
    const known = kept();
    known.gzip ??= gzipSync(body, { level: 9 });
    return known.gzip;
  };
  // Brotli takes its time on a thread of its own: requests in the meantime get gzip.
  const smallest = (): Buffer | undefined => {
    if (brotli !== undefined) return brotli;
    const known = kept();
    if (known.brotli === undefined) {
      known.brotli = 'asked';
      brotliCompress(body, (problem, result) => {
        if (problem === null) known.brotli = result;
      });
    }
    return known.brotli === 'asked' ? undefined : known.brotli;
  };
  return (request, response) => {
    const common = tagged();
    if (status === 200 && request.headers['if-none-match'] === common.etag)
      return void response.writeHead(304, common).end();
    const accepted = compressible ? String(request.headers['accept-encoding'] ?? '') : '';
    const small = /\bbr\b/.test(accepted) ? smallest() : undefined;
    const zipped = small === undefined && /\bgzip\b/.test(accepted) ? compressed() : undefined;
    const sent = small ?? zipped ?? body;
    response.writeHead(status, {
      ...common,
      ...(small !== undefined
        ? { 'content-encoding': 'br' }
        : zipped !== undefined
          ? { 'content-encoding': 'gzip' }
          : {}),
      'content-length': sent.length,
    });
    response.end(request.method === 'HEAD' ? undefined : sent);
  };
}
