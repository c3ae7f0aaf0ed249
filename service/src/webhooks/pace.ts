/**
 * Deliveries give way to requests of people. Where the event loop is saturated and requests are being answered, only a
 * third as many deliveries begin as requests were answered; a few always do, and where nobody asks for anything all of them
 * may. So a stamp hardly notices how many addresses want to hear of it, and what waits goes out afterwards.
 */
import { performance } from 'node:perf_hooks';

export interface Pace {
  /** A request was answered. */
  answered(): void;
  /** Whether a delivery might begin now. */
  isOpen(): boolean;
  /** Whether a delivery may begin now; then it is counted. */
  mayBegin(): boolean;
  /** Calls back when it makes sense to ask again. */
  whenFree(callback: () => void): void;
}

export interface PaceOptions {
  /** Milliseconds, rising. */
  readonly now?: () => number;
  /** The share of time since the last question in which the event loop was busy, from 0 to 1. */
  readonly utilization?: () => number;
}

/** Milliseconds. */
const windowLength = 100;
/** Of a window: with fewer requests nobody is held up. */
const fewRequests = 5;
const leastDeliveries = 10;
const saturated = 0.9;

export function createPace({ now = () => performance.now(), utilization = measured() }: PaceOptions = {}): Pace {
  let windowFrom = now();
  let requests = 0;
  let left = Infinity;
  let waiting = new Set<() => void>();

  function roll(): void {
    const length = now() - windowFrom;
    if (length < windowLength) return;
    const perWindow = (requests * windowLength) / length;
    const isContended = utilization() >= saturated && perWindow >= fewRequests;
    left = isContended ? Math.max(leastDeliveries, Math.floor(perWindow / 3)) : Infinity;
    windowFrom = now();
    requests = 0;
  }

  return {
    answered() {
      requests++;
    },
    isOpen() {
      roll();
      return left >= 1;
    },
    mayBegin() {
      roll();
      if (left < 1) return false;
      left--;
      return true;
    },
    whenFree(callback) {
      waiting.add(callback);
      if (waiting.size > 1) return;
      setTimeout(() => {
        const those = waiting;
        waiting = new Set();
        for (const one of those) one();
      }, windowLength);
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
