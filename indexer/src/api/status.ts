import { formatInstant, type Instant } from '@clockproof/platform/time/instant';
import { shortChain } from '../ledger/identifiers.js';
import { publishedDigest } from '../store/index-digest.js';
import { readTotals } from '../store/proofs.js';
import { type Rescan, readRescans } from '../store/rescans.js';
import { readDigest, type Stream } from '../store/streams.js';
import { type IndexKnowledge, lagSeconds } from './knowledge.js';
import type { ApiContext, Request, Response } from './request.js';

/** The extent of the index, its progress and its reliability. */
export async function getIndexerStatus(
  { db, knowledge, network, package: anchorPackage, version }: ApiContext,
  { at }: Request<'getIndexerStatus'>,
): Promise<Response<'getIndexerStatus'>> {
  const indexKnowledge = await knowledge.refresh(at);
  const { follower, streams, watermark, head } = indexKnowledge;
  const lag = lagSeconds(follower, at);
  const totals = await readTotals(db);
  const state = await readDigest(db);
  const digest = publishedDigest(state);
  const rescan = rescanOf(await readRescans(db), streams);
  const floors = streams.map((stream) => stream.historyFloor).filter((floor) => floor !== null);
  const instant = (at: Instant | null) => (at === null ? null : formatInstant(at));
  return {
    status: 200,
    body: {
      network,
      ...(follower.chainId === null ? {} : { chain_id: shortChain(follower.chainId) }),
      package: anchorPackage,
      indexed_count: totals.proofs,
      last_index_time: instant(follower.lastIndexTime),
      last_proof_at: instant(totals.last_proof_at),
      state: stateOf(indexKnowledge, totals.alarms),
      ...backfillOf(indexKnowledge),
      checkpoint: watermark,
      head_checkpoint: head,
      head_time: formatInstant(follower.headTime),
      ...(lag === undefined ? {} : { lag_seconds: Math.floor(lag) }),
      history: indexKnowledge.history,
      ...(indexKnowledge.history !== 'partial' || floors.length === 0 ? {} : { history_floor: Math.max(...floors) }),
      rejected_count: totals.rejected,
      alarm_count: totals.alarms,
      gap_repairs: totals.gap_repairs,
      rescan,
      ...(digest === undefined
        ? {}
        : { index_digest: { checkpoint: digest.checkpoint, size: state.frontier.size, root: digest.root } }),
      addresses: [...indexKnowledge.senders],
      version,
    },
  };
}

/** The second reading of the whole index is as far as that of its slowest stream. */
function rescanOf(
  rescans: readonly Rescan[],
  streams: readonly Stream[],
): { checkpoint: number; rounds: number; completed_at: string | null } | undefined {
  const current = rescans.filter((rescan) => streams.some((stream) => stream.id === rescan.streamId));
  if (current.length === 0) return undefined;
  const ends = current.map((rescan) => rescan.completedAt);
  return {
    checkpoint: Math.max(-1, Math.min(...current.map((rescan) => rescan.position))),
    rounds: current.length < streams.length ? 0 : Math.min(...current.map((rescan) => rescan.rounds)),
    completed_at: ends.includes(null) ? null : formatInstant(Math.min(...ends.map((end) => end ?? 0))),
  };
}

function stateOf(
  { streams, follower, upToDate, packageKnown }: IndexKnowledge,
  alarms: number,
): 'starting' | 'backfilling' | 'ready' | 'degraded' {
  if (streams.length === 0 && follower.lastIndexTime === null) return 'starting';
  if (streams.some((stream) => !stream.backfilled)) return 'backfilling';
  return alarms > 0 || !upToDate || !packageKnown ? 'degraded' : 'ready';
}

/** The average progress of the streams. Newest-first walks move no watermark until they arrive. */
function backfillOf({ streams, head, watermark }: IndexKnowledge): {
  backfill?: { from: number; to: number; done_ratio: number };
} {
  if (streams.length === 0) return {};
  const from = Math.min(...streams.map((stream) => stream.fromCheckpoint));
  const seenViews = streams.map((stream) => stream.resume?.view ?? -1);
  const to = Math.max(head ?? 0, watermark ?? 0, from, ...seenViews);
  const ratios = streams.map((stream) =>
    stream.backfilled
      ? 1
      : to <= stream.fromCheckpoint
        ? 0
        : Math.min(1, Math.max(0, (stream.watermark - stream.fromCheckpoint + 1) / (to - stream.fromCheckpoint + 1))),
  );
  return {
    backfill: {
      from,
      to,
      done_ratio: Math.floor((ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length) * 10_000) / 10_000,
    },
  };
}
