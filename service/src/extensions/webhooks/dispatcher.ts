/**
 * Delivers events to webhook addresses: in order per person and endpoint, at least once, across replicas and crashes.
 *
 * One process at a time works for an endpoint; a lease in the database says which. It takes up new events, sends the
 * first pending one of each lane (a lane is a person), a few at a time, and records each attempt. If it stops between
 * an answer and its record, the event is sent once more with the same id, at most one of each lane. An endpoint that
 * hangs fills its own requests and delays no other.
 */

import type { KeyObject } from 'node:crypto';
import type { Log } from '@clockproof/platform/log';
import { day, type Instant, second } from '@clockproof/platform/time/instant';
import pLimit from 'p-limit';
import type { EventRow } from '../../store/event-rows.js';
import { eventId, eventText } from '../../store/events.js';
import type { Hub } from '../../store/hub.js';
import type { ExtensionId } from '../../store/ids.js';
import { settledPosition } from '../../store/position.js';
import type { SealingKeys } from '../../store/sealing/sealing-keys.js';
import type { Store, Write } from '../../store/write.js';
import { readableEvents } from '../readable-events.js';
import type { ExtensionRow } from '../rows.js';
import {
  type DeliveryRow,
  dueDeliveries,
  type EndpointRow,
  endpointsWithWork,
  findServed,
  insertAttempt,
  isStillDue,
  leaseEndpoint,
  lockEndpoint,
  postponeDelivery,
  releaseEndpoint,
  updateDelivery,
  updateEndpoint,
} from './delivery-rows.js';
import { deliveryReaderOf, disableEndpoint, takeUpEvents } from './endpoints.js';
import { nextAttempt } from './retry-schedule.js';
import { listSecrets } from './rows.js';
import { openSecrets } from './secrets.js';
import type { Attempt, SendWebhook } from './send.js';
import { signingKey } from './signature.js';

/** Requests at a time to one endpoint. */
const maxRequests = 5;
/** Reads and records of all endpoints at a time: requests of people are to get their turn at the database. */
const maxStatements = 2;
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
  /** The retry schedule of a failed delivery. */
  readonly schedule?: typeof nextAttempt;
}

export interface Dispatcher {
  /** Looks for due work and does it. Resolves when nothing is due any more. */
  pass(): Promise<void>;
  /** Begins nothing new and waits for the requests under way. */
  stop(): Promise<void>;
}

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { clock, holder, log, db } = options;
  const inTurn = pLimit(maxStatements);
  const runs = new Map<ExtensionId, { readonly completion: Promise<void>; readonly wake: () => void }>();
  let isStopped = false;

  function begin(extensionId: ExtensionId): Promise<void> {
    let wake = () => {};
    const context = {
      ...options,
      inTurn,
      isStopped: () => isStopped,
      waitForWork: () => new Promise<void>((resolve) => (wake = resolve)),
    };
    const promise = deliver(context, extensionId)
      // The next pass tries again.
      .catch((error: unknown) => log.error({ err: error, extension: extensionId }, 'delivering webhooks failed'))
      .finally(() => runs.delete(extensionId));
    runs.set(extensionId, { completion: promise, wake: () => wake() });
    return promise;
  }

  return {
    async pass() {
      if (isStopped) return;
      for (const { wake } of runs.values()) wake();
      const extensionIds = await inTurn(() => endpointsWithWork(db, holder, clock()));
      await Promise.all(extensionIds.map((extensionId) => runs.get(extensionId)?.completion ?? begin(extensionId)));
    },
    async stop() {
      isStopped = true;
      for (const { wake } of runs.values()) wake();
      await Promise.all([...runs.values()].map(({ completion }) => completion));
    },
  };
}

interface Work extends DispatcherOptions {
  inTurn<Result>(effect: () => Promise<Result>): Promise<Result>;
  isStopped(): boolean;
  /** Resolves when there may be more to do. */
  waitForWork(): Promise<void>;
}

/** A delivery that may be sent now, with its event if the key may read it at this time. */
interface Ready {
  readonly extension: ExtensionRow;
  readonly secrets: readonly KeyObject[];
  readonly delivery: DeliveryRow;
  readonly event: EventRow | undefined;
}

