/** Keeps the tree over all proofs up to date with the watermark. */
import { append, emptyFrontier, type Frontier, leafHash, rootOf } from '@clockproof/platform/bytes/merkle-tree';
import type { Database } from '@clockproof/platform/database/database';
import { canonicalJson, presentProof } from './proof-record.js';
import { beforeEverything, type Position, type ProofRow, proofsInLedgerOrder } from './proofs.js';
import { type DigestState, readDigest, readStreams, writeDigest } from './streams.js';

const rowsPerStep = 500;

/**
 * Brings the tree to the lowest watermark of all streams: up to there nothing can come in between any more.
 * @param senders the tree covers only these, so that two indexes with the same setting agree even if they held others
 * before; empty means all
 * @param signal stops between two steps; the next call goes on there
 */
export async function advanceDigest(
  database: Database,
  senders: readonly string[],
  signal?: AbortSignal,
): Promise<void> {
  const streams = await readStreams(database);
  if (streams.length === 0) return;
  const target = Math.min(...streams.map((stream) => stream.watermark));
  const scope = [...senders].sort().join(',');
  let state = await readDigest(database);
  if (state.scope !== scope)
    state = await database.write((tx) =>
      writeDigest(tx, state, { scope, checkpoint: -1, frontier: emptyFrontier, last: beforeEverything }),
    );
  if (target < 0 || state.checkpoint === target || state.last.checkpoint > target) return;
  while (signal?.aborted !== true) {
    const isComplete = await database.write(async (tx) => {
      // Under the lock no proof is stored, so what is read here is all there is up to the target.
      const digest = await readDigest(tx, true);
      if (digest.version !== state.version) return true;
      const rows = await proofsInLedgerOrder(tx, digest.last, target, senders, rowsPerStep);
      const complete = rows.length < rowsPerStep;
      state = await writeDigest(tx, digest, { scope, checkpoint: complete ? target : -1, ...growDigest(digest, rows) });
      return complete;
    });
    if (isComplete) return;
  }
}

function growDigest(
  state: DigestState,
  rows: readonly ProofRow[],
): { readonly frontier: Frontier; readonly last: Position } {
  let frontier = state.frontier;
  for (const row of rows) frontier = append(frontier, leafHash(Buffer.from(canonicalJson({ ...presentProof(row) }))));
  const last = rows.at(-1);
  return {
    frontier,
    last: last === undefined ? state.last : { checkpoint: last.checkpoint, tx: last.tx, sequence: last.event_sequence },
  };
}

/** The published form, or undefined while the tree is being built. */
export function publishedDigest({
  checkpoint,
  frontier,
}: DigestState): { readonly checkpoint: number; readonly root: string } | undefined {
  return checkpoint < 0 ? undefined : { checkpoint, root: rootOf(frontier).toString('hex') };
}
