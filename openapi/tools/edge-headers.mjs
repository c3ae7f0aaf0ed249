// Headers that stand on every answer. They are documented on every response, and written once:
// by hand they would be forgotten on most of some 1,500 responses.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const folder = join(import.meta.dirname, '..', 'headers');
const read = (file) => parse(readFileSync(join(folder, file), 'utf8'));
const methods = ['get', 'put', 'post', 'delete', 'patch'];

/**
 * @param {object} document a bundled OpenAPI document
 * @returns the document with these headers on each response that does not describe them itself
 */
export function withEdgeHeaders(document) {
  const { NoSniff, Caching, StrictTransportSecurity, AllowOrigin } = read('edge.yaml');
  const { RequestId, RateLimit, RateLimitPolicy } = read('shared.yaml');
  const readableAnywhere = Object.keys(document.paths ?? {}).some((path) => path.startsWith('/api/'));
  const headers = {
    'X-Request-Id': ['RequestId', RequestId],
    RateLimit: ['RateLimit', RateLimit],
    'RateLimit-Policy': ['RateLimitPolicy', RateLimitPolicy],
    'Cache-Control': ['Caching', Caching],
    'X-Content-Type-Options': ['NoSniff', NoSniff],
    'Strict-Transport-Security': ['StrictTransportSecurity', StrictTransportSecurity],
    ...(readableAnywhere ? { 'Access-Control-Allow-Origin': ['AllowOrigin', AllowOrigin] } : {}),
  };
  const references = Object.fromEntries(
    Object.entries(headers).map(([header, [name]]) => [header, { $ref: `#/components/headers/${name}` }]),
  );
  // An upgrade leaves HTTP; what it answers is its own.
  const complete = (responses) =>
    Object.fromEntries(
      Object.entries(responses).map(([status, response]) => [
        status,
        response.$ref !== undefined || status === '101'
          ? response
          : { ...response, headers: { ...references, ...response.headers } },
      ]),
    );
  const operation = (operation) => ({ ...operation, responses: complete(operation.responses ?? {}) });
  return {
    ...document,
    paths: Object.fromEntries(
      Object.entries(document.paths ?? {}).map(([path, item]) => [
        path,
        Object.fromEntries(
          Object.entries(item).map(([key, value]) => [key, methods.includes(key) ? operation(value) : value]),
        ),
      ]),
    ),
    components: {
      ...document.components,
      responses: complete(document.components?.responses ?? {}),
      headers: { ...document.components?.headers, ...Object.fromEntries(Object.values(headers)) },
    },
  };
}
