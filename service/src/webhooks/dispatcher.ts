/**
 * Delivers events to webhook addresses: in order per person and endpoint, at least once, across replicas and crashes.
 *
 * One process at a time works for an endpoint; a lease in the database says which. It takes up new events, sends the
 * first pending one of each lane (a lane is a person), a few at a time, and records the attempts, those that end together
 * in one commit. If it stops between an answer and its record, the event is sent once more with the same id, at most one
 * of each lane. An endpoint that hangs fills its own
 * few places and delays no other.
 */

import type { KeyObject } from 'node:crypto';
import type { Log } from '@clockproof/platform/log';
import { day, type Instant, second } from '@clockproof/platform/time/instant';
import pLimit from 'p-limit';
import { eventId, eventText } from '../events/events.js';
import type { Hub } from '../events/hub.js';
import type { EventRow } from '../events/rows.js';
import { readableEvents } from '../extensions/readable-events.js';
import type { ExtensionRow } from '../extensions/rows.js';
import type { ExtensionId } from '../ids.js';
import type { SealingKeys } from '../sealing/sealing-keys.js';
import { settledPosition } from '../store/position.js';
import type { Store, Write } from '../store/write.js';
import {
  type DeliveryRow,
  dueDeliveries,
  type EndpointRow,
  endpointsWithWork,
  findServed,
  insertAttempts,
  isStillDue,
  leaseEndpoint,
  lockEndpoint,
  markDelivered,
  postponeDelivery,
  releaseEndpoint,
  updateDelivery,
  updateEndpoint,
} from './delivery-rows.js';
import { deliveryReaderOf, disableEndpoint, takeUpEvents } from './endpoints.js';
import type { Pace } from './pace.js';
import { nextAttempt } from './retry-schedule.js';
import { listSecrets } from './rows.js';
import { openSecrets } from './secrets.js';
import type { Attempt, SendWebhook } from './send.js';
import { signingKey } from './signature.js';

/** Requests under way to one endpoint. */
const parallelLanes = 5;
/** Lanes of an endpoint that are busy: their requests are under way, or answered and not recorded. */
const mostBusy = 100;
/**
 * Deliveries read at once: twice as many as before where all were sent in time, up to the most. Few where they went
 * stale, and while requests of people wait for each other.
 */
const batchSize = 50;
const largestBatch = 200;
/** How long they may be sent without another look at the rights. */
const freshFor = second / 4;
/** So many outcomes are recorded without waiting for more, and fewer after so many milliseconds. */
const fullGroup = 50;
const longestWait = 10;
/** While requests of people wait for each other. */
const longestContendedWait = 100;
/** With fewer than this share of a batch left, the next one is read. */
const readAhead = 0.5;
/** Reads and records of all endpoints that use the database at the same time: requests of people are to get their turn. */
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
  /** Holds deliveries back while requests need the process. */
  readonly pace?: Omit<Pace, 'answered' | 'began'>;
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
  const { clock, holder, log, db, pace } = options;
  const inTurn = pLimit(parallelStatements);
  const running = new Map<ExtensionId, { readonly ended: Promise<void>; readonly bell: Bell }>();
  let stopped = false;

  function begin(extensionId: ExtensionId): Promise<void> {
    const bell = createBell();
    const ended = deliver({ ...options, inTurn }, extensionId, bell, () => stopped)
      // The next pass tries again.
      .catch((error: unknown) => log.error({ err: error, extension: extensionId }, 'delivering webhooks failed'))
      .finally(() => running.delete(extensionId));
    running.set(extensionId, { ended, bell });
    return ended;
  }

  /** While requests of people wait for each other, all who ask share a look. */
  let looking: Promise<void> | undefined;
  async function look(): Promise<void> {
    if (pace?.isContended() === true) await new Promise<void>((resolve) => pace.whenFree(resolve));
    looking = undefined;
  }

  return {
    async pass() {
      looking ??= look();
      await looking;
      if (stopped) return;
      for (const { bell } of running.values()) bell.ring();
      const found = await endpointsWithWork(db, holder, clock());
      await Promise.all(found.map((extensionId) => running.get(extensionId)?.ended ?? begin(extensionId)));
    },
    async stop() {
      stopped = true;
      for (const { bell } of running.values()) bell.ring();
      await Promise.all([...running.values()].map(({ ended }) => ended));
    },
  };
}

/** Wakes who waits for something to do. */
interface Bell {
  /** There may be more to read. */
  ring(): void;
  /** A place is free. */
  knock(): void;
  isRung(): boolean;
  silence(): void;
  /** Resolves with the next ring or knock from now on. */
  next(): Promise<void>;
}

