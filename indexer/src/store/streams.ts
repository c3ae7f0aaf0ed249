/**
 * The progress of the reading of the ledger: one stream per package id and sender, the follower's own row, and the
 * digest. Every change is a compare-and-set, so that two replicas reading the same ledger cannot undo each other.
 */
import { decodeFrontier, emptyFrontier, encodeFrontier, type Frontier } from '@clockproof/platform/bytes/merkle-tree';
import type { Database, Reader, Transaction } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import type { FollowerTable, IndexDigestTable, StreamsTable } from '../generated/tables.js';
import type { PackageVersion, View } from '../ledger/node.js';
import { beforeEverything, type Position } from './proofs.js';
import { insertIfAbsent, update } from './tables.js';

/** `complete`: everything since the publication of the package was still listed when it was read. */
export type History = 'complete' | 'partial' | 'unknown';

/** The position where an unfinished walk continues. */
export type Resume =
  | { readonly walk: 'forward'; readonly cursor: string; readonly view: number }
  | { readonly walk: 'sweep'; readonly cursor: string | null; readonly view: number };

export interface Stream {
  readonly id: string;
  readonly package: string;
  readonly sender: string | null;
  /** The checkpoint before which nothing can have been written. */
  readonly fromCheckpoint: number;
  /** Every event of the stream up to here is stored. */
  readonly watermark: number;
  readonly backfilled: boolean;
  readonly resume: Resume | null;
  readonly version: number;
  readonly history: History;
  readonly historyFloor: number | null;
  /** Watermark from which on the node's retention has not been compared yet. */
  readonly retentionCheckedFrom: number;
}

/** Another replica was faster. Nothing was stored; read the stream again. */
export class StreamMoved extends Error {
  override readonly name = 'StreamMoved';
}

export async function readStreams(db: Reader): Promise<Stream[]> {
  return (await db.all<StreamsTable>('SELECT * FROM streams ORDER BY id')).map((row) => ({
    id: row.id,
    package: row.package,
    sender: row.sender,
    fromCheckpoint: row.from_checkpoint,
    watermark: row.watermark,
    backfilled: row.backfilled === 1,
    resume: row.resume === null ? null : (JSON.parse(row.resume) as Resume),
    version: row.version,
    history: row.history,
    historyFloor: row.history_floor,
    retentionCheckedFrom: row.retention_checked_from,
  }));
}

export interface WantedStream {
  readonly id: string;
  readonly package: string;
  readonly sender: string | null;
  readonly fromCheckpoint: number;
}

/**
 * Makes the set of streams what is wanted. A stream that is no longer wanted goes, if it is sure what is; its proofs
 * stay, they are facts.
 */
export async function reconcileStreams(
  db: Database,
  wantedStreams: readonly WantedStream[],
  isCertain: boolean,
): Promise<void> {
  const existingStreams = await readStreams(db);
  const missingStreams = wantedStreams.filter(
    (wantedStream) => !existingStreams.some((stream) => stream.id === wantedStream.id),
  );
  const superfluousStreams = isCertain
    ? existingStreams.filter((stream) => !wantedStreams.some((wantedStream) => wantedStream.id === stream.id))
    : [];
  if (missingStreams.length + superfluousStreams.length === 0) return;
  await db.write(async (tx) => {
    for (const { id, package: name, sender, fromCheckpoint } of missingStreams) {
      await insertIfAbsent(tx, 'streams', {
        id,
        package: name,
        sender,
        from_checkpoint: fromCheckpoint,
        watermark: fromCheckpoint - 1,
        backfilled: 0,
        version: 0,
        history: 'unknown',
        retention_checked_from: fromCheckpoint - 1,
      });
    }
    for (const { id } of superfluousStreams) await tx.run('DELETE FROM streams WHERE id = :id', { id });
  });
}

export type StreamChange = Partial<
  Pick<Stream, 'watermark' | 'backfilled' | 'resume' | 'history' | 'historyFloor' | 'retentionCheckedFrom'>
>;

/** @returns the stream as it is now. @throws StreamMoved if it is not at the version it was read at */
export async function moveStream(tx: Transaction, stream: Stream, change: StreamChange): Promise<Stream> {
  const next: Stream = { ...stream, ...change, version: stream.version + 1 };
  const isMoved = await update(
    tx,
    'streams',
    { id: stream.id, version: stream.version },
    {
      watermark: next.watermark,
      backfilled: next.backfilled ? 1 : 0,
      resume: next.resume === null ? null : JSON.stringify(next.resume),
      history: next.history,
      history_floor: next.historyFloor,
      retention_checked_from: next.retentionCheckedFrom,
      version: next.version,
    },
  );
  if (isMoved !== 1) throw new StreamMoved(`stream ${stream.id} was moved by another replica`);
  return next;
}

/**
 * Reads everything from a checkpoint on once more. Nothing stored is lost by it, so a history that was complete stays
 * complete as far as that was shown, even if the node has pruned since. @returns the number of streams set back
 */
export function rewindStreams(tx: Transaction, checkpoint: number): Promise<number> {
  return tx.run(
    `UPDATE streams SET watermark = CASE WHEN :before > from_checkpoint - 1 THEN :before ELSE from_checkpoint - 1 END, resume = NULL, version = version + 1,
      backfilled = CASE WHEN :before > from_checkpoint - 1 THEN backfilled ELSE 0 END WHERE watermark > :before`,
    { before: checkpoint - 1 },
  );
}

/** Reads everything once more because proofs were taken out: those that the node has pruned since may stay missing. */
export async function beginStreamsAgain(tx: Transaction): Promise<void> {
  await rewindStreams(tx, 0);
  await tx.run(
    "UPDATE streams SET history = 'unknown', history_floor = NULL, retention_checked_from = from_checkpoint - 1, version = version + 1",
  );
}

