/** Requests to the service: every answer is data or a `Problem`, also when nothing came back. */
export { client } from './client.js';

export interface ProblemDetail {
  readonly field: string;
  readonly code: string;
  readonly error: string;
}

/** The person who has a value that must be unique. */
export interface ValueHolder {
  readonly field: string;
  readonly person: { readonly id: number; readonly name: string };
}

/**
 * The reason why the service did not carry out a request. `code` is a code of the contract, or `offline` where no
 * answer came and `unreadable` where the answer was not the service's.
 */
export class Problem extends Error {
  constructor(
    readonly code: string,
    readonly sentence: string | undefined,
    readonly details: readonly ProblemDetail[],
    readonly retryAfterSeconds: number | undefined,
    readonly heldBy: readonly ValueHolder[] = [],
  ) {
    super(sentence ?? code);
  }
}

interface Answer<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

/** @throws Problem */
export async function ask<Data>(request: Promise<Answer<Data>>): Promise<Data> {
  let answer: Answer<Data>;
  try {
    answer = await request;
  } catch {
    throw new Problem('offline', undefined, [], undefined);
  }
  const { data, error, response } = answer;
  if (response.ok) return data as Data;
  const seconds = Number(response.headers.get('retry-after'));
  const retryAfter = Number.isFinite(seconds) && seconds > 0 ? seconds : undefined;
  const body = (typeof error === 'object' && error !== null ? error : {}) as {
    code?: unknown;
    error?: unknown;
    details?: readonly ProblemDetail[];
    held_by?: readonly ValueHolder[];
  };
  if (typeof body.code !== 'string') throw new Problem('unreadable', undefined, [], retryAfter);
  const sentence = typeof body.error === 'string' ? body.error : undefined;
  throw new Problem(body.code, sentence, body.details ?? [], retryAfter, body.held_by);
}

/** The session is over or was none: the pages ask to sign in again. */
export function isSignedOut(problem: unknown): problem is Problem {
  return problem instanceof Problem && ['unauthorized', 'token_expired', 'token_revoked'].includes(problem.code);
}

/**
 * There is nothing at the address of the page: it is gone, the person may not see it, or its id is mistyped and does
 * not even have the form of one.
 */
export function isGone(problem: unknown): boolean {
  if (!(problem instanceof Problem)) return false;
  return (
    problem.code === 'not_found' ||
    (problem.code === 'invalid_request' && problem.details.some(({ field }) => field === 'id'))
  );
}