function createBell(): Bell {
  let rung = true;
  let wake = () => {};
  return {
    ring() {
      rung = true;
      wake();
    },
    knock: () => wake(),
    isRung: () => rung,
    silence: () => {
      rung = false;
    },
    next: () => new Promise((resolve) => (wake = resolve)),
  };
}

interface Work extends DispatcherOptions {
  inTurn<Result>(effect: () => Promise<Result>): Promise<Result>;
}

/** A delivery that may be sent now, with what the key may read of it at this time. */
interface Ready {
  readonly extension: ExtensionRow;
  readonly secrets: readonly KeyObject[];
  readonly readAt: Instant;
  readonly delivery: DeliveryRow;
  readonly event: EventRow | undefined;
}

/** What became of a delivery, and is not recorded yet. */
interface Outcome {
  readonly delivery: DeliveryRow;
  /** undefined: the key lost the permission in between. */
  readonly attempt: (Attempt & { readonly began: Instant }) | undefined;
}

/**
 * Works for one endpoint until nothing is due. A lane is busy until the outcome is recorded; a place among the requests
 * is free as soon as the answer is there, and outcomes that come while others are being recorded share the next commit.
 */
async function deliver(options: Work, extensionId: ExtensionId, bell: Bell, isStopped: () => boolean): Promise<void> {
  const { db, clock, holder, inTurn, send, pace } = options;
  const lease = () =>
    db.maintain('deliveries', (tx) =>
      leaseEndpoint(tx, extensionId, holder, { at: clock(), until: clock() + leaseMilliseconds }),
    );
  if (!(await lease())) return;
  let leasedAt = clock();
  const busy = new Set<number>();
  const requests = new Set<Promise<void>>();
  let ready: Ready[] = [];
  let reading: Promise<void> | undefined;
  // What was read before the endpoint was disabled does not count.
  let readings = 0;
  // While there is enough to do, new events wait in the feed.
  let hungry = true;
  let size = batchSize;
  let isOver = false;
  const recorder = createRecorder(options, extensionId, {
    recorded(lanes, isDisabled) {
      for (const lane of lanes) busy.delete(lane);
      if (isDisabled) {
        ready = [];
        readings++;
      }
      bell.ring();
    },
    // Then the next outcomes are near.
    mayWait: () => ready.length > 0 && !isStopped(),
  });

  function read(): void {
    bell.silence();
    // Those under way are still pending, and the first of their lanes; even if they are recorded during the read.
    const taken = new Set([...busy, ...ready.map(({ delivery }) => delivery.lane)]);
    if (pace?.isContended() === true) size = batchSize;
    const limit = size;
    const wanted = limit + taken.size;
    const number = ++readings;
    reading = inTurn(() => readDue(options, extensionId, { hungry, taken, limit, wanted }))
      .then((found) => {
        if (found === undefined) {
          isOver = true;
          return;
        }
        if (number === readings) ready.push(...found.ready);
        hungry = found.count < wanted;
        if (!hungry) size = Math.min(2 * limit, largestBatch);
        // There is more.
        if (!hungry || number !== readings) bell.ring();
      }, recorder.fail)
      .finally(() => {
        reading = undefined;
        bell.knock();
      });
  }

  function begin({ extension, secrets, delivery, event }: Ready): void {
    const began = clock();
    busy.add(delivery.lane);
    if (event === undefined || extension.webhook_url === null) {
      recorder.take({ delivery, attempt: undefined });
      return;
    }
    const request = send({
      url: extension.webhook_url,
      id: eventId({ epoch: event.epoch, place: event.sequence }),
      body: eventText(event),
      secrets,
      at: began,
      line: extensionId,
    })
      .then((attempt) => recorder.take({ delivery, attempt: { ...attempt, began } }), recorder.fail)
      .finally(() => {
        requests.delete(request);
        bell.knock();
      });
    requests.add(request);
  }

  try {
    while (!isStopped()) {
      const woken = bell.next();
      recorder.check();
      if (isOver) break;
      if (clock() - leasedAt > leaseMilliseconds / 3) {
        if (!(await lease())) break;
        leasedAt = clock();
      }
      if (ready.length > 0 && clock() - ready[0]!.readAt > freshFor) {
        ready = [];
        size = batchSize;
        bell.ring();
      }
      const wantsMore = bell.isRung() && requests.size < parallelLanes && ready.length < size * readAhead;
      if (wantsMore && reading === undefined) {
        if (pace === undefined || pace.mayRead()) read();
        else pace.whenFree(bell.knock);
      }
      while (ready.length > 0 && requests.size < parallelLanes && busy.size < mostBusy) {
        // This process was stopped for a while: another one may have gone on.
        if (clock() - leasedAt >= (2 / 3) * leaseMilliseconds) {
          bell.ring();
          break;
        }
        begin(ready.shift()!);
      }
      if (busy.size === 0 && ready.length === 0 && reading === undefined && !bell.isRung()) break;
      await woken;
    }
  } finally {
    await reading;
    await Promise.all(requests);
    await recorder.finish();
    await db.maintain('deliveries', (tx) => releaseEndpoint(tx, extensionId, holder));
  }
  recorder.check();
}

