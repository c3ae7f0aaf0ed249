// What every operation says about itself.
import { mediaTypes, operations, resolve } from '../walk.mjs';

/**
 * operationId in lowerCamelCase, one tag, summary, description, an answer for success (a WebSocket's is 101) and one
 * for a bad request.
 */
export function* operationsAreDescribed(document) {
  for (const { operation, pointer } of operations(document)) {
    if (!/^[a-z]+(?:[A-Z][a-z0-9]*)*$/.test(operation.operationId ?? ''))
      yield { at: pointer, message: `operationId ${operation.operationId} is not lowerCamelCase` };
    if (operation.tags?.length !== 1) yield { at: pointer, message: 'an operation has exactly one tag' };
    if (!operation.summary?.trim()) yield { at: pointer, message: 'summary is missing' };
    else if (/[.]$/.test(operation.summary))
      yield { at: pointer, message: 'a summary is no sentence and ends without a full stop' };
    if ((operation.description?.trim().length ?? 0) < 40)
      yield { at: pointer, message: 'description is missing or says too little' };
    if (!Object.keys(operation.responses ?? {}).some((status) => /^(?:[23]\d\d|101)$/.test(status)))
      yield { at: pointer, message: 'no answer for success' };
    if (!Object.keys(operation.responses ?? {}).some((status) => /^4\d\d$/.test(status)))
      yield { at: pointer, message: 'no 4xx answer' };
  }
}

const headersOf = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  429: ['Retry-After', 'RateLimit', 'RateLimit-Policy'],
  503: ['Retry-After'],
};

/** Every answer but an upgrade names its request; refusals carry the headers that tell a client what to do. */
export function* answersCarryTheirHeaders(document) {
  for (const { operation, pointer } of operations(document))
    for (const [status, response] of Object.entries(operation.responses ?? {})) {
      if (status === '101') continue;
      const headers = new Set(Object.keys(resolve(document, response).headers ?? {}).map((name) => name.toLowerCase()));
      for (const name of ['X-Request-Id', ...(headersOf[status] ?? [])])
        if (!headers.has(name.toLowerCase()))
          yield { at: `${pointer}/responses/${status}`, message: `the header ${name} is missing` };
    }
}

/**
 * What any request can meet is documented: a malformed one, a limit, a fault, a database that is gone; without a
 * credential 401, with a body one that is too large or of another type.
 */
export function* commonRefusalsAreListed(document) {
  for (const { operation, pointer } of operations(document)) {
    const wanted = [400, 429, 500, 503];
    if ((operation.security ?? []).some((alternative) => Object.keys(alternative).length > 0)) wanted.push(401);
    if (operation.requestBody !== undefined) wanted.push(413, 415);
    for (const status of wanted)
      if (operation.responses?.[status] === undefined)
        yield { at: pointer, message: `the answer ${status} is missing` };
  }
}

/** JSON requests refuse members they do not know. Forms do not: RFC 6749 section 3.2 asks to ignore those. */
export function* requestsAreClosed(document) {
  for (const { media, type, pointer, of } of mediaTypes(document)) {
    if (of !== 'request' || !type.endsWith('json')) continue;
    const schema = resolve(document, media.schema);
    const variants = schema.oneOf?.map((part) => resolve(document, part)) ?? [schema];
    if (variants.some((variant) => variant.additionalProperties !== false))
      yield { at: pointer, message: 'a request body says additionalProperties: false' };
  }
}
