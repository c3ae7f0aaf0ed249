import { expect, it } from '@jest/globals';
import type { PresentCard, Reader } from '../reader/reader.js';
import type { World } from '../world.js';
import { openCardVisits } from './card-visits.js';
import type { Link } from './link.js';
import type { Event } from './machine.js';

it.each([
  { each: 20, calls: 2, why: 'an idle connection was closed' },
  { each: 5_000, calls: 1, why: 'no answer comes' },
])('a badge is tried $calls times if $why', async ({ each, calls }) => {
  let hold: (card: PresentCard) => void = () => undefined;
  const reader = {
    onCard: (listener: typeof hold) => {
      hold = listener;
    },
    onRemoved: () => undefined,
    reset: () => Promise.resolve(),
  } as unknown as Reader;
  let time = 0;
  const world = { sleep: () => Promise.resolve(), elapsed: () => time } as unknown as World;
  let asked = 0;
  const api = {
    card() {
      asked += 1;
      time += each;
      return Promise.resolve({ kind: 'unanswered', reason: 'no answer' });
    },
  };
  const events: Event[] = [];
  const visits = openCardVisits(reader, world, (event) => events.push(event), new AbortController().signal);
  hold({ uid: Uint8Array.of(4, 1, 2, 3, 4, 5, 6) });
  visits.prove(1, '04010203040506', { api } as unknown as Link);
  await visits.whenFinished();
  expect([asked, events.at(-1)]).toEqual([calls, { kind: 'ended', visit: 1, how: 'unreachable' }]);
});
