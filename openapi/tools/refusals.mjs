// What documents leave out of their answers: refusals that follow from what an operation is, the body that all share, and
// headers that follow from either.
import { join } from 'node:path';

const folder = join(import.meta.dirname, '..');
/** Shared responses that no document refers to by hand. */
export const commonResponses = [
  'BadListRequest',
  'BadRequest',
  'Internal',
  'PayloadTooLarge',
  'RateLimited',
  'Unauthorized',
  'Unavailable',
  'UnsupportedMediaType',
];
const isIdempotencyKey = ({ $ref = '' }) => $ref.endsWith('/requests.yaml#/IdempotencyKey');
const header = (piece) => ({ $ref: `${folder}/headers/${piece}` });
const isCursor = ({ $ref = '' }) => $ref.endsWith('/lists.yaml#/Cursor');

/**
 * A preprocessor of Redocly. It adds common refusals to each operation that does not describe them itself, and turns
 * the codes in `x-refusals` of a response into its content.
 */
export const refusals = () => ({
  Operation({ parameters = [], requestBody, security = [], responses }) {
    const common = {
      400: parameters.some(isCursor) ? 'BadListRequest' : 'BadRequest',
      ...(security.length > 0 && { 401: 'Unauthorized' }),
      ...(requestBody !== undefined && { 413: 'PayloadTooLarge', 415: 'UnsupportedMediaType' }),
      429: 'RateLimited',
      500: 'Internal',
      503: 'Unavailable',
    };
    for (const [status, name] of Object.entries(common))
      responses[status] ??= { $ref: `${folder}/responses/problems.yaml#/${name}` };
    if (parameters.some(isIdempotencyKey))
      for (const [status, response] of Object.entries(responses))
        if (status.startsWith('2'))
          response.headers = { ...response.headers, 'Idempotent-Replayed': header('edge.yaml#/IdempotentReplayed') };
  },
  Response(response) {
    const { 'x-refusals': codes } = response;
    if (codes === undefined) return;
    delete response['x-refusals'];
    const example = (code) => [code, { $ref: `${folder}/examples/problems.yaml#/${code}` }];
    if (codes.includes('insufficient_scope'))
      response.headers = { ...response.headers, 'WWW-Authenticate': header('shared.yaml#/ScopeChallenge') };
    const schema = { $ref: `${folder}/schemas/problem.yaml#/Problem` };
    response.content = { 'application/json': { schema, examples: Object.fromEntries(codes.map(example)) } };
  },
});
