/**
 * Checks beside the reading: the reach of the node's memory, and the presence of a stream's newest event in the
 * database. A node that cannot answer them is followed all the same, and they are put again later.
 */
import type { Database } from '@clockproof/platform/database/database';
import type { Log } from '@clockproof/platform/log';
import { LedgerFailure } from '../ledger/graphql.js';
import type { Lineage } from '../ledger/lineage.js';
import type { LedgerNode } from '../ledger/node.js';
import { addToTotals, isStored, lastCheckpointBefore } from '../store/proofs.js';
import { moveStream, type Stream } from '../store/streams.js';
import { maxReplicaLag } from './open-ledger.js';
import { evaluateRetention } from './retention.js';

export interface CheckContext {
  readonly database: Database;
  readonly log: Log;
  readonly onFailure?: (code: string) => void;
}

/** @returns undefined if the node does not answer */
export async function optional<T>(
  { log, onFailure }: Pick<CheckContext, 'log' | 'onFailure'>,
  question: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await question();
  } catch (error) {
    if (!(error instanceof LedgerFailure)) throw error;
    onFailure?.(error.code);
    log.debug({ code: error.code, reason: error.message }, 'the node does not answer a question beside the reading');
    return undefined;
  }
}

/** Compares how far back the node lists events with how far the stream has come. */
export async function checkRetention(
  context: CheckContext,
  { node, lineage }: { readonly node: LedgerNode; readonly lineage: Lineage },
  stream: Stream,
): Promise<Stream> {
  // The gaps of a package that no node knows are unknown.
  if (!lineage.known || (stream.history !== 'unknown' && stream.watermark <= stream.retentionCheckedFrom))
    return stream;
  const floor = await optional(context, () => node.retentionFloor());
  const verdict = evaluateRetention(stream, {
    floor,
    publishedAt: lineage.publishedAt ?? undefined,
    knowsPublication: stream.history !== 'unknown' || (await knowsPublication(context, node, lineage)),
  });
  if (verdict.history === 'partial' && stream.history !== 'partial')
    context.log.warn(
      { stream: stream.id, floor: verdict.historyFloor },
      'the node has pruned a part of the history; what was written before it cannot be vouched for',
    );
  return context.database.write((tx) =>
    moveStream(tx, stream, {
      ...verdict,
      retentionCheckedFrom: verdict.history === 'unknown' ? stream.retentionCheckedFrom : stream.watermark,
    }),
  );
}

/** False if the node has lost the transaction that published the package or its checkpoint. */
async function knowsPublication(
  context: CheckContext,
  node: LedgerNode,
  { publishedBy: digest, publishedAt: checkpoint }: Lineage,
): Promise<boolean> {
  if (digest === null || checkpoint === null) return true;
  const answer = await optional(context, async () => (await node.whereabouts(digest, checkpoint)) ?? 'pruned');
  if (answer === undefined) return true;
  return answer !== 'pruned' && answer.transaction && answer.checkpoint;
}

/**
 * The canary: the newest event of the stream must be stored if it lies behind the watermark, and the watermark cannot
 * lie far beyond the ledger. If it is otherwise, something was lost that nothing else noticed, and the stream goes back
 * to its last proof that is certain.
 */
export async function auditNode(context: CheckContext, node: LedgerNode, stream: Stream): Promise<Stream> {
  const { database, log } = context;
  const page = await optional(context, () =>
    node.page({
      package: stream.package,
      direction: 'backward',
      size: 1,
      sender: stream.sender ?? undefined,
    }),
  );
  if (page === undefined) return stream;
  const isBeyond = stream.watermark > page.view.sequence + maxReplicaLag;
  const newest = page.events.at(-1);
  const isLost =
    newest !== undefined &&
    newest.checkpoint <= stream.watermark &&
    !(await isStored(database, newest.tx, newest.sequence));
  if (!isBeyond && !isLost) return stream;
  const last = await lastCheckpointBefore(database, isLost ? newest.checkpoint : page.view.sequence + 1, stream);
  const watermark = Math.max(stream.fromCheckpoint, last ?? stream.fromCheckpoint) - 1;
  if (isLost)
    log.error(
      { stream: stream.id, tx: newest.tx, checkpoint: newest.checkpoint },
      'an event behind the watermark is missing; reading again from the last certain proof',
    );
  else
    log.error(
      { stream: stream.id, watermark: stream.watermark, head: page.view.sequence },
      'the watermark lies beyond the ledger; reading again from the last certain proof',
    );
  return database.write(async (tx) => {
    await addToTotals(tx, { proofs: 0, rejected: 0, alarms: 0, gapRepairs: 1, lastProofAt: null });
    // Pages to be read again count as unread: the node has to show again that it still has them.
    return moveStream(tx, stream, {
      watermark,
      resume: null,
      retentionCheckedFrom: Math.min(stream.retentionCheckedFrom, watermark),
    });
  });
}
