/**
 * Finds the caller and applies the limits. A failed authentication counts against the client address; a good credential
 * is independent of its neighbours.
 */
import type { ErrorRequestHandler, RequestHandler } from 'express';
import type { AppOptions, Bucket } from './api.js';
import { limitKey } from './client-address.js';
import { type Exchange, type OperationExchange, operationExchangeOf } from './exchange.js';
import type { LimitDecision } from './rate-limit.js';
import { Refusal } from './refusal.js';

export interface Admission {
  /** A step: operations that try a person's secret wait while the address has used up its failed authentications. */
  readonly refuseWhileFailing: RequestHandler;
  /** A step for errors: a refused body ends a request before its credential is read. */
  readonly countUnread: ErrorRequestHandler;
  /** A step: authenticates a request and counts it. */
  readonly admit: RequestHandler;
  /**
   * Counts a refused request as a failed authentication if a secret was tried, and writes it to the security log.
   * @throws Refusal `rate_limited` in place of the 401 that used up the last one
   */
  countIfFailed(error: unknown, exchange: OperationExchange): Promise<void>;
  /** Counts a request without a credential. @throws Refusal `rate_limited` */
  countAddress(exchange: Exchange): Promise<void>;
}

export function createAdmission({
  errors,
  limiter,
  limits,
  log,
}: Pick<AppOptions, 'errors' | 'limiter' | 'limits' | 'log'>): Admission {
  /**
   * The security log: `security` and `address` come first, for tools that read lines (docs/operations/security-log.md).
   */
  function logFailure(security: string, exchange: OperationExchange, code: string): void {
    const { address, operation, requestId, reached } = exchange;
    const credential = reached.api.credentialOf?.(exchange) ?? 'unknown';
    log.warn({ security, address, credential, operation: operation.id, code, request_id: requestId }, security);
  }

  const addressBucket = ({ address }: Exchange): Bucket => ({
    name: 'address',
    key: limitKey(address),
    limit: limits.perAddress,
  });
  const failedBucket = ({ address }: Exchange): Bucket => ({
    name: 'failed',
    key: limitKey(address),
    limit: limits.failedAuthentications,
  });
  const isUnauthorized = (error: Refusal) => errors[error.code]?.status === 401;

  async function count(bucket: Bucket, exchange: Exchange): Promise<void> {
    applyDecision(bucket, await limiter.consume(bucket.name, bucket.key, bucket.limit, exchange.at), exchange);
  }

  async function countIfFailed(error: unknown, exchange: OperationExchange): Promise<void> {
    if (!(error instanceof Refusal)) return;
    const isFailure = isUnauthorized(error)
      ? error.options.noCredentialTried !== true
      : error.options.secretTried === true;
    if (!isFailure) return;
    logFailure('authentication_failed', exchange, error.code);
    await count(failedBucket(exchange), exchange);
  }

  async function admit(exchange: OperationExchange): Promise<void> {
    try {
      const authentication = await exchange.reached.api.authenticate(exchange);
      const bucket = authentication.bucket ?? addressBucket(exchange);
      if (authentication.counted === undefined) await count(bucket, exchange);
      else applyDecision(bucket, authentication.counted, exchange);
      if (authentication.refusal !== undefined) throw authentication.refusal;
      exchange.authenticated = authentication;
    } catch (error) {
      if (error instanceof Refusal && isUnauthorized(error)) await count(addressBucket(exchange), exchange);
      await countIfFailed(error, exchange);
      throw error;
    }
  }

  return {
    async countUnread(error, _, response, next) {
      const exchange = operationExchangeOf(response);
      if (error instanceof Refusal) await count(addressBucket(exchange), exchange);
      next(error);
    },
    async refuseWhileFailing(_, response, next) {
      const exchange = operationExchangeOf(response);
      if (exchange.reached.api.waitsAfterFailures?.(exchange.operation) === true) {
        const bucket = failedBucket(exchange);
        const decision = await limiter.check(bucket.name, bucket.key, bucket.limit, exchange.at);
        if (!decision.allowed) {
          logFailure('authentication_refused', exchange, 'rate_limited');
          applyDecision(bucket, decision, exchange);
        }
      }
      next();
    },
    async admit(_, response, next) {
      await admit(operationExchangeOf(response));
      next();
    },
    countIfFailed,
    countAddress: (exchange) => count(addressBucket(exchange), exchange),
  };
}

/** Notes the rest of a limit. @throws Refusal `rate_limited` */
function applyDecision(
  { name, limit }: Bucket,
  { allowed, remaining, resetSeconds }: LimitDecision,
  exchange: Exchange,
): void {
  exchange.limit = { policy: `"${name}";q=${limit};w=60`, left: `"${name}";r=${remaining};t=${resetSeconds}` };
  if (!allowed) throw new Refusal('rate_limited', { headers: { 'retry-after': String(resetSeconds) } });
}
