/**
 * One hash over all proofs, so that two operators can compare everything they hold with one comparison: the Merkle tree
 * hash of RFC 6962 §2.1 over the proofs in ledger order, kept up to date with the watermark. The tree is stored as the
 * roots of its complete subtrees, so that new proofs are appended without reading old ones.
 */

import { hash } from 'node:crypto';
import type { Database } from '@clockproof/platform/database/database';
import { presentProof } from './proof-record.js';
import { beforeEverything, type Position, type ProofRow, proofsInLedgerOrder } from './proofs.js';
import { type DigestState, readDigest, readStreams, writeDigest } from './streams.js';

const rowsPerStep = 500;

/**
 * Brings the tree to the lowest watermark of all streams: up to there nothing can come in between any more.
 * @param senders the tree covers only these, so that two indexes with the same setting agree whatever they held before;
 * empty means all
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
    const done = await database.write(async (tx) => {
      // Under the lock no proof is stored, so what is read here is all there is up to the target.
      const now = await readDigest(tx, true);
      if (now.version !== state.version) return true;
      const rows = await proofsInLedgerOrder(tx, now.last, target, senders, rowsPerStep);
      const complete = rows.length < rowsPerStep;
      state = await writeDigest(tx, now, { scope, checkpoint: complete ? target : -1, ...grown(now, rows) });
      return complete;
    });
    if (done) return;
  }
}

function grown(
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

/** The subtrees of a tree of `size` leaves, one per set bit of `size`, largest first, 32 bytes each. */
export interface Frontier {
  readonly size: number;
  readonly roots: readonly Buffer[];
}

export const emptyFrontier: Frontier = { size: 0, roots: [] };

/** SHA-256(0x00 ‖ leaf) */
export function leafHash(leaf: Uint8Array): Buffer {
  return hash('sha256', Buffer.concat([leafPrefix, leaf]), 'buffer');
}

/** SHA-256(0x01 ‖ left ‖ right) */
function nodeHash(left: Buffer, right: Buffer): Buffer {
  return hash('sha256', Buffer.concat([nodePrefix, left, right]), 'buffer');
}

const leafPrefix = Buffer.of(0);
const nodePrefix = Buffer.of(1);

/** The tree with one more leaf. Equal subtrees join like digits of a binary counter. */
export function append({ size, roots }: Frontier, leaf: Buffer): Frontier {
  const next = [...roots];
  let hashed = leaf;
  for (let bits = size; bits % 2 === 1; bits = Math.floor(bits / 2)) hashed = nodeHash(next.pop()!, hashed);
  next.push(hashed);
  return { size: size + 1, roots: next };
}

/** MTH(D[n]): the subtrees joined from the right; of nothing SHA-256(""). */
export function rootOf({ roots }: Frontier): Buffer {
  if (roots.length === 0) return hash('sha256', '', 'buffer');
  return roots.reduceRight((right, left) => nodeHash(left, right));
}

export function encodeFrontier({ roots }: Frontier): Buffer {
  return Buffer.concat(roots);
}

export function decodeFrontier(size: number, bytes: Uint8Array): Frontier {
  const all = Buffer.from(bytes);
  return {
    size,
    roots: Array.from({ length: all.length / 32 }, (_, index) => all.subarray(32 * index, 32 * index + 32)),
  };
}

/** Canonical JSON of a record of texts and numbers: names sorted, no spaces. Two operators write the same bytes. */
export function canonicalJson(record: Readonly<Record<string, string | number>>): string {
  return JSON.stringify(record, Object.keys(record).sort());
}
