import { expect, it } from '@jest/globals';
import type { PresentCard, Reader } from '../reader/reader.js';
import type { World } from '../world.js';
import { openCardVisits } from './card-visits.js';
import type { Link } from './link.js';
import type { Event } from './machine.js';

const uid = Uint8Array.of(4, 1, 2, 3, 4, 5, 6);

/** The last event of a badge that is held there. */
async function endOf(card: Link['api']['card'], world: World): Promise<Event | undefined> {
  let hold: (card: PresentCard) => void = () => undefined;
  const reader = {
    onCard: (listener: typeof hold) => {
      hold = listener;
    },
    onRemoved: () => undefined,
    reset: () => Promise.resolve(),
  } as unknown as Reader;
  const events: Event[] = [];
  const visits = openCardVisits(reader, world, (event) => events.push(event), new AbortController().signal);
  hold({ uid });
  visits.prove(1, '04010203040506', { api: { card } } as unknown as Link);
  await visits.whenFinished();
  return events.at(-1);
}

it.each([
  { each: 20, calls: 2, why: 'an idle connection was closed' },
  { each: 5_000, calls: 1, why: 'no answer comes' },
])('a badge is tried $calls times if $why', async ({ each, calls }) => {
  let time = 0;
  const world = { sleep: () => Promise.resolve(), elapsed: () => time } as unknown as World;
  let asked = 0;
  const end = await endOf(() => {
    asked += 1;
    time += each;
    return Promise.resolve({ kind: 'unanswered', reason: 'no answer' });
  }, world);
  expect([asked, end]).toEqual([calls, { kind: 'ended', visit: 1, how: 'unreachable' }]);
});

it.each([
  ['rate_limited', 'busy'],
  ['unavailable', 'unreachable'],
] as const)('a badge that the service puts off with %s ends as %s, and is not refused', async (code, how) => {
  let time = 0;
  const sleep: World['sleep'] = (milliseconds) => {
    time += milliseconds;
    return Promise.resolve();
  };
  const reply = { kind: 'refused', status: 429, code, error: 'Later.', body: {}, retryAfter: 3_000 } as const;
  const end = await endOf(() => Promise.resolve(reply), { sleep, elapsed: () => time } as unknown as World);
  expect([end, time]).toEqual([{ kind: 'ended', visit: 1, how }, 9_000]);
});
