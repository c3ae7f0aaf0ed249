/** Steps: the parameters and the body as values, held against the document. */
import type { RequestHandler } from 'express';
import { parseBody } from './body.js';
import { operationExchangeOf, queryOf } from './exchange.js';
import { readPath, readQuery } from './parameters.js';
import { Refusal } from './refusal.js';

/** @throws Refusal `invalid_request` for unreadable parts */
export const parse: RequestHandler = (request, response, next) => {
  const exchange = operationExchangeOf(response);
  const { operation, reached, mediaType, rawBody, target, headers } = exchange;
  const body = parseBody(operation, mediaType, rawBody);
  exchange.parts = {
    path: readPath(operation.path, request.path, operation.pathKinds),
    query: reached.api.readsQuery?.(operation) === true ? {} : readQuery(queryOf(target), operation.queryKinds),
    header: headers,
    ...(body === undefined ? {} : { requestBody: body }),
  };
  next();
};

/** @throws Refusal `invalid_request` with everything that the document forbids */
export const validate: RequestHandler = (_, response, next) => {
  const { operation, reached, parts } = operationExchangeOf(response);
  if (reached.api.readsQuery?.(operation) !== true) {
    const details = reached.contract.faultsIn(operation, parts!);
    if (details.length > 0) throw new Refusal('invalid_request', { details });
  }
  next();
};