interface Reading {
  /** Whether new events are taken up before. */
  readonly hungry: boolean;
  readonly taken: ReadonlySet<number>;
  readonly limit: number;
  readonly wanted: number;
}

/**
 * @returns at most `limit` first ones of free lanes, of so many `wanted` first ones, and how many there were of these;
 * undefined if nothing is delivered here any more
 */
async function readDue(
  options: Work,
  extensionId: ExtensionId,
  { hungry, taken, limit, wanted }: Reading,
): Promise<{ readonly ready: readonly Ready[]; readonly count: number } | undefined> {
  const { db, clock, keys } = options;
  if (hungry && !(await takeUp(options, extensionId))) return undefined;
  const readAt = clock();
  const [extension, due, sealed] = await Promise.all([
    findServed(db, extensionId, options.holder),
    dueDeliveries(db, extensionId, readAt, wanted),
    listSecrets(db, extensionId),
  ]);
  if (extension === undefined) return undefined;
  const secrets = openSecrets(sealed, extensionId, keys, readAt).map(signingKey);
  const free = due.filter(({ lane }) => !taken.has(lane)).slice(0, limit);
  const only = free.map(({ sequence }) => sequence);
  const events =
    only.length === 0
      ? []
      : await readableEvents(
          db,
          // What the extension chose counted when the delivery was made.
          { ...deliveryReaderOf(extension, readAt), types: undefined },
          { after: only[0]! - 1, upTo: only.at(-1)!, since: 0, limit: only.length, only },
        );
  const bySequence = new Map(events.map((event) => [event.sequence, event]));
  const ready = free.map((delivery) => {
    return { extension, secrets, readAt, delivery, event: bySequence.get(delivery.sequence) };
  });
  return { ready, count: due.length };
}

/** Turns new events into deliveries. @returns false if nothing is delivered here any more, or by another process */
async function takeUp({ db, clock, holder }: Work, extensionId: ExtensionId): Promise<boolean> {
  const extension = await findServed(db, extensionId, holder);
  if (extension === undefined) return false;
  if (extension.position >= (await settledPosition(db)).place) return true;
  return db.maintain('deliveries', async (tx) => {
    const locked = await lockEndpoint(tx, extensionId);
    if (locked?.lease_holder !== holder || locked.disabled_at !== null) return false;
    await takeUpEvents(tx, extension, locked, clock());
    return true;
  });
}

interface Recorder {
  take(outcome: Outcome): void;
  fail(error: unknown): void;
  /** @throws what went wrong since the beginning */
  check(): void;
  /** Resolves when everything taken is recorded, or could not be. */
  finish(): Promise<void>;
}

interface RecorderOptions {
  /** Hears which lanes are free, and whether it is over. */
  recorded(lanes: readonly number[], isOver: boolean): void;
  /** Whether more is about to be sent, so that a commit for a few outcomes would be a waste. */
  mayWait(): boolean;
}

/** Records outcomes, those that come soon after each other together. */
function createRecorder(options: Work, extensionId: ExtensionId, { recorded, mayWait }: RecorderOptions): Recorder {
  const { db, clock, inTurn, pace } = options;
  let waiting: Outcome[] = [];
  let running: Promise<void> | undefined;
  let failure: { readonly error: unknown } | undefined;
  let timer: NodeJS.Timeout | undefined;

  function begin(): void {
    clearTimeout(timer);
    timer = undefined;
    running ??= run();
  }

  /** Records what waits, at once or soon. */
  function consider(): void {
    if (running !== undefined || waiting.length === 0) return;
    const isContended = pace?.isContended() === true;
    if (!mayWait() || waiting.length >= (isContended ? batchSize : fullGroup)) begin();
    else timer ??= setTimeout(begin, isContended ? longestContendedWait : longestWait);
  }

  async function run(): Promise<void> {
    do {
      let group: readonly Outcome[] = [];
      try {
        const isOver = await inTurn(() => {
          group = waiting;
          waiting = [];
          return db.write({ actor: { kind: 'system' }, at: clock() }, (write) =>
            recordGroup(write, extensionId, group, options),
          );
        });
        recorded(
          group.map(({ delivery }) => delivery.lane),
          isOver,
        );
      } catch (error) {
        fail(error);
      }
    } while (waiting.length >= fullGroup);
    running = undefined;
    consider();
  }

  function fail(error: unknown): void {
    failure ??= { error };
    recorded([], true);
  }

  return {
    take(outcome) {
      waiting.push(outcome);
      consider();
    },
    fail,
    check() {
      if (failure !== undefined) throw failure.error;
    },
    async finish() {
      while (running !== undefined || waiting.length > 0) {
        begin();
        await running;
      }
    },
  };
}

