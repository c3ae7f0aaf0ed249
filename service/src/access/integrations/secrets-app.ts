import type { RateLimiter } from '@clockproof/platform/http/rate-limit';
import { formatInstant, hour, type Instant } from '@clockproof/platform/time/instant';
import { findExtension } from '../../extensions/rows.js';
import { listConnectionRows } from '../../extensions/socket/rows.js';
import { ping } from '../../extensions/webhooks/ping.js';
import type { Attempt } from '../../extensions/webhooks/send.js';
import type { components } from '../../generated/app-types.js';
import type { AppHandler } from '../../http/handler.js';
import { actorOf } from '../../people/actor.js';
import { requireFreshFactor } from '../../people/caller.js';
import { Refusal } from '../../store/refusal.js';
import { expirePreviousKey, readKeyEnd, replaceKey, replaceWebhookSecret } from './extensions.js';

const overlapHours = 24;

export const rotateKey: AppHandler<'rotateKey'> = async ({ db, randomBytes, caller, path: { id }, body, at }) => {
  requireFreshFactor(caller, at);
  const overlap = (body.overlap_hours ?? overlapHours) * hour;
  const expiresAt = readKeyEnd(body.expires_at, at);
  const { key, previousEndsAt } = await db.write({ actor: actorOf(caller.person), at }, (write) =>
    replaceKey(write, id, { overlap, expiresAt }, randomBytes),
  );
  return { status: 201, body: { key, previous_ends_at: formatInstant(previousEndsAt) } };
};

export const endPreviousKey: AppHandler<'endPreviousKey'> = async ({ db, caller, path: { id }, at }) => {
  await db.write({ actor: actorOf(caller.person), at }, (write) => expirePreviousKey(write, id));
  return { status: 204 };
};

export const rotateWebhookSecret: AppHandler<'rotateWebhookSecret'> = async ({
  db,
  sealingKeys,
  randomBytes,
  caller,
  path: { id },
  at,
}) => {
  requireFreshFactor(caller, at);
  const { secret, previousEndsAt } = await db.write({ actor: actorOf(caller.person), at }, (write) =>
    replaceWebhookSecret(write, { sealingKeys, randomBytes }, id),
  );
  return { status: 201, body: { webhook_secret: secret, previous_ends_at: formatInstant(previousEndsAt) } };
};

/** A button for a person who tries something out, not a hammer, and no way to look for open ports. */
const perExtension = 5;
const perInstallation = 20;
const maxCounted = 100;

export const pingExtension: AppHandler<'pingExtension'> = async ({
  db,
  sealingKeys,
  sendWebhook,
  limiter,
  allowPrivateTargets,
  caller,
  path: { id },
  at,
}) => {
  if ((await findExtension(db, id)) === undefined) throw new Refusal('not_found');
  await refuseTooManyPings(limiter, id, perExtension, at);
  await refuseTooManyPings(limiter, 'all', perInstallation, at);
  const pingResult = await db.write({ actor: actorOf(caller.person), at }, (write) =>
    ping(write, id, { keys: sealingKeys, allowPrivateTargets }),
  );
  if ('delivery' in pingResult) return { status: 200, body: presentAttempt(await sendWebhook(pingResult.delivery)) };
  const connections = await listConnectionRows(db, id, at, maxCounted);
  return { status: 200, body: { outcome: 'queued', event_id: pingResult.event, connections: connections.length } };
};

/** @throws Refusal `rate_limited` */
async function refuseTooManyPings(limiter: RateLimiter, key: string, limit: number, at: Instant): Promise<void> {
  const { allowed, resetSeconds } = await limiter.consume('ping', key, limit, at);
  if (!allowed) throw new Refusal('rate_limited', { headers: { 'retry-after': String(resetSeconds) } });
}

/**
 * If the target was not reached, the answer carries nothing else, not even the duration: it would tell a closed port
 * from a silent one.
 */
function presentAttempt(attempt: Attempt): components['schemas']['PingResult'] {
  if (attempt.outcome === 'unreachable') return { outcome: 'unreachable' };
  const { outcome, status, milliseconds } = attempt;
  // Three digits are all that HTTP's grammar asks for; 600 and above have no meaning.
  return {
    outcome,
    status: status >= 100 && status <= 599 ? status : undefined,
    duration_milliseconds: Math.min(60_000, Math.max(0, milliseconds)),
  };
}