/** Works for one endpoint until nothing is due. */
async function deliver(work: Work, extensionId: ExtensionId): Promise<void> {
  const { db, clock, holder, inTurn, isStopped, waitForWork } = work;
  const takeLease = () =>
    db.runMaintenance('deliveries', (tx) =>
      leaseEndpoint(tx, extensionId, holder, { at: clock(), until: clock() + leaseMilliseconds }),
    );
  if (!(await takeLease())) return;
  let leasedAt = clock();
  /** By lane. A lane is busy until its attempt is recorded, so that the next one of it is sent after it. */
  const busyLanes = new Map<number, Promise<void>>();
  /** Failures to record an attempt: it is made again, with the same id. */
  const failures: unknown[] = [];
  try {
    while (!isStopped() && failures.length === 0) {
      const workSignal = waitForWork();
      if (clock() - leasedAt > leaseMilliseconds / 3) {
        if (!(await takeLease())) break;
        leasedAt = clock();
      }
      const lanes = new Set(busyLanes.keys());
      const batch = lanes.size < maxRequests ? await inTurn(() => readDue(work, extensionId, lanes)) : [];
      if (batch === undefined) break;
      if (isStopped()) break;
      // This process was stopped for a while: another one may have gone on.
      if (clock() - leasedAt >= (2 / 3) * leaseMilliseconds) continue;
      for (const dueDelivery of batch) {
        const { lane } = dueDelivery.delivery;
        busyLanes.set(
          lane,
          attempt(work, extensionId, dueDelivery)
            .catch((error: unknown) => void failures.push(error))
            .finally(() => busyLanes.delete(lane)),
        );
      }
      if (busyLanes.size > 0) await Promise.race([...busyLanes.values(), workSignal]);
      // A lane that became free during the read may hold more.
      else if (lanes.size === 0) break;
    }
  } finally {
    await Promise.all(busyLanes.values());
    await db.runMaintenance('deliveries', (tx) => releaseEndpoint(tx, extensionId, holder));
  }
  if (failures.length > 0) throw failures[0];
}

/**
 * @param busyLanes lanes that are not free
 * @returns the first deliveries of free lanes, as many as may be sent now; undefined if nothing is delivered here any
 * more
 */
async function readDue(
  work: Work,
  extensionId: ExtensionId,
  busyLanes: ReadonlySet<number>,
): Promise<readonly Ready[] | undefined> {
  const { db, clock, keys, holder } = work;
  if (!(await takeUp(work, extensionId))) return undefined;
  const at = clock();
  const [extension, first, sealedSecrets] = await Promise.all([
    findServed(db, extensionId, holder),
    dueDeliveries(db, extensionId, at, maxRequests),
    listSecrets(db, extensionId),
  ]);
  if (extension === undefined) return undefined;
  const batch = first.filter(({ lane }) => !busyLanes.has(lane)).slice(0, maxRequests - busyLanes.size);
  if (batch.length === 0) return [];
  const secrets = openSecrets(sealedSecrets, extensionId, keys, at).map(signingKey);
  const sequences = batch.map(({ sequence }) => sequence);
  const events = await readableEvents(
    db,
    // The extension's choice of types applied when the delivery was made.
    { ...deliveryReaderOf(extension, at), types: undefined },
    { after: sequences[0]! - 1, upTo: sequences.at(-1)!, since: 0, limit: sequences.length, sequences },
  );
  const bySequence = new Map(events.map((event) => [event.sequence, event]));
  return batch.map((delivery) => ({ extension, secrets, delivery, event: bySequence.get(delivery.sequence) }));
}

/** Turns new events into deliveries. @returns false if nothing is delivered here any more, or by another process */
async function takeUp({ db, clock, holder }: Work, extensionId: ExtensionId): Promise<boolean> {
  const extension = await findServed(db, extensionId, holder);
  if (extension === undefined) return false;
  if (extension.position >= (await settledPosition(db)).place) return true;
  return db.runMaintenance('deliveries', async (tx) => {
    const endpoint = await lockEndpoint(tx, extensionId);
    if (endpoint?.lease_holder !== holder || endpoint.disabled_at !== null) return false;
    await takeUpEvents(tx, extension, endpoint, clock());
    return true;
  });
}

/** Sends a delivery and records the outcome. If the process stops in between, it is sent again with the same id. */
async function attempt(
  work: Work,
  extensionId: ExtensionId,
  { extension, secrets, delivery, event }: Ready,
): Promise<void> {
  const { db, clock, inTurn, send } = work;
  const record = (effect: (write: Write) => Promise<void>) =>
    inTurn(() =>
      db.write({ actor: { kind: 'system' }, at: clock() }, async (write) => {
        write.unaudited('progress');
        await effect(write);
      }),
    );
  // The key lost the permission in between.
  if (event === undefined || extension.webhook_url === null)
    return record((write) => updateDelivery(write, delivery, { state: 'failed', next_attempt_at: null }));
  const startedAt = clock();
  const result = await send({
    url: extension.webhook_url,
    id: eventId({ epoch: event.epoch, place: event.sequence }),
    body: eventText(event),
    secrets,
    at: startedAt,
    line: extensionId,
  });
  await record((write) => recordAttempt(write, delivery, { ...result, startedAt }, work));
}

