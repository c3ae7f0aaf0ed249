/**
 * The schedule of the second reading: a few pages after each poll, and more until the next one if the index is large.
 */
import { LedgerFailure } from '../ledger/graphql.js';
import { readTotals } from '../store/proofs.js';
import { type Rescan, rescanOf } from '../store/rescans.js';
import { readStreams, type Stream } from '../store/streams.js';
import { dropRescanCursor, type RescanContext, rescan } from './rescan.js';
import { type Pace, spacingOf } from './rescan-pace.js';
import { optional } from './stream-checks.js';

interface SecondReadingOptions extends Pick<Pace, 'rescanPages' | 'pollMilliseconds'> {
  readonly onFailure?: (code: string) => void;
  /** Milliseconds that only grow. */
  readonly monotonic: () => number;
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
}

export interface SecondReading {
  /** A few pages of each stream. It never fails a poll. */
  afterPoll(context: RescanContext): Promise<void>;
  /**
   * Reads a page whenever one is due, until the next poll or the first failure.
   * @param wait milliseconds until the next poll
   * @returns milliseconds that are left to wait. @throws StreamMoved, DatabaseUnavailable, WrongLedger
   */
  untilNextPoll(context: RescanContext, wait: number, signal: AbortSignal): Promise<number>;
}

const cursorFailureLimit = 5;

/** @param easeOff asks a node for less that said that it was asked for too much */
export function createSecondReading(
  options: SecondReadingOptions,
  easeOff: (failure: LedgerFailure) => void,
): SecondReading {
  const cursorFailures = new Map<string, number>();

  /** A cursor that fails again and again is given up. @throws what the reading throws */
  async function readStream(context: RescanContext, stream: Stream, pages: number): Promise<void> {
    try {
      await rescan(context, stream, pages);
      cursorFailures.delete(stream.id);
    } catch (error) {
      if (error instanceof LedgerFailure) {
        const failures = (cursorFailures.get(stream.id) ?? 0) + 1;
        cursorFailures.set(stream.id, failures % cursorFailureLimit);
        if (failures === cursorFailureLimit) await dropRescanCursor(context, stream);
      }
      throw error;
    }
  }

  /** The stream whose round is to end first, and how long after the page before its next one is due. */
  async function nextPage(context: RescanContext): Promise<{ stream: Stream; spacing: number } | undefined> {
    const { database, clock, pageSize } = context;
    const streams = (await readStreams(database)).filter((stream) => stream.backfilled);
    const rounds: (Rescan & { readonly stream: Stream })[] = [];
    for (const stream of streams) rounds.push({ ...(await rescanOf(database, stream, clock())), stream });
    const { proofs, rejected } = await readTotals(database);
    const spacing = spacingOf(rounds, proofs + rejected, clock(), { ...options, pageSize: pageSize() });
    const [firstRound] = rounds.sort((a, b) => a.startedAt - b.startedAt);
    return spacing === undefined || firstRound === undefined ? undefined : { stream: firstRound.stream, spacing };
  }

  return {
    async afterPoll(context) {
      for (const stream of await readStreams(context.database))
        await optional({ log: context.log, ...options }, () => readStream(context, stream, options.rescanPages));
    },
    async untilNextPoll(context, wait, signal) {
      let remainingMs = wait;
      for (let duration = 0; !signal.aborted; ) {
        const next = await nextPage(context);
        if (next === undefined || next.spacing >= remainingMs) return remainingMs;
        const pause = Math.max(0, next.spacing - duration);
        await options.sleep(pause, signal);
        if (signal.aborted) return 0;
        const start = options.monotonic();
        try {
          await context.pause();
          await readStream(context, next.stream, 1);
        } catch (error) {
          if (!(error instanceof LedgerFailure)) throw error;
          options.onFailure?.(error.code);
          easeOff(error);
          return Math.max(remainingMs - pause, error.retryAfterMilliseconds ?? 0);
        }
        duration = options.monotonic() - start;
        remainingMs -= pause + duration;
      }
      return 0;
    },
  };
}
