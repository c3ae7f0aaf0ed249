/**
 * Delivers events to webhook addresses: in order per person and endpoint, at least once, across replicas and crashes.
 *
 * One process at a time works for an endpoint; a lease in the database says which. It takes up new events, sends the
 * first pending one of each lane (a lane is a person), a few lanes at a time, and records each attempt. If it stops
 * between an answer and its record, the event is sent once more with the same id. An endpoint that hangs fills its own
 * few places and delays no other.
 */

import type { Log } from '@clockproof/platform/log';
import { day, type Instant, second } from '@clockproof/platform/time/instant';
import type { Hub } from '../events/hub.js';
import { currentSequence } from '../events/rows.js';
import { readableEvents } from '../extensions/readable-events.js';
import { type ExtensionRow, findExtension } from '../extensions/rows.js';
import type { ExtensionId } from '../ids.js';
import { installationAdmins, notify } from '../notices/notices.js';
import type { SealingKeys } from '../sealing/sealing-keys.js';
import type { Store, Write } from '../write/write.js';
import {
  type DeliveryRow,
  dueDeliveries,
  type EndpointRow,
  endpointsWithWork,
  findEndpoint,
  giveUpPending,
  insertAttempt,
  isCompanyActive,
  leaseEndpoint,
  lockEndpoint,
  postponeDelivery,
  releaseEndpoint,
  updateDelivery,
  updateEndpoint,
} from './delivery-rows.js';
import { deliveryReaderOf, takeUpEvents } from './endpoints.js';
import { nextAttempt } from './retry-schedule.js';
import { signingSecrets } from './secrets.js';
import type { Attempt, SendWebhook } from './send.js';

/** Requests under way to one endpoint. */
const parallelLanes = 5;
/** Attempts of all endpoints that use the database at the same time: requests of people are to get their turn. */
const parallelStatements = 2;
/** Renewed after a third of it. An attempt begins only while a third is left, which is longer than any attempt takes. */
const leaseMilliseconds = 60 * second;
/** An endpoint that took nothing for so long is disabled. */
const failingDays = 5;

export interface DispatcherOptions {
  readonly db: Store;
  readonly send: SendWebhook;
  readonly keys: SealingKeys;
  readonly clock: () => Instant;
  /** From 0 to 1: varies the pauses between attempts. */
  readonly random: () => number;
  /** Names this process among the replicas. */
  readonly holder: string;
  readonly log: Log;
  /** When a failed delivery is tried again. */
  readonly schedule?: typeof nextAttempt;
}

export interface Dispatcher {
  /** Looks for work and does what is due. Resolves when nothing is due any more. */
  pass(): Promise<void>;
  /** Begins nothing new and waits for the requests under way. */
  stop(): Promise<void>;
}

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { clock, holder, log, db } = options;
  const inTurn = createTurns(parallelStatements);
  const running = new Map<ExtensionId, { readonly ended: Promise<void>; wake(): void }>();
  let stopped = false;

  function begin(extensionId: ExtensionId): Promise<void> {
    let wake = () => {};
    const nextWake = () => new Promise<void>((resolve) => (wake = resolve));
    const ended = deliver({ ...options, inTurn }, extensionId, nextWake, () => stopped)
      // The next pass tries again.
      .catch((error: unknown) => log.error({ err: error, extension: extensionId }, 'delivering webhooks failed'))
      .finally(() => running.delete(extensionId));
    running.set(extensionId, { ended, wake: () => wake() });
    return ended;
  }

  return {
    async pass() {
      if (stopped) return;
      for (const endpoint of running.values()) endpoint.wake();
      const found = await endpointsWithWork(db, holder, clock());
      await Promise.all(found.map((extensionId) => running.get(extensionId)?.ended ?? begin(extensionId)));
    },
    async stop() {
      stopped = true;
      for (const endpoint of running.values()) endpoint.wake();
      await Promise.all([...running.values()].map(({ ended }) => ended));
    },
  };
}

/** Runs so many effects at a time, the others in the order in which they came. */
function createTurns(places: number): Work['inTurn'] {
  let free = places;
  const waiting: (() => void)[] = [];
  return async (effect) => {
    if (free > 0) free--;
    else await new Promise<void>((next) => waiting.push(next));
    try {
      return await effect();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free++;
      else next();
    }
  };
}

