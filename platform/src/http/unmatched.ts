/** Requests without an operation: 404, 405, or the answer to OPTIONS. All are counted like any without a credential. */
import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import type { Admission } from './admission.js';
import type { Finish } from './answer.js';
import { exchangeOf } from './exchange.js';
import { Refusal } from './refusal.js';

/** A path that exists, asked with a method it does not have. */
export interface OtherMethods {
  readonly allow: readonly string[];
  /** Tells whether pages of any origin may read the answers to GET. */
  readonly readableAnywhere: boolean;
}
export const onlyReads: OtherMethods = { allow: ['GET', 'HEAD'], readableAnywhere: false };
const unknown: OtherMethods = { allow: ['GET', 'HEAD'], readableAnywhere: true };
export type RefuseOtherMethods = (methods: OtherMethods) => RequestHandler;

export function createUnmatched(
  { countAddress }: Admission,
  finish: Finish,
): { readonly refuseOtherMethods: RefuseOtherMethods; readonly refuseUnknown: RequestHandler } {
  const refuseOtherMethods: RefuseOtherMethods = (methods) => async (request, response) => {
    const exchange = exchangeOf(response);
    await countAddress(exchange);
    const headers = { allow: [...methods.allow, 'OPTIONS'].join(', ') };
    if (request.method !== 'OPTIONS') throw new Refusal('method_not_allowed', { headers });
    finish(exchange, request, response, { status: 204, headers: { ...headers, ...preflight(methods, request) } });
  };
  return {
    refuseOtherMethods,
    refuseUnknown: async (request, response, next) => {
      // Nothing here echoes a request (RFC 9110 §9.3.8).
      if (request.method === 'TRACE') return refuseOtherMethods(onlyReads)(request, response, next);
      // A page asks before it reads with a key. Its own request gets the 404.
      if (Object.keys(preflight(unknown, request)).length > 0)
        return refuseOtherMethods(unknown)(request, response, next);
      await countAddress(exchangeOf(response));
      throw new Refusal('not_found');
    },
  };
}

/** RFC 9110 §9.3.7 and the Fetch standard's preflight: a page of another origin may read, never write. */
function preflight(methods: OtherMethods, { method, headers }: IncomingMessage): Readonly<Record<string, string>> {
  if (!methods.readableAnywhere || method !== 'OPTIONS' || headers['access-control-request-method'] !== 'GET')
    return {};
  return {
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET',
    'access-control-allow-headers': 'authorization, if-none-match, x-api-key',
    'access-control-max-age': '600',
  };
}
