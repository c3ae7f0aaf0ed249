/**
 * The current knowledge of this index, read from the database every second at most. A look-up needs it for two things:
 * to give the reason for an unknown, and to keep answers about transactions from being cached before all of their
 * events are stored.
 */
import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { claimedHistory } from '../follow/retention.js';
import { type FollowerState, readFollower, readStreams, type Stream } from '../store/streams.js';
import type { Knowledge } from './verdict.js';

export interface IndexKnowledge extends Knowledge {
  readonly streams: readonly Stream[];
  readonly follower: FollowerState;
  /** The last poll is not long ago, and the node it asked was not standing still. */
  readonly upToDate: boolean;
}

export interface KnowledgeSource {
  /** As of at most a second ago. */
  at(at: Instant): Promise<IndexKnowledge> | IndexKnowledge;
  /** As of now. */
  refresh(at: Instant): Promise<IndexKnowledge>;
}

const maxAge = 1_000;

export interface KnowledgeOptions {
  readonly senders: readonly string[];
  readonly pollMilliseconds: number;
}

export function createKnowledgeSource(db: Reader, options: KnowledgeOptions): KnowledgeSource {
  let cachedReading: { readonly knowledge: IndexKnowledge; readonly readAt: Instant } | undefined;
  const refresh = async (at: Instant) => {
    const [streams, follower] = await Promise.all([readStreams(db), readFollower(db)]);
    const knowledge = knowledgeOf(streams, follower, options, at);
    cachedReading = { knowledge, readAt: at };
    return knowledge;
  };
  return {
    refresh,
    at: (at) =>
      cachedReading !== undefined && at - cachedReading.readAt < maxAge && at >= cachedReading.readAt
        ? cachedReading.knowledge
        : refresh(at),
  };
}

/**
 * A ledger has a new checkpoint every second or so. A node whose newest is this much older than the poll that asked for
 * it stands still, or one of the clocks is wrong.
 */
export const maxStandstill = 5 * 60_000;

/** A poll counts as recent for three intervals, and for a minute at least. */
function isUpToDate({ lastIndexTime, headTime }: FollowerState, pollMilliseconds: number, at: Instant): boolean {
  return (
    lastIndexTime !== null &&
    at - lastIndexTime <= Math.max(60_000, 3 * pollMilliseconds) &&
    (headTime === null || lastIndexTime - headTime <= maxStandstill)
  );
}

/**
 * Age of the newest known state of the ledger; of the last poll where the node does not tell the time of its
 * checkpoints.
 */
export function lagSeconds({ lastIndexTime, headTime }: FollowerState, at: Instant): number | undefined {
  return lastIndexTime === null ? undefined : Math.max(0, (at - (headTime ?? lastIndexTime)) / 1_000);
}

export function knowledgeOf(
  streams: readonly Stream[],
  follower: FollowerState,
  { senders, pollMilliseconds }: KnowledgeOptions,
  at: Instant,
): IndexKnowledge {
  const watermark = streams.length === 0 ? -1 : Math.min(...streams.map((stream) => stream.watermark));
  const upToDate = isUpToDate(follower, pollMilliseconds, at);
  return {
    streams,
    follower,
    senders,
    upToDate,
    ...(watermark < 0 ? {} : { watermark }),
    ...(follower.headCheckpoint === null ? {} : { head: Math.max(follower.headCheckpoint, watermark) }),
    history: claimedHistory(streams, follower),
    packageKnown: follower.originalPackage !== null,
    synced: isBackfilled(streams) && upToDate,
  };
}

export function isBackfilled(streams: readonly Stream[]): boolean {
  return streams.length > 0 && streams.every((stream) => stream.backfilled);
}

/** As the contract writes it. */
export function presentKnowledge({ watermark, head, history, synced, senders }: Knowledge): {
  checkpoint?: number;
  head_checkpoint?: number;
  history: Knowledge['history'];
  synced: boolean;
  addresses: string[];
} {
  return {
    checkpoint: watermark,
    head_checkpoint: head,
    history,
    synced,
    addresses: [...senders],
  };
}
