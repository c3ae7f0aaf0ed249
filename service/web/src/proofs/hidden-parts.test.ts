import { expect, it } from '@jest/globals';
import { hiddenParts } from './hidden-parts.js';

const span = { from: '2027-02-02', to: '2027-02-27' };

it.each([
  ['the whole month hides nothing', { of: 'all', withName: true }, []],
  ['the whole month without a name hides the person', { of: 'all', withName: false }, ['person']],
  [
    'certain days hide the sums and every other day',
    { of: 'days', withName: true },
    ['figures', 'bookings', 'sign_offs', 'steps', '2027-02-01', '2027-02-28'],
  ],
] as const)('%s', (_title, shown, hidden) => {
  expect(hiddenParts('2027-02', { ...shown, ...span })).toEqual(hidden);
});

it('the sums alone hide every day', () => {
  const hidden = hiddenParts('2027-02', { of: 'sums', withName: false, ...span });
  expect(hidden).toHaveLength(4 + 28);
  expect(hidden).not.toContain('figures');
});