async function recordAttempt(
  write: Write,
  delivery: DeliveryRow,
  attempt: Attempt & { readonly startedAt: Instant },
  work: Work,
): Promise<void> {
  const { extension_id: extensionId, sequence } = delivery;
  const endpoint = await lockEndpoint(write, extensionId);
  // Its lease was over, and another process goes on from the records.
  if (endpoint?.lease_holder !== work.holder) return;
  // The page of the extension shows it.
  write.touch({ family: 'delivery', company: null, parties: [`extension ${extensionId}`] });
  const response = attempt.outcome === 'unreachable' ? undefined : attempt;
  await insertAttempt(write, extensionId, {
    sequence,
    at: attempt.startedAt,
    outcome: attempt.outcome,
    status: response?.status ?? null,
    milliseconds: attempt.milliseconds,
    answer: response?.answer || null,
  });
  if (attempt.outcome === 'delivered') await recordSuccess(write, endpoint, delivery);
  else await recordFailure(write, endpoint, delivery, attempt, work);
}

async function recordSuccess(write: Write, endpoint: EndpointRow, delivery: DeliveryRow): Promise<void> {
  const { at } = write;
  await updateDelivery(write, delivery, { state: 'delivered', next_attempt_at: null });
  // Shown in seconds: one write for all deliveries of a second.
  const isShown = (endpoint.last_delivered_at ?? 0) >= at - (at % second);
  if (endpoint.failing_since !== null || !isShown)
    await updateEndpoint(write, delivery.extension_id, { failing_since: null, last_delivered_at: at });
}

async function recordFailure(
  write: Write,
  endpoint: EndpointRow,
  delivery: DeliveryRow,
  attempt: Attempt & { readonly startedAt: Instant },
  { random, schedule = nextAttempt }: Work,
): Promise<void> {
  const { at } = write;
  const { extension_id: extensionId } = delivery;
  const response = attempt.outcome === 'unreachable' ? undefined : attempt;
  // Another lane had the endpoint disabled, and this delivery is given up; or an admin has started it again: earlier
  // attempts say nothing about the address as it is now.
  if (endpoint.disabled_at !== null || !(await isStillDue(write, delivery))) return;
  const failingSince = endpoint.failing_since ?? attempt.startedAt;
  if (endpoint.failing_since === null) await updateEndpoint(write, extensionId, { failing_since: failingSince });
  const reason =
    response?.status === 410 ? 'gone' : at - failingSince >= failingDays * day ? ('failing' as const) : undefined;
  if (reason !== undefined) return disableEndpoint(write, extensionId, reason);
  const tries = delivery.tries + 1;
  const retryAfterHeader = response?.status === 429 || response?.status === 503 ? response.retryAfter : undefined;
  const next = schedule(tries, at, retryAfterHeader, random);
  await postponeDelivery(
    write,
    delivery,
    next === undefined
      ? { state: 'failed', tries, next_attempt_at: null }
      : { state: 'pending', tries, next_attempt_at: next },
  );
}

/** Calls {@link Dispatcher.pass} from time to time. @returns stops it */
export type RepeatDelivering = (dispatcher: Dispatcher, log: Log, hub: Hub) => () => Promise<void>;

/** Commits within so many milliseconds share a pass. */
const passDelay = 10;

/**
 * After each commit, and every quarter of a second for deliveries that are due again. A pass that finds nothing is one
 * small read.
 */
export const afterCommits: RepeatDelivering = (dispatcher, log, hub) => {
  const pass = () => {
    dispatcher.pass().catch((error: unknown) => log.warn({ err: error }, 'looking for webhooks to deliver failed'));
  };
  const timer = setInterval(pass, second / 4);
  timer.unref();
  let passTimer: NodeJS.Timeout | undefined;
  let place = 0;
  const unsubscribe = hub.subscribe((notification) => {
    if (notification.place <= place) return;
    place = notification.place;
    passTimer ??= setTimeout(() => {
      passTimer = undefined;
      pass();
    }, passDelay);
  });
  return () => {
    unsubscribe();
    clearInterval(timer);
    clearTimeout(passTimer);
    return dispatcher.stop();
  };
};