interface Work extends DispatcherOptions {
  inTurn<Result>(effect: () => Promise<Result>): Promise<Result>;
}

/** Works for one endpoint until nothing is due. */
async function deliver(
  options: Work,
  extensionId: ExtensionId,
  nextWake: () => Promise<void>,
  isStopped: () => boolean,
): Promise<void> {
  const { db, clock, holder, inTurn, keys } = options;
  const lease = () =>
    db.maintain('deliveries', (tx) =>
      leaseEndpoint(tx, extensionId, holder, { at: clock(), until: clock() + leaseMilliseconds }),
    );
  if (!(await lease())) return;
  let leasedAt = clock();
  const lanes = new Map<number, Promise<void>>();
  // While there is enough to do, new events wait in the feed.
  let hungry = true;
  try {
    while (!isStopped()) {
      const woken = nextWake();
      if (clock() - leasedAt > leaseMilliseconds / 3) {
        if (!(await lease())) break;
        leasedAt = clock();
      }
      const extension = await inTurn(() => takeUp(options, extensionId, hungry));
      if (extension === undefined) break;
      // Those under way are still pending, and the first of their lanes; even if they are recorded during the read.
      const underWay = new Set(lanes.keys());
      const wanted = parallelLanes + underWay.size;
      const [due, secrets] = await inTurn(() =>
        Promise.all([dueDeliveries(db, extensionId, clock(), wanted), signingSecrets(db, extensionId, keys, clock())]),
      );
      hungry = due.length < wanted;
      for (const delivery of due) {
        if (lanes.size >= parallelLanes) break;
        if (underWay.has(delivery.lane)) continue;
        lanes.set(
          delivery.lane,
          attempt(
            options,
            { extension, secrets },
            delivery,
            () => clock() - leasedAt < (2 / 3) * leaseMilliseconds,
          ).finally(() => lanes.delete(delivery.lane)),
        );
      }
      if (lanes.size === 0) {
        // A lane that has ended since the look may have more.
        if (underWay.size > 0) continue;
        break;
      }
      // Where no lane is free, news would be in vain.
      await Promise.race(lanes.size < parallelLanes ? [...lanes.values(), woken] : lanes.values());
    }
  } finally {
    await Promise.allSettled(lanes.values());
    await db.maintain('deliveries', (tx) => releaseEndpoint(tx, extensionId, holder));
  }
}

/** @returns the extension; undefined if nothing is delivered for it any more, or by another process */
async function takeUp(
  { db, clock, holder }: Work,
  extensionId: ExtensionId,
  hungry: boolean,
): Promise<ExtensionRow | undefined> {
  const isOurs = (endpoint: EndpointRow | undefined) =>
    endpoint?.lease_holder === holder && endpoint.disabled_at === null;
  const [extension, endpoint] = await Promise.all([findExtension(db, extensionId), findEndpoint(db, extensionId)]);
  if (extension?.mode !== 'webhooks' || !isOurs(endpoint)) return undefined;
  if (!(await isCompanyActive(db, extension.company_id))) return undefined;
  if (!hungry || endpoint!.position === (await currentSequence(db))) return extension;
  return db.maintain('deliveries', async (tx) => {
    const locked = await lockEndpoint(tx, extensionId);
    if (!isOurs(locked)) return undefined;
    await takeUpEvents(tx, extension, locked!, clock());
    return extension;
  });
}

/**
 * One attempt, and its record.
 * @param mayBegin whether the lease outlasts an attempt that begins now
 */
async function attempt(
  options: Work,
  { extension, secrets }: { readonly extension: ExtensionRow; readonly secrets: readonly string[] },
  delivery: DeliveryRow,
  mayBegin: () => boolean,
): Promise<void> {
  const { db, send, clock, inTurn } = options;
  const { sequence } = delivery;
  const at = clock();
  const [event] = await inTurn(() =>
    readableEvents(
      db,
      // What the extension chose counted when the delivery was made.
      { ...deliveryReaderOf(extension, at), types: undefined },
      { after: sequence - 1, upTo: sequence, since: 0, limit: 1 },
    ),
  );
  const began = clock();
  // This process was stopped for a while: another one may have gone on.
  if (!mayBegin()) return;
  const outcome =
    event === undefined || extension.webhook_url === null
      ? ('not readable' as const)
      : await send({ url: extension.webhook_url, id: event.id, body: event.payload, secrets, at: began });
  await inTurn(() =>
    db.write({ actor: { kind: 'system' }, at: clock() }, async (write) => {
      write.unaudited('progress');
      const endpoint = await lockEndpoint(write, extension.id);
      // Its lease was over, and another process goes on from what is recorded.
      if (endpoint?.lease_holder !== options.holder) return;
      // The key lost the permission in between.
      if (outcome === 'not readable')
        return updateDelivery(write, delivery, { state: 'failed', next_attempt_at: null });
      // The page of the extension shows it.
      write.touch({ family: 'delivery', company: null, parties: [`extension ${extension.id}`] });
      await record(write, extension, endpoint, delivery, { ...outcome, began }, options);
    }),
  );
}

