/** From what was thrown to an answer. The outside learns the code and its sentence; the log learns why. */
import type { IncomingMessage } from 'node:http';
import { DatabaseUnavailable } from '../database/database.js';
import type { Api, EdgeOptions, Problem } from './api.js';
import type { OperationInfo } from './contract.js';
import type { Answer } from './exchange.js';
import { Refusal } from './refusal.js';

/** The operation that a request has reached, if any. */
export interface Reached {
  readonly api: Api;
  readonly operation: OperationInfo;
}

/** @returns a function that never throws */
export function createProblems({
  errors,
  log,
  errorPage,
}: Pick<EdgeOptions, 'errors' | 'log' | 'errorPage'>): (
  error: unknown,
  reached: Reached | undefined,
  message: IncomingMessage,
  requestId: string,
) => Answer {
  return (error, reached, message, requestId) => {
    const refusal = refusalOf(error);
    if (refusal !== error)
      log.error({ err: error, request_id: requestId, operation: reached?.operation.id }, 'request failed');
    else if (refusal.options.reason !== undefined)
      log.warn({ code: refusal.code, reason: refusal.options.reason, request_id: requestId }, 'refused');
    const { status, error: sentence } = errors[refusal.code]!;
    const problem: Problem = {
      error: sentence,
      code: refusal.code,
      request_id: requestId,
      ...(errorPage === undefined ? {} : { doc_url: `${errorPage}#${refusal.code}` }),
      ...(refusal.options.details === undefined ? {} : { details: refusal.options.details }),
      ...refusal.options.extra,
    };
    const challenge =
      status === 401 && reached !== undefined
        ? { 'www-authenticate': reached.api.challenge(reached.operation, message.headers) }
        : {};
    return {
      status,
      headers: { ...challenge, ...refusal.options.headers },
      body: reached?.api.presentProblem?.(problem, reached.operation) ?? problem,
    };
  };

  /** A rule's own refusal; 503 for a database that cannot answer now; 500 for anything unexpected. */
  function refusalOf(error: unknown): Refusal {
    if (error instanceof Refusal && errors[error.code] !== undefined) return error;
    if (error instanceof DatabaseUnavailable) return new Refusal('unavailable', { headers: { 'retry-after': '1' } });
    return new Refusal('internal');
  }
}