/**
 * If the process stops before the commit, all of the group is sent again, one event of each lane.
 * @returns whether nothing more is sent to the endpoint for now
 */
async function recordGroup(
  write: Write,
  extensionId: ExtensionId,
  group: readonly Outcome[],
  options: Work,
): Promise<boolean> {
  write.unaudited('progress');
  const endpoint = await lockEndpoint(write, extensionId);
  // Its lease was over, and another process goes on from what is recorded.
  if (endpoint?.lease_holder !== options.holder) return true;
  const sent = group.flatMap(({ delivery, attempt }) => (attempt === undefined ? [] : [{ delivery, ...attempt }]));
  // The page of the extension shows it.
  if (sent.length > 0) write.touch({ family: 'delivery', company: null, parties: [`extension ${extensionId}`] });
  await insertAttempts(
    write,
    extensionId,
    sent.map(({ delivery: { sequence }, ...attempt }) => {
      const answered = attempt.outcome === 'unreachable' ? undefined : attempt;
      return {
        sequence,
        at: attempt.began,
        outcome: attempt.outcome,
        status: answered?.status ?? null,
        milliseconds: attempt.milliseconds,
        answer: answered?.answer || null,
      };
    }),
  );
  for (const { delivery, attempt } of group)
    if (attempt === undefined) await updateDelivery(write, delivery, { state: 'failed', next_attempt_at: null });
  let now = endpoint;
  for (const one of sent)
    now = one.outcome === 'delivered' ? afterSuccess(write, now) : await recordFailure(write, now, one, options);
  const delivered = sent.filter(({ outcome }) => outcome === 'delivered').map(({ delivery }) => delivery.sequence);
  await markDelivered(write, extensionId, delivered);
  const { failing_since, last_delivered_at } = now;
  if (failing_since !== endpoint.failing_since || last_delivered_at !== endpoint.last_delivered_at)
    await updateEndpoint(write, extensionId, { failing_since, last_delivered_at });
  return now.disabled_at !== null;
}

/** The endpoint as it is after a delivery. */
function afterSuccess({ at }: Write, endpoint: EndpointRow): EndpointRow {
  // Shown in seconds: one write for all deliveries of a second.
  const isShown = (endpoint.last_delivered_at ?? 0) >= at - (at % second);
  return { ...endpoint, failing_since: null, ...(isShown ? {} : { last_delivered_at: at }) };
}

/** @returns the endpoint as it is after that; `failing_since` is still to be stored */
async function recordFailure(
  write: Write,
  endpoint: EndpointRow,
  { delivery, ...outcome }: Attempt & { readonly delivery: DeliveryRow; readonly began: Instant },
  { random, schedule = nextAttempt }: Work,
): Promise<EndpointRow> {
  const { at } = write;
  const { extension_id: extensionId } = endpoint;
  const answered = outcome.outcome === 'unreachable' ? undefined : outcome;
  // Another lane had the endpoint disabled; this delivery is given up.
  if (endpoint.disabled_at !== null) return endpoint;
  // Given up meanwhile, or started again by somebody: what was tried before says nothing about the address as it is now.
  if (!(await isStillDue(write, delivery))) return endpoint;
  const failingSince = endpoint.failing_since ?? outcome.began;
  const why =
    answered?.status === 410 ? 'gone' : at - failingSince >= failingDays * day ? ('failing' as const) : undefined;
  if (why !== undefined) {
    await disableEndpoint(write, extensionId, why);
    return { ...endpoint, failing_since: failingSince, disabled_at: at, disabled_why: why };
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
  return { ...endpoint, failing_since: failingSince };
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
  let place = 0;
  const unsubscribe = hub.subscribe((news) => {
    if (news.place <= place) return;
    place = news.place;
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
