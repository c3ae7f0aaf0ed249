/** The progress of the second reading of each stream. */
import type { Database, Reader, Transaction } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import type { RescansTable } from '../generated/tables.js';
import { type Stream, StreamMoved } from './streams.js';
import { insertIfAbsent, update } from './tables.js';

export interface Rescan {
  readonly streamId: string;
  /** In this round everything up to here was compared with the stored events. */
  readonly position: number;
  /**
   * Cursor of the unfinished walk, where the dialect has no filter by checkpoint or a page ends within a checkpoint.
   */
  readonly resume: string | null;
  readonly rounds: number;
  /** The beginning of this round. */
  readonly startedAt: Instant;
  /** Events that were compared in this round. */
  readonly compared: number;
  /** Events of the last whole round; null before the first. */
  readonly comparedLastRound: number | null;
  readonly completedAt: Instant | null;
  readonly version: number;
}

export async function readRescans(db: Reader): Promise<Rescan[]> {
  return (await db.all<RescansTable>('SELECT * FROM rescans ORDER BY stream_id')).map((row) => ({
    streamId: row.stream_id,
    position: row.position,
    resume: row.resume,
    rounds: row.rounds,
    startedAt: row.started_at,
    compared: row.compared,
    comparedLastRound: row.compared_last_round,
    completedAt: row.completed_at,
    version: row.version,
  }));
}

/** The rescan of a stream, begun before its first checkpoint if there is none yet. */
export async function rescanOf(db: Database, stream: Stream, at: Instant): Promise<Rescan> {
  const find = async () => (await readRescans(db)).find((rescan) => rescan.streamId === stream.id);
  const rescan = await find();
  if (rescan !== undefined) return rescan;
  await db.write((tx) =>
    insertIfAbsent(tx, 'rescans', {
      stream_id: stream.id,
      position: stream.fromCheckpoint - 1,
      rounds: 0,
      started_at: at,
      compared: 0,
      version: 0,
    }),
  );
  return (await find())!;
}

/** @throws StreamMoved if another replica was faster */
export async function moveRescan(
  tx: Transaction,
  rescan: Rescan,
  change: Partial<Omit<Rescan, 'streamId' | 'version'>>,
): Promise<Rescan> {
  const next: Rescan = { ...rescan, ...change, version: rescan.version + 1 };
  const isMoved = await update(
    tx,
    'rescans',
    { stream_id: rescan.streamId, version: rescan.version },
    {
      position: next.position,
      resume: next.resume,
      rounds: next.rounds,
      started_at: next.startedAt,
      compared: next.compared,
      compared_last_round: next.comparedLastRound,
      completed_at: next.completedAt,
      version: next.version,
    },
  );
  if (isMoved !== 1) throw new StreamMoved(`the rescan of ${rescan.streamId} was moved by another replica`);
  return next;
}
