/** The body of a request: its size and media type judged by the headers alone, then its bytes, then its contents. */
import express, { type RequestHandler } from 'express';
import { normalizeName } from '../text/name.js';
import type { AppOptions } from './api.js';
import { operationExchangeOf } from './exchange.js';
import type { OperationInfo } from './operations.js';
import { readForm } from './parameters.js';
import { Refusal } from './refusal.js';
import { decodeUtf8, parseJsonObject } from './strict-json.js';

/** The client closed the connection before its request was whole, or gave up waiting: it cannot be answered. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/**
 * @throws Refusal `payload_too_large`, `unsupported_media_type`, `invalid_request` for a body on an operation without
 * one
 */
export const checkMediaType =
  (maxBytes: number): RequestHandler =>
  ({ headers }, response, next) => {
    const exchange = operationExchangeOf(response);
    const { mediaTypes } = exchange.operation;
    const length = headers['content-length'];
    if ((length === undefined || length === '0') && headers['transfer-encoding'] === undefined) return next();
    if (mediaTypes === undefined)
      throw new Refusal('invalid_request', {
        details: [{ field: 'body', code: 'unexpected_body', error: 'This operation takes no body.' }],
      });
    if (length !== undefined && Number(length) > maxBytes) throw new Refusal('payload_too_large');
    const [mediaType = '', ...more] = (headers['content-type'] ?? '')
      .toLowerCase()
      .split(';')
      .map((part) => part.trim());
    const charset = more.find((part) => part.startsWith('charset='))?.slice('charset='.length);
    const isPlain = headers['content-encoding'] === undefined || headers['content-encoding'] === 'identity';
    const isUtf8 = charset === undefined || charset.replaceAll('"', '') === 'utf-8';
    if (!isPlain || !isUtf8 || !mediaTypes.includes(mediaType))
      throw new Refusal('unsupported_media_type', { headers: { accept: mediaTypes.join(', ') } });
    exchange.mediaType = mediaType;
    next();
  };

/**
 * The whole body, raw, and the instant at which the request is whole. @throws Refusal `payload_too_large`; ClientGone
 */
export function readBody(maxBytes: number, { clock }: Pick<AppOptions, 'clock'>): RequestHandler {
  const raw = express.raw({ limit: maxBytes, type: () => true, inflate: false });
  return (request, response, next) =>
    void raw(request, response, (error?: unknown) => {
      if (error !== undefined) return next(refusalOf(error as { readonly type?: string }));
      const exchange = operationExchangeOf(response);
      exchange.at = clock();
      // Express leaves an object if there is no body.
      if (Buffer.isBuffer(request.body)) exchange.rawBody = request.body;
      next();
    });
}

/** Maps body-parser's errors about an incomplete body; RFC 9112 §8. */
function refusalOf(error: { readonly type?: string }): unknown {
  switch (error.type) {
    case 'entity.too.large':
      return new Refusal('payload_too_large', { headers: { connection: 'close' } });
    case 'request.aborted':
    case 'request.size.invalid':
      return new ClientGone();
    default:
      return error;
  }
}

/** @returns undefined for an empty body; validation refuses one that is needed. @throws Refusal `invalid_request` */
export function parseBody(
  { names }: OperationInfo,
  mediaType: string | undefined,
  raw: Buffer,
): Record<string, unknown> | undefined {
  if (raw.length === 0) return undefined;
  const body = mediaType === 'application/x-www-form-urlencoded' ? readForm(decodeUtf8(raw)) : parseJsonObject(raw);
  normalizeNames(body, names);
  return body;
}

/** Normalises the names in a body, in place, to the form in which they are checked and stored. */
function normalizeNames(body: Record<string, unknown>, names: OperationInfo['names']): void {
  for (const path of names) {
    let at: unknown = body;
    for (const member of path.slice(0, -1)) at = (at as Record<string, unknown> | null | undefined)?.[member];
    const last = path.at(-1)!;
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, last)) continue;
    const value = (at as Record<string, unknown>)[last];
    if (typeof value === 'string') (at as Record<string, unknown>)[last] = normalizeName(value);
  }
}
