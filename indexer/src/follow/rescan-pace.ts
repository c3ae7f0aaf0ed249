/**
 * The pace of the second reading. A round has to end within a week however large the index is, and the node is not to
 * notice: pages are spread evenly over the time that is left, not read in a burst after each poll.
 *
 * Ten million events are 200,000 pages of 50: one page every 2.6 seconds. The node has to answer in less than that.
 * The least distance of a second is enough for thirty million events; beyond, a round takes longer.
 */
import { day, type Instant } from '@clockproof/platform/time/instant';

/** A hidden event is found within this time at the latest, also if no one asks for it. */
export const maxRound = 7 * day;
/** A day is left for hours in which the node does not answer or the process does not run. */
const plannedRound = 6 * day;
/** Milliseconds between two pages at the least, also where a round is late. */
export const minSpacing = 1_000;

export interface Round {
  readonly startedAt: Instant;
  /** Events of this round that were compared so far. */
  readonly compared: number;
  /** Events of the last whole round; null before the first. */
  readonly comparedLastRound: number | null;
}

export interface Pace {
  /** Pages of each stream after each poll, independent of the size of the index. */
  readonly rescanPages: number;
  readonly pageSize: number;
  readonly pollMilliseconds: number;
}

/**
 * @param rounds of all streams; @param events of the index
 * @returns milliseconds between two pages that are read besides those after each poll; undefined if those suffice
 */
export function spacingOf(
  rounds: readonly Round[],
  events: number,
  at: Instant,
  { rescanPages, pageSize, pollMilliseconds }: Pace,
): number | undefined {
  let pagesPerMillisecond = 0;
  for (const round of rounds) {
    const pages = Math.ceil(Math.max(0, expectedEvents(round, events, rounds.length) - round.compared) / pageSize) + 1;
    const remainingMs = Math.max(minSpacing, round.startedAt + plannedRound - at);
    pagesPerMillisecond += Math.max(0, pages / remainingMs - rescanPages / pollMilliseconds);
  }
  return pagesPerMillisecond === 0 ? undefined : Math.max(minSpacing, 1 / pagesPerMillisecond);
}

/** An estimate, since events are not counted by stream: too high costs the node a little, too low the week. */
function expectedEvents({ compared, comparedLastRound }: Round, events: number, streams: number): number {
  const expectedCount = Math.max(comparedLastRound ?? events, events / streams);
  return compared < expectedCount ? expectedCount : events;
}
