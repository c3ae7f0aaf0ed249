/** One request on its way through the steps: each step reads the findings of those before it, and adds its own. */
import type { RequestHandler, Response } from 'express';
import type { Api, AppOptions, Authenticated, IncomingRequest } from './api.js';
import type { Contract, OperationInfo, RequestParts } from './operations.js';
import { type Handshake, handshakeOf } from './sockets.js';

/** Facts about every request. */
export interface Exchange extends Omit<IncomingRequest, 'operation' | 'rawBody'> {
  /** `performance.now()` at its arrival. */
  readonly started: number;
  /** The request asks for a WebSocket and has not been answered. */
  readonly handshake: Handshake | undefined;
  /** The operation that it has reached, if any. */
  reached?: Reached;
  /** The last limit that it counted against, and the rest of it (draft-ietf-httpapi-ratelimit-headers). */
  limit?: { readonly policy: string; readonly left: string };
}

/** An operation of a document, with its API and contract. */
export interface Reached {
  readonly api: Api;
  readonly contract: Contract;
  readonly operation: OperationInfo;
  /** Pages of any origin may read its answers. */
  readonly readableAnywhere: boolean;
}

/** The findings of an operation's steps. */
export interface OperationExchange extends Exchange, IncomingRequest {
  at: number;
  reached: Reached;
  rawBody: Buffer;
  authenticated?: Authenticated;
  mediaType?: string;
  parts?: RequestParts;
}

/** The exchange of a response that {@link beginExchange} has seen. */
export const exchangeOf = (response: Response): Exchange => response.locals['exchange'] as Exchange;

/** The exchange behind the step that found the operation. */
export const operationExchangeOf = (response: Response): OperationExchange =>
  response.locals['exchange'] as OperationExchange;

/** The text behind `?`. */
export function queryOf(target: string): string {
  const question = target.indexOf('?');
  return question < 0 ? '' : target.slice(question + 1);
}

/** The first step: the request has an id, an instant and an address. */
export const beginExchange =
  ({
    newRequestId,
    clock,
    clientAddress,
  }: Pick<AppOptions, 'newRequestId' | 'clock' | 'clientAddress'>): RequestHandler =>
  (message, response, next) => {
    const exchange: Exchange = {
      requestId: newRequestId(),
      at: clock(),
      started: performance.now(),
      address: clientAddress(message),
      method: message.method,
      target: message.url,
      headers: message.headers,
      rawHeaders: message.rawHeaders,
      handshake: handshakeOf(message),
    };
    response.locals['exchange'] = exchange;
    next();
  };
