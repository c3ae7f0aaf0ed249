/**
 * Deliveries give way to requests of people. While requests wait for each other, the endpoints take turns: one of them
 * reads a batch after so many requests were answered, or after a pause. Where nobody waits, any endpoint reads at any
 * time. So a stamp hardly notices how many addresses want to hear of it, and what waits meanwhile goes out in fuller
 * batches, which cost less for each delivery. A turn is over when it has begun: an address that hangs holds up no other.
 */
import { performance } from 'node:perf_hooks';

export interface Pace {
  /** A request that changes something has begun. @returns to be called when it has ended, answered or not */
  began(): () => void;
  /** A request was answered, after so many seconds. */
  answered(seconds: number): void;
  /** Whether requests wait for each other. */
  isContended(): boolean;
  /** Whether a batch may be read now; then it is counted. What was read may be sent. */
  mayRead(): boolean;
  /** Calls back when it makes sense to ask again; who has waited longest, first. */
  whenFree(callback: () => void): void;
}

export interface PaceOptions {
  /** Milliseconds, rising. */
  readonly now?: () => number;
  /** The share of time since the last question in which the event loop was busy, from 0 to 1. */
  readonly utilization?: () => number;
  /** How long a request took, in seconds, given what was measured. */
  readonly lasting?: (seconds: number) => number;
}

/** Milliseconds. */
const windowLength = 100;
/** Milliseconds without an answer after which what was measured before says nothing about now. */
const calm = 200;
/** After a longer window nothing may have run for a while: it says nothing of how many wait. Milliseconds. */
const stall = 300;
/** Of a window: with fewer requests nobody begins to be held up. */
const fewRequests = 5;
/** Under way at the same time, in the mean: they wait for each other, be it for a processor, the disk or the database. */
const manyAtOnce = 4;
/** With fewer they no longer do. */
const fewAtOnce = 2;
const saturated = 0.9;
/** From one batch to the next one: so many answered requests, or so many milliseconds. */
const requestsBetween = 200;
const longestPause = 400;
/** Milliseconds. */
const untilNextLook = 50;

export function createPace({
  now = () => performance.now(),
  utilization = measured(),
  lasting = (seconds) => seconds,
}: PaceOptions = {}): Pace {
  let windowFrom = now();
  let answeredAt = now();
  /** Requests that change something, under way now. */
  let changing = 0;
  const ended = () => {
    changing--;
  };
  let requests = 0;
  /** Milliseconds that requests took together, within a window: some wait for events on purpose, for half a minute. */
  let took = 0;
  let isContended = false;
  let batchAt = -Infinity;
  let requestsSince = 0;
  let waiting = new Set<() => void>();

  function roll(): void {
    const length = now() - windowFrom;
    if (length < windowLength) return;
    const perWindow = (requests * windowLength) / length;
    const isSaturated = utilization() >= saturated;
    const isMany = perWindow >= fewRequests;
    const atOnce = took / length;
    if (!isContended) isContended = isMany && now() - answeredAt < calm && (isSaturated || atOnce >= manyAtOnce);
    // Where the disk or the database hesitates, few or none are answered, and those who wait still do.
    else if (changing < fewAtOnce || (requests > 0 && length < stall))
      isContended = (isMany && isSaturated) || atOnce >= fewAtOnce;
    windowFrom = now();
    requests = 0;
    took = 0;
  }

  return {
    began() {
      changing++;
      return ended;
    },
    answered(seconds) {
      answeredAt = now();
      requests++;
      requestsSince++;
      took += Math.min(lasting(seconds) * 1_000, Math.max(windowLength, now() - windowFrom));
    },
    isContended() {
      roll();
      return isContended;
    },
    mayRead() {
      roll();
      if (isContended && requestsSince < requestsBetween && now() < batchAt + longestPause) return false;
      batchAt = now();
      requestsSince = 0;
      return true;
    },
    whenFree(callback) {
      waiting.add(callback);
      if (waiting.size > 1) return;
      setTimeout(() => {
        const those = waiting;
        waiting = new Set();
        for (const one of those) one();
      }, untilNextLook);
    },
  };
}

function measured(): () => number {
  let before = performance.eventLoopUtilization();
  return () => {
    const present = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(present, before);
    before = present;
    return utilization;
  };
}
