import { expect, it } from '@jest/globals';
import { notGiven } from './answers.js';

it('a PIN that is still required after one was sent means that the person has none', () => {
  const reply = { kind: 'refused', status: 403, code: 'pin_required', error: 'A PIN is required.', body: {} } as const;
  expect(notGiven(reply, undefined)).toEqual({ why: 'pin_required' });
  expect(notGiven(reply, '012345')).toEqual({ why: 'failed', by: 'no_pin' });
});
