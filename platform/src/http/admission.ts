/**
 * Who is calling, and may they ask now. A failed authentication counts against the client address; a good credential
 * does not care what its neighbours do.
 */
import type { Api, Authenticated, Bucket, EdgeOptions, IncomingRequest } from './api.js';
import { limitKey } from './client-address.js';
import type { Exchange } from './exchange.js';
import type { LimitDecision } from './rate-limit.js';
import { Refusal } from './refusal.js';

export interface Admission {
  /**
   * Authenticates a request and counts it. Answers at once where nothing has to be waited for.
   * @throws Refusal of `authenticate`, or `rate_limited`
   */
  admit(api: Api, incoming: IncomingRequest, exchange: Exchange): Promise<Authenticated> | Authenticated;
  /** @throws Refusal `rate_limited` while the address has used up its failed authentications */
  refuseWhileFailing(api: Api, incoming: IncomingRequest, exchange: Exchange): Promise<void>;
  /**
   * Counts a refused request as a failed authentication if a secret was tried, and writes it to the security log.
   * @throws Refusal `rate_limited` in place of the 401 that used up the last one
   */
  countIfFailed(error: unknown, api: Api, incoming: IncomingRequest, exchange: Exchange): Promise<void>;
  /** Counts a request without a credential. @throws Refusal `rate_limited` */
  countAddress(address: string, at: number, exchange: Exchange): Promise<void> | undefined;
}

export function createAdmission({
  errors,
  limiter,
  limits,
  log,
}: Pick<EdgeOptions, 'errors' | 'limiter' | 'limits' | 'log'>): Admission {
  /** The security log: `security` and `address` come first, for tools that read lines (docs/operations/security-log.md). */
  function logFailure(security: string, api: Api, incoming: IncomingRequest, code: string): void {
    const { address, operation, requestId } = incoming;
    const credential = api.credentialOf?.(incoming) ?? 'unknown';
    log.warn({ security, address, credential, operation: operation.id, code, request_id: requestId }, security);
  }

  function count(bucket: Bucket, at: number, exchange: Exchange): Promise<void> | undefined {
    const counting = limiter.consume(bucket.name, bucket.key, bucket.limit, at);
    return counting instanceof Promise
      ? counting.then((decision) => applyDecision(bucket, decision, exchange))
      : applyDecision(bucket, counting, exchange);
  }

  const addressBucket = (address: string): Bucket => ({
    name: 'address',
    key: limitKey(address),
    limit: limits.perAddress,
  });
  const failedBucket = (address: string): Bucket => ({
    name: 'failed',
    key: limitKey(address),
    limit: limits.failedAuthentications,
  });
  const isUnauthorized = (error: Refusal) => errors[error.code]?.status === 401;

  async function countIfFailed(error: unknown, api: Api, incoming: IncomingRequest, exchange: Exchange): Promise<void> {
    if (!(error instanceof Refusal)) return;
    const failed = isUnauthorized(error) ? error.options.nothingTried !== true : error.options.secretTried === true;
    if (!failed) return;
    logFailure('authentication_failed', api, incoming, error.code);
    await count(failedBucket(incoming.address), incoming.at, exchange);
  }

  /** @throws always: what was wrong, or `rate_limited` where that was one time too many */
  async function turnAway(error: unknown, api: Api, incoming: IncomingRequest, exchange: Exchange): Promise<never> {
    if (error instanceof Refusal && isUnauthorized(error))
      await count(addressBucket(incoming.address), incoming.at, exchange);
    await countIfFailed(error, api, incoming, exchange);
    throw error;
  }

  return {
    admit(api, incoming, exchange) {
      const counted = (authenticated: Authenticated): Promise<Authenticated> | Authenticated => {
        const bucket = authenticated.bucket ?? addressBucket(incoming.address);
        const counting =
          authenticated.counted === undefined
            ? count(bucket, incoming.at, exchange)
            : applyDecision(bucket, authenticated.counted, exchange);
        return counting === undefined ? allowed(authenticated) : counting.then(() => allowed(authenticated));
      };
      try {
        const authenticating = api.authenticate(incoming);
        const admitting = authenticating instanceof Promise ? authenticating.then(counted) : counted(authenticating);
        return admitting instanceof Promise
          ? admitting.catch((error: unknown) => turnAway(error, api, incoming, exchange))
          : admitting;
      } catch (error) {
        return turnAway(error, api, incoming, exchange);
      }
    },
    async refuseWhileFailing(api, incoming, exchange) {
      const bucket = failedBucket(incoming.address);
      const decision = await limiter.check(bucket.name, bucket.key, bucket.limit, incoming.at);
      if (decision.allowed) return;
      logFailure('authentication_refused', api, incoming, 'rate_limited');
      applyDecision(bucket, decision, exchange);
    },
    countIfFailed,
    countAddress: (address, at, exchange) => count(addressBucket(address), at, exchange),
  };
}

/** @throws Refusal what the caller may not do */
function allowed(authenticated: Authenticated): Authenticated {
  if (authenticated.refusal !== undefined) throw authenticated.refusal;
  return authenticated;
}

/** Notes what is left of a limit. @throws Refusal `rate_limited` */
function applyDecision(
  { name, limit }: Bucket,
  { allowed, remaining, resetSeconds }: LimitDecision,
  exchange: Exchange,
): undefined {
  exchange.limit = { policy: `"${name}";q=${limit};w=60`, left: `"${name}";r=${remaining};t=${resetSeconds}` };
  if (!allowed) throw new Refusal('rate_limited', { headers: { 'retry-after': String(resetSeconds) } });
}
