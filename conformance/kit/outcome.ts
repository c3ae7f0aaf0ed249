/** How a check ends that does not pass. */

/** The deployment does something else than the requirement says. */
export class Breach extends Error {}

/** The requirement cannot be checked against this deployment. */
export class Skipped extends Error {}

/** @throws Breach */
export function ensure(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Breach(what);
}

/** Compares as JSON. @throws Breach */
export function equal(actual: unknown, expected: unknown, what: string): void {
  const [is, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (is !== wanted) throw new Breach(`${what}: expected ${wanted ?? 'nothing'}, got ${is ?? 'nothing'}`);
}