// ---- the follower's row

export interface FollowerState {
  /** 64 hex digits, or 8 as long as no node has reported all of them. */
  readonly chainId: string | null;
  readonly originalPackage: string | null;
  /** The versions of the package that nodes have reported so far. */
  readonly packageVersions: readonly PackageVersion[];
  readonly dialect: string | null;
  readonly publishedAt: number | null;
  readonly headCheckpoint: number | null;
  readonly headTime: Instant | null;
  /** End of the last poll that went through. */
  readonly lastIndexTime: Instant | null;
  readonly leaseHolder: string | null;
  readonly leaseBeat: number;
}

export async function readFollower(db: Reader): Promise<FollowerState> {
  const row = (await db.get<FollowerTable>('SELECT * FROM follower WHERE id = 1'))!;
  return {
    chainId: row.chain_id,
    originalPackage: row.original_package,
    packageVersions: row.package_versions === null ? [] : (JSON.parse(row.package_versions) as PackageVersion[]),
    dialect: row.dialect,
    publishedAt: row.published_at,
    headCheckpoint: row.head_checkpoint,
    headTime: row.head_time,
    lastIndexTime: row.last_index_time,
    leaseHolder: row.lease_holder,
    leaseBeat: row.lease_beat,
  };
}

/** Writes the subject of the index once, and completes it when a node tells all of it; the rest may change. */
export async function saveChain(
  db: Database,
  { chainId, dialect, head }: { readonly chainId: string; readonly dialect: string; readonly head: View },
): Promise<void> {
  await db.write(async (tx) => {
    await tx.run(
      `UPDATE follower SET dialect = :dialect, chain_id = CASE WHEN chain_id IS NULL THEN :chainId
        WHEN length(chain_id) = 8 AND substr(:chainId, 1, 8) = chain_id THEN :chainId ELSE chain_id END WHERE id = 1`,
      { chainId, dialect },
    );
    await saveHead(tx, head);
  });
}

export async function savePackage(
  db: Database,
  {
    original,
    versions,
    publishedAt,
  }: { readonly original: string; readonly versions: readonly PackageVersion[]; readonly publishedAt: number | null },
): Promise<void> {
  await db.write((tx) =>
    tx.run(
      'UPDATE follower SET original_package = COALESCE(original_package, :original), package_versions = :versions, published_at = COALESCE(:publishedAt, published_at) WHERE id = 1',
      { original, versions: JSON.stringify(versions), publishedAt },
    ),
  );
}

/**
 * The head is the node's last answer, so that a wrong one does not stay. A replica that lags a little does no harm: the
 * progress of the reading stands in the streams.
 */
async function saveHead(tx: Transaction, { sequence, at }: View): Promise<void> {
  await update(tx, 'follower', { id: 1 }, { head_checkpoint: sequence, head_time: at });
}

/** A poll went through. */
export async function savePoll(db: Database, head: View, at: Instant): Promise<void> {
  await db.write(async (tx) => {
    await saveHead(tx, head);
    // Not the latest one ever: a clock that was ahead once would keep the index out of date until it is caught up.
    await update(tx, 'follower', { id: 1 }, { last_index_time: at });
  });
}

/**
 * Takes or keeps the lease if no one has moved it since it was read. It saves double reading; nothing else depends on
 * it.
 */
export async function beatLease(db: Database, state: FollowerState, holder: string | null): Promise<boolean> {
  return (
    (await db.write((tx) =>
      update(
        tx,
        'follower',
        { id: 1, lease_beat: state.leaseBeat },
        { lease_holder: holder, lease_beat: state.leaseBeat + 1 },
      ),
    )) === 1
  );
}

// ---- the digest

export interface DigestState {
  readonly scope: string;
  /** The tree holds every proof up to here; -1 while it is being built. */
  readonly checkpoint: number;
  readonly frontier: Frontier;
  /** The last proof in the tree. */
  readonly last: Position;
  readonly version: number;
}

/** @param lock inside a transaction: no proof is stored until it ends */
export async function readDigest(db: Reader, lock = false): Promise<DigestState> {
  const row = (await db.get<IndexDigestTable>(
    `SELECT * FROM index_digest WHERE id = 1${lock ? db.dialect.forUpdate : ''}`,
  ))!;
  return {
    scope: row.scope,
    checkpoint: row.checkpoint,
    frontier: decodeFrontier(row.size, row.frontier),
    last: { checkpoint: row.last_checkpoint, tx: row.last_tx, sequence: row.last_sequence },
    version: row.version,
  };
}

export async function writeDigest(
  tx: Transaction,
  before: DigestState,
  next: Omit<DigestState, 'version'>,
): Promise<DigestState> {
  const updateCount = await update(
    tx,
    'index_digest',
    { id: 1, version: before.version },
    {
      scope: next.scope,
      checkpoint: next.checkpoint,
      size: next.frontier.size,
      frontier: encodeFrontier(next.frontier),
      last_checkpoint: next.last.checkpoint,
      last_tx: next.last.tx,
      last_sequence: next.last.sequence,
      version: before.version + 1,
    },
  );
  if (updateCount !== 1) throw new StreamMoved('the digest was moved by another replica');
  return { ...next, version: before.version + 1 };
}

/** Called where proofs were stored: if one of them lies among those already in the tree, the tree is rebuilt. */
export async function invalidateDigestFrom(tx: Transaction, lowestInserted: number): Promise<void> {
  const state = await readDigest(tx, true);
  if (state.checkpoint < lowestInserted && state.last.checkpoint < lowestInserted) return;
  await writeDigest(tx, state, { scope: state.scope, checkpoint: -1, frontier: emptyFrontier, last: beforeEverything });
}
