import type { RandomBytes } from './key.js';
import type { Fetch } from './request.js';
import type { Sleep } from './sleep.js';

/** Parts of the process that a test replaces. */
export interface World {
  readonly fetch: Fetch;
  /** Milliseconds since 1970 by this PC's clock, which people and NTP set: for shown and signed times. */
  readonly now: () => number;
  /** Milliseconds since any instant, by a clock that nothing sets: for how long something lasts. */
  readonly elapsed: () => number;
  /** Milliseconds since the PC was started: nothing sets them, and they go on while it sleeps. */
  readonly uptime: () => number;
  readonly random: RandomBytes;
  readonly sleep: Sleep;
  /** One line for the person at the terminal or the operator. */
  readonly print: (line: string) => void;
  /** This PC's description of itself for pairing. */
  readonly device: string;
  /** Names the program that is in service, new at each start; absent in commands that run beside it. */
  readonly run?: string;
}
