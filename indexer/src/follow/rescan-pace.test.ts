import { day, hour, minute, second } from '@clockproof/platform/time/instant';
import { describe, expect, it } from '@jest/globals';
import { maxRound, type Round, spacingOf } from './rescan-pace.js';

interface Case {
  readonly events: number;
  /** Events of each stream; one stream with all of them unless given. */
  readonly streams?: readonly number[];
  readonly comparedLastRound?: readonly number[];
  readonly pollMilliseconds?: number;
  readonly pageSize?: number;
  /** Milliseconds that the node takes for a page. */
  readonly latency?: number;
  /** The process does not run between these times after the start of the round. */
  readonly downtime?: readonly [number, number];
}

/** Reads a round page by page on a clock of its own. @returns its duration, and the most pages in a minute */
function simulate({
  events,
  streams = [events],
  comparedLastRound,
  pollMilliseconds = minute,
  pageSize = 50,
  latency = 300,
  downtime = [0, 0],
}: Case): { readonly duration: number; readonly mostInAMinute: number } {
  const pace = { rescanPages: 1, pageSize, pollMilliseconds };
  const rounds = streams.map((size, index) => ({
    startedAt: 0,
    compared: 0,
    comparedLastRound: comparedLastRound?.[index] ?? null,
    size,
  }));
  const reads: number[] = [];
  let time = 0;
  let unfinished = rounds;
  const readOnce = (round: (typeof rounds)[number]) => {
    reads.push(time);
    time += latency;
    round.compared += pageSize;
    if (round.compared >= round.size) unfinished = unfinished.filter((candidate) => candidate !== round);
  };
  while (unfinished.length > 0) {
    if (time >= downtime[0] && time < downtime[1]) time = downtime[1];
    const nextPoll = time + pollMilliseconds;
    for (const round of unfinished) readOnce(round);
    for (let duration = 0; ; duration = latency) {
      const spacing = spacingOf(unfinished as Round[], events, time, pace);
      if (spacing === undefined || time + spacing - duration >= nextPoll || unfinished.length === 0) break;
      time += Math.max(0, spacing - duration);
      readOnce(unfinished[0]!);
    }
    time = Math.max(time, nextPoll);
  }
  let mostInAMinute = 0;
  for (let from = 0, to = 0; to < reads.length; to++) {
    while (reads[to]! - reads[from]! >= minute) from++;
    mostInAMinute = Math.max(mostInAMinute, to - from + 1);
  }
  return { duration: time, mostInAMinute };
}

const million = 1_000_000;

describe('a round of the second reading', () => {
  it.each([
    ['ten million events', { events: 10 * million }, 30],
    ['ten million events, a node that takes two seconds', { events: 10 * million, latency: 2 * second }, 30],
    ['ten million events, polls once an hour', { events: 10 * million, pollMilliseconds: hour }, 30],
    ['ten million events, polls once a day', { events: 10 * million, pollMilliseconds: day }, 30],
    ['ten million events, two days without the process', { events: 10 * million, downtime: [day, 3 * day] }, 60],
    ['ten million events, pages of 20', { events: 10 * million, pageSize: 20 }, 62],
    ['thirty million events', { events: 30 * million }, 62],
    ['a million events', { events: million }, 6],
    [
      'ten million events of twenty senders, read before',
      {
        events: 10 * million,
        streams: Array<number>(20).fill(million / 2),
        comparedLastRound: Array<number>(20).fill(million / 2),
      },
      80,
    ],
  ] as [string, Case, number][])('ends within a week: %s', (_, situation, pagesInAMinute) => {
    const { duration, mostInAMinute } = simulate(situation);
    expect(duration).toBeLessThan(maxRound);
    expect(mostInAMinute).toBeLessThanOrEqual(pagesInAMinute);
  });

  it('of a small index needs no pages between two polls', () => {
    const round = { startedAt: 0, compared: 0, comparedLastRound: null };
    expect(spacingOf([round], 400_000, 0, { rescanPages: 1, pageSize: 50, pollMilliseconds: minute })).toBeUndefined();
  });

  it('that is late reads no more than a page a second', () => {
    const round = { startedAt: 0, compared: 0, comparedLastRound: null };
    const pace = { rescanPages: 1, pageSize: 50, pollMilliseconds: minute };
    expect(spacingOf([round, round], 10 * million, 30 * day, pace)).toBe(second);
  });

  it('that turns out larger than the last one speeds up', () => {
    const pace = { rescanPages: 1, pageSize: 50, pollMilliseconds: minute };
    const grownRound = { startedAt: 0, compared: 10_000, comparedLastRound: 10_000 };
    const otherRound = { startedAt: 0, compared: 0, comparedLastRound: 10_000 };
    expect(spacingOf([grownRound, otherRound], 10 * million, day, pace)).toBeLessThan(3 * second);
  });
});
