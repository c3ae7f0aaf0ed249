/** Turns an error into an answer. The client gets the code and its sentence; the log gets the reason. */
import type { ErrorRequestHandler } from 'express';
import { DatabaseUnavailable } from '../database/database.js';
import type { Answer, Finish } from './answer.js';
import type { AppOptions, Problem } from './api.js';
import { ClientGone } from './body.js';
import { type Exchange, exchangeOf } from './exchange.js';
import { Refusal } from './refusal.js';

/** The last step: answers the errors of all others. */
export function createProblems(
  { errors, log, errorPage = () => undefined }: Pick<AppOptions, 'errors' | 'log' | 'errorPage'>,
  finish: Finish,
): ErrorRequestHandler {
  return (error, message, response, _next) => {
    const exchange = exchangeOf(response);
    if (!(error instanceof ClientGone)) return finish(exchange, message, response, problemFor(error, exchange));
    message.socket.destroy();
  };

  function problemFor(error: unknown, { reached, requestId, headers }: Exchange): Answer {
    const refusal = refusalOf(error);
    if (refusal !== error)
      log.error({ err: error, request_id: requestId, operation: reached?.operation.id }, 'request failed');
    else if (refusal.options.reason !== undefined)
      log.warn({ code: refusal.code, reason: refusal.options.reason, request_id: requestId }, 'refused');
    const { status, error: sentence } = errors[refusal.code]!;
    const page = errorPage();
    const problem: Problem = {
      error: sentence,
      code: refusal.code,
      request_id: requestId,
      ...(page === undefined ? {} : { doc_url: `${page}#${refusal.code}` }),
      ...(refusal.options.details === undefined ? {} : { details: refusal.options.details }),
      ...refusal.options.extra,
    };
    const challenge =
      status === 401 && reached !== undefined
        ? { 'www-authenticate': reached.api.challenge(reached.operation, headers) }
        : {};
    return {
      status,
      headers: { ...challenge, ...refusal.options.headers },
      body: reached?.api.presentProblem?.(problem, reached.operation) ?? problem,
    };
  }

  /** A rule's own refusal; 503 for a database that cannot answer now; 500 for anything unexpected. */
  function refusalOf(error: unknown): Refusal {
    if (error instanceof Refusal && errors[error.code] !== undefined) return error;
    if (error instanceof DatabaseUnavailable) return new Refusal('unavailable', { headers: { 'retry-after': '1' } });
    return new Refusal('internal');
  }
}
