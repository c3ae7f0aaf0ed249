/** The step behind all others: the handler of the operation, with a typed request. */
import type { RequestHandler, Response } from 'express';
import type { Admission } from './admission.js';
import type { Answer, Finish } from './answer.js';
import { ClientGone } from './body.js';
import { operationExchangeOf, queryOf } from './exchange.js';

export const handle =
  ({ countIfFailed }: Admission, finish: Finish): RequestHandler =>
  async (message, response) => {
    const exchange = operationExchangeOf(response);
    const { operation, reached, authenticated, parts, at, address, requestId, handshake } = exchange;
    const handler = reached.api.handlers[operation.id] as (request: object) => Promise<Answer> | Answer;
    let signal: AbortSignal | undefined;
    const request = {
      caller: authenticated!.caller,
      authorize: authenticated!.authorize,
      method: operation.method,
      path: parts!.path,
      query: parts!.query,
      rawQuery: queryOf(exchange.target),
      headers: message.headers,
      body: parts!.requestBody,
      at,
      address,
      requestId,
      get signal() {
        signal ??= abortedWhenGone(response);
        return signal;
      },
      isHandshake: handshake !== undefined,
    };
    try {
      finish(exchange, message, response, await handler(request));
    } catch (error) {
      await countIfFailed(error, exchange);
      throw error;
    }
  };

/** Longest wait for the answer after a client has closed its side: it cannot be told from one that left. */
const halfClosedMs = 1_000;

/** A signal that is aborted when the client leaves before the answer is sent. */
function abortedWhenGone(response: Response): AbortSignal {
  const { socket } = response.req;
  const controller = new AbortController();
  const abort = () => controller.abort(new ClientGone('the client left'));
  let abortTimer: NodeJS.Timeout | undefined;
  const halfClosed = () => {
    abortTimer = setTimeout(abort, halfClosedMs);
  };
  if (socket.readableEnded) halfClosed();
  else socket.once('end', halfClosed);
  response.once('close', () => {
    socket.off('end', halfClosed);
    clearTimeout(abortTimer);
    if (!response.writableFinished) abort();
  });
  return controller.signal;
}
