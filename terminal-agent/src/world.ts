import type { RandomBytes } from './key.js';
import type { Fetch } from './request.js';
import type { Sleep } from './sleep.js';

/** What a process gives to the program, and a test replaces. */
export interface World {
  readonly fetch: Fetch;
  /** Milliseconds since 1970 by this PC's clock, which people and NTP set: for what is shown and signed. */
  readonly now: () => number;
  /** Milliseconds since any instant, by a clock that nothing sets: for how long something lasts. */
  readonly elapsed: () => number;
  readonly random: RandomBytes;
  readonly sleep: Sleep;
  /** One line for the person at the terminal or the operator. */
  readonly print: (line: string) => void;
  /** What this PC says of itself when it is paired. */
  readonly device: string;
  /** Names the program that is in service, new at each start; absent in commands that run beside it. */
  readonly run?: string;
}
