/** The same change for several people, one after the other: a failure for one does not stop the others. */
import { isSignedOut, Problem } from '../api/ask.js';
import type { Schemas } from '../api/session.js';

export type Person = Schemas['Person'];
export interface Refused {
  readonly person: Person;
  readonly problem: unknown;
}
export interface Outcome {
  /** Ids of the people who were changed. */
  readonly changed: ReadonlySet<number>;
  readonly refused: readonly Refused[];
  /** The problem that stopped it before the last person; the rest were not requested. */
  readonly stopped: unknown;
}

interface Running {
  /** The number of people processed so far. */
  readonly onStep: (count: number) => void;
  readonly wait: (milliseconds: number) => Promise<void>;
}

/**
 * Stops if the next person would fare the same: without a connection, and when the session is over. If the service gets
 * too many requests, it goes on at the time that the service names.
 */
export async function changeEach(
  people: readonly Person[],
  change: (person: Person) => Promise<unknown>,
  { onStep, wait }: Running,
): Promise<Outcome> {
  const changedIds = new Set<number>();
  const refusals: Refused[] = [];
  for (const [index, person] of people.entries()) {
    try {
      await repeatWhenLimited(() => change(person), wait);
      changedIds.add(person.id);
    } catch (problem) {
      if (isSignedOut(problem) || (problem instanceof Problem && ['offline', 'unavailable'].includes(problem.code)))
        return { changed: changedIds, refused: refusals, stopped: problem };
      refusals.push({ person, problem });
    }
    onStep(index + 1);
  }
  return { changed: changedIds, refused: refusals, stopped: undefined };
}

async function repeatWhenLimited(change: () => Promise<unknown>, wait: Running['wait']): Promise<unknown> {
  for (;;) {
    try {
      return await change();
    } catch (problem) {
      if (!(problem instanceof Problem) || problem.code !== 'rate_limited' || problem.retryAfterSeconds === undefined)
        throw problem;
      await wait(problem.retryAfterSeconds * 1_000);
    }
  }
}