async function record(
  write: Write,
  { id: extensionId, company_id: companyId }: ExtensionRow,
  endpoint: EndpointRow,
  delivery: DeliveryRow,
  outcome: Attempt & { readonly began: Instant },
  { random, schedule = nextAttempt }: DispatcherOptions,
): Promise<void> {
  const { at } = write;
  const answered = outcome.outcome === 'unreachable' ? undefined : outcome;
  await insertAttempt(write, {
    extension_id: extensionId,
    sequence: delivery.sequence,
    at: outcome.began,
    outcome: outcome.outcome,
    status: answered?.status ?? null,
    milliseconds: outcome.milliseconds,
    answer: answered?.answer || null,
  });
  if (outcome.outcome === 'delivered') {
    await updateDelivery(write, delivery, { state: 'delivered', next_attempt_at: null });
    // Shown in seconds: one write for all deliveries of a second.
    if (endpoint.failing_since === null && (endpoint.last_delivered_at ?? 0) >= at - (at % second)) return;
    return updateEndpoint(write, extensionId, { failing_since: null, last_delivered_at: at });
  }
  // Another lane had the endpoint disabled; this delivery is given up.
  if (endpoint.disabled_at !== null) return;
  const failingSince = endpoint.failing_since ?? outcome.began;
  const why =
    answered?.status === 410 ? 'gone' : at - failingSince >= failingDays * day ? ('failing' as const) : undefined;
  if (why !== undefined) {
    await giveUpPending(write, extensionId);
    await updateEndpoint(write, extensionId, { failing_since: failingSince, disabled_at: at, disabled_why: why });
    await notify(write, await installationAdmins(write), {
      kind: 'webhooks_disabled',
      extension: extensionId,
      because: why,
    });
    return write.audit({
      companyId: companyId ?? undefined,
      action: 'extension.webhooks_disabled',
      subject: `extension ${extensionId}`,
      details: { why },
    });
  }
  const tries = delivery.tries + 1;
  const asked = answered?.status === 429 || answered?.status === 503 ? answered.retryAfter : undefined;
  const next = schedule(tries, at, asked, random);
  await postponeDelivery(
    write,
    delivery,
    next === undefined
      ? { state: 'failed', tries, next_attempt_at: null }
      : { state: 'pending', tries, next_attempt_at: next },
  );
  if (endpoint.failing_since === null) await updateEndpoint(write, extensionId, { failing_since: failingSince });
}

/** Calls {@link Dispatcher.pass} from time to time. @returns stops it */
export type RepeatDelivering = (dispatcher: Dispatcher, log: Log, hub: Hub) => () => Promise<void>;

/** Commits within so many milliseconds share a pass. */
const together = 10;

/** After each commit, and every quarter of a second for what is due again. A pass that finds nothing is one small read. */
export const afterCommits: RepeatDelivering = (dispatcher, log, hub) => {
  const pass = () => {
    dispatcher.pass().catch((error: unknown) => log.warn({ err: error }, 'looking for webhooks to deliver failed'));
  };
  const timer = setInterval(pass, second / 4);
  timer.unref();
  let soon: NodeJS.Timeout | undefined;
  let sequence = 0;
  const unsubscribe = hub.subscribe((news) => {
    if (news.sequence <= sequence) return;
    sequence = news.sequence;
    soon ??= setTimeout(() => {
      soon = undefined;
      pass();
    }, together);
  });
  return () => {
    unsubscribe();
    clearInterval(timer);
    clearTimeout(soon);
    return dispatcher.stop();
  };
};
