// Headers that stand on every answer. They are documented on every response, and written once:
// by hand they would be forgotten on most of some 1,500 responses.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const folder = join(import.meta.dirname, '..', 'headers');
const read = (file) => parse(readFileSync(join(folder, file), 'utf8'));
const methods = ['get', 'put', 'post', 'delete', 'patch'];

/** Where each is written. */
const pieces = {
  'X-Request-Id': ['shared.yaml', 'RequestId'],
  RateLimit: ['shared.yaml', 'RateLimit'],
  'RateLimit-Policy': ['shared.yaml', 'RateLimitPolicy'],
  'Cache-Control': ['edge.yaml', 'Caching'],
  'X-Content-Type-Options': ['edge.yaml', 'NoSniff'],
  'Strict-Transport-Security': ['edge.yaml', 'StrictTransportSecurity'],
  'Access-Control-Allow-Origin': ['edge.yaml', 'AllowOrigin'],
  'Access-Control-Expose-Headers': ['edge.yaml', 'ExposedHeaders'],
};

/** The lint reads the sources: this preprocessor of Redocly shows it these headers on each response. */
export const headersOfEveryAnswer = () => ({
  Response(response, { key }) {
    if (key === '101') return;
    const references = Object.entries(pieces).map(([header, [file, name]]) => [
      header,
      { $ref: `${join(folder, file)}#/${name}` },
    ]);
    response.headers = { ...Object.fromEntries(references), ...response.headers };
  },
});

/**
 * @param {object} document a bundled OpenAPI document
 * @returns the document with these headers on each response that does not describe them itself
 */
export function withEdgeHeaders(document) {
  const files = { 'shared.yaml': read('shared.yaml'), 'edge.yaml': read('edge.yaml') };
  const readableAnywhere = Object.keys(document.paths ?? {}).some((path) => path.startsWith('/api/'));
  const headers = Object.entries(pieces).filter(
    ([header]) => readableAnywhere || !header.startsWith('Access-Control-'),
  );
  const references = Object.fromEntries(
    headers.map(([header, [, name]]) => [header, { $ref: `#/components/headers/${name}` }]),
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
      headers: {
        ...document.components?.headers,
        ...Object.fromEntries(headers.map(([, [file, name]]) => [name, files[file][name]])),
      },
    },
  };
}
