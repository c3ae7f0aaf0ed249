/** The same change for several people of a list: the others are not stopped by one, and nobody is changed twice. */
import { describe, expect, it } from '@jest/globals';

interface Person {
  readonly id: number;
}
interface Outcome {
  readonly changed: ReadonlySet<number>;
  readonly refused: readonly { readonly person: Person; readonly problem: unknown }[];
  readonly stopped: unknown;
}
const file: string = '../../web/src/people/each-person.js';
const problems: string = '../../web/src/api/ask.js';
const { changeEach } = (await import(file)) as {
  changeEach(
    people: readonly Person[],
    change: (person: Person) => Promise<unknown>,
    running: { onStep(count: number): void; wait(milliseconds: number): Promise<void> },
  ): Promise<Outcome>;
};
const { Problem } = (await import(problems)) as {
  Problem: new (code: string, sentence: undefined, details: [], retryAfterSeconds: number | undefined) => Error;
};

const people = [{ id: 1 }, { id: 2 }, { id: 3 }];
/** Runs changes of which each attempt is answered as listed, then well. */
async function run(answers: Readonly<Record<number, readonly Error[]>>) {
  const calledIds: number[] = [];
  const steps: number[] = [];
  const pauses: number[] = [];
  const outcome = await changeEach(
    people,
    async ({ id }) => {
      const problem = answers[id]?.[calledIds.filter((calledId) => calledId === id).length];
      calledIds.push(id);
      if (problem !== undefined) throw problem;
    },
    {
      onStep: (count) => steps.push(count),
      wait: async (milliseconds) => {
        pauses.push(milliseconds);
      },
    },
  );
  return { ...outcome, changed: [...outcome.changed], calledIds, steps, pauses };
}
const problem = (code: string, retryAfter?: number) => new Problem(code, undefined, [], retryAfter);

describe('a change of several people', () => {
  it('a change of several people continues after a refused one, and says who and why', async () => {
    const refusal = problem('month_closed');
    expect(await run({ 2: [refusal] })).toEqual({
      changed: [1, 3],
      refused: [{ person: { id: 2 }, problem: refusal }],
      stopped: undefined,
      calledIds: [1, 2, 3],
      steps: [1, 2, 3],
      pauses: [],
    });
  });

  it.each(['offline', 'unavailable', 'unauthorized'])('a bulk change stops at %s and asks no further', async (code) => {
    const fault = problem(code);
    expect(await run({ 2: [fault] })).toMatchObject({ changed: [1], refused: [], stopped: fault, calledIds: [1, 2] });
  });

  it('a change of several people waits as long as a rate limit asks', async () => {
    expect(await run({ 2: [problem('rate_limited', 7), problem('rate_limited', 3)] })).toMatchObject({
      changed: [1, 2, 3],
      refused: [],
      calledIds: [1, 2, 2, 2, 3],
      pauses: [7_000, 3_000],
    });
    expect((await run({ 2: [problem('rate_limited')] })).refused).toHaveLength(1);
  });
});
