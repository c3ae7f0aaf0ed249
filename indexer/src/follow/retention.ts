/**
 * Judges honestly whether the node could show all of the history. Nodes prune, mostly without a word; the index cannot
 * know that an event was pruned before it was read, only that this is possible.
 */
import type { FollowerState, History, Stream } from '../store/streams.js';

export interface RetentionFacts {
  /** The first checkpoint from which on the node lists events; undefined if it does not say. */
  readonly floor: number | undefined;
  /** Checkpoint in which the package was published; undefined if not known. */
  readonly publishedAt: number | undefined;
  /** False if the node has lost the publication itself. */
  readonly knowsPublication: boolean;
}

export interface RetentionVerdict {
  readonly history: History;
  readonly historyFloor: number | null;
}

/**
 * Compares where the node's memory begins now with where the stream stood at the last comparison. Memory only shrinks,
 * so if it still covers that place, it covered everything that was read in between.
 */
export function evaluateRetention(
  stream: Pick<Stream, 'history' | 'historyFloor' | 'fromCheckpoint' | 'retentionCheckedFrom'>,
  { floor, publishedAt, knowsPublication }: RetentionFacts,
): RetentionVerdict {
  const sameRetention = { history: stream.history, historyFloor: stream.historyFloor };
  if (stream.history === 'partial') return sameRetention;
  const isFirst = stream.retentionCheckedFrom < stream.fromCheckpoint;
  if (isFirst && !knowsPublication) return { history: 'partial', historyFloor: floor ?? null };
  if (floor === undefined) return sameRetention;
  // Before its publication a package cannot have written anything.
  const neededFrom = Math.max(publishedAt ?? 0, stream.fromCheckpoint, stream.retentionCheckedFrom + 1);
  if (floor <= neededFrom) return { history: 'complete', historyFloor: null };
  // Without a publication date the missing part may well be empty.
  return isFirst && publishedAt === undefined ? sameRetention : { history: 'partial', historyFloor: floor };
}

/** The history of the whole index is that of its weakest stream. */
export function worstHistory(streams: readonly Pick<Stream, 'history'>[]): History {
  if (streams.length === 0) return 'unknown';
  return streams.some((stream) => stream.history === 'partial')
    ? 'partial'
    : streams.some((stream) => stream.history === 'unknown')
      ? 'unknown'
      : 'complete';
}

/** The history that may be claimed: the events of a package that no node knows are unknown. */
export function claimedHistory(
  streams: readonly Pick<Stream, 'history'>[],
  { originalPackage }: Pick<FollowerState, 'originalPackage'>,
): History {
  const worst = worstHistory(streams);
  return worst === 'complete' && originalPackage === null ? 'unknown' : worst;
}
