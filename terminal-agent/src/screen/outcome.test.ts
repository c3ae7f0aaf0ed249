import { expect, it } from '@jest/globals';
import type { State } from './machine.js';
import { outcomeOf } from './outcome.js';

it('a second refusal in a row is an outcome too, and a refusal that stays on the screen is not', () => {
  const first: State = { at: 'refused', until: 1 };
  const second: State = { at: 'refused', until: 2 };
  expect(outcomeOf(first, second)).toMatchObject({ kind: 'refused' });
  expect(outcomeOf(second, second)).toBeUndefined();
});
