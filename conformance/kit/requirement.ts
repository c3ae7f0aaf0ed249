/** A requirement: one sentence about a deployment, further sentences of the specification, and the check. */
import type { World } from './world.js';

export const suites = [
  'contract',
  'time',
  'absences',
  'proofs',
  'oauth',
  'terminal',
  'events',
  'security',
  'indexer',
  'laws',
] as const;
export type Suite = (typeof suites)[number];
export type Level = 'must' | 'should';

export interface Requirement {
  /** Stable: it is never given to another sentence. */
  readonly id: string;
  readonly suite: Suite;
  readonly level: Level;
  /** One sentence about the deployment, true when the check passes. */
  readonly says: string;
  /** Further sentences of the specification that it stands for, in our own words. Each stands at one requirement. */
  readonly covers?: readonly string[];
  /** Runs beside the others, because it mostly waits. */
  readonly waits?: boolean;
  /** Runs after all others and judges what they saw. */
  readonly last?: boolean;
  /** Seconds; 30 unless given. */
  readonly limit?: number;
  /** @throws Breach the deployment breaks the sentence. @throws Skipped it cannot be checked here, and why. */
  readonly check: (world: World) => Promise<void>;
}

export const requirement = (definition: Requirement): Requirement => definition;
