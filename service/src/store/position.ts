/**
 * Positions: the place of a write in the order of all writes, without a row that every write would have to lock.
 *
 * The place of a transaction is its number on the database server, times {@link span}, plus a shift. Its rows carry the
 * place (`changed`); its events and its audit entries are numbered from it. A reader reads up to the *settled* place:
 * below it every transaction has ended, so its rows are visible or never come.
 *
 * An epoch is a stretch of history without a set-back. Restoring a backup, a standby that takes over, and any other
 * server that could give the same numbers again begin a new one, far above all places given before. A position on the
 * wire names its epoch, so that a reader of lost history gets 410.
 */
import { randomBytes } from 'node:crypto';
import type { Reader, Transaction } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import type { Tables } from '../generated/tables.js';
import { Refusal } from './refusal.js';
import { insert, updateWhereReturning } from './tables.js';

/** Events, and audit entries, that one transaction has room for. */
export const span = 16_384;
/** Transactions between two epochs: more than the lost tail of a server can have had. */
const gap = 2 ** 20;

export interface Position {
  /** 8 hex digits. */
  readonly epoch: string;
  readonly place: number;
}

/** The settled part of the history. */
export interface Settled extends Position {
  /**
   * The place of the newest transaction that is there. On PostgreSQL the settled place goes back for a moment when a
   * transaction of another database on the server ends just then: a position given before is not behind the end.
   */
  readonly newest: number;
}

/** The place of a row in a list of changes: one write may have changed several rows. */
export interface RowPlace {
  readonly changed: number;
  readonly id: number;
}

/** The rows that changed after a place, up to another one and not before an instant. */
export interface Changes {
  readonly after: RowPlace;
  readonly upTo: number;
  readonly since: number;
  readonly limit: number;
}

/** Behind all rows of a place. */
export const placeBehind = (place: number): RowPlace => ({ changed: place, id: Number.MAX_SAFE_INTEGER });

type EpochRow = Tables['epochs'];
interface Numbered {
  readonly number: number;
  readonly server: string;
}

/** The position of a transaction. Begins a new epoch if its server could give places again. */
export async function takePosition(tx: Transaction): Promise<Position> {
  // Sent together.
  const [numberRow, epoch] = await Promise.all([
    tx.get<Numbered>(tx.dialect.order.number),
    tx.get<EpochRow>(currentEpoch),
  ]);
  const { number, server } = numberRow!;
  const place = number * span + epoch!.shift;
  if (server === epoch!.server && place > epoch!.floor) return { epoch: epoch!.epoch, place };
  const next = await beginEpochAt(tx, epoch!, numberRow!, 'another server');
  return { epoch: next.epoch, place: number * span + next.shift };
}

const currentEpoch = 'SELECT * FROM epochs WHERE last IS NULL';

/** Begins a new epoch: after a restore, or a move to another database. */
export async function beginEpoch(tx: Transaction, reason: string): Promise<void> {
  const epoch = (await tx.get<EpochRow>(currentEpoch))!;
  await beginEpochAt(tx, epoch, (await tx.get<Numbered>(tx.dialect.order.number))!, reason);
}

/**
 * Call at start: a database that was brought to another server by other means than ours has a shift that does not fit
 * there, and readers would see nothing until the first write.
 */
export async function beginEpochOnNewServer(tx: Transaction): Promise<void> {
  await takePosition(tx);
}

/** Ends the epoch. Of two transactions that do so at the same time the second finds it done. */
async function beginEpochAt(tx: Transaction, epoch: EpochRow, { number, server }: Numbered, reason: string) {
  const [endedEpoch] = await updateWhereReturning(tx, 'epochs', { last: 0 }, 'epoch = :ended AND last IS NULL', {
    ended: epoch.epoch,
  });
  if (endedEpoch === undefined) return (await tx.get<EpochRow>(currentEpoch))!;
  const newest = Math.max(await newestPlace(tx), epoch.floor);
  await updateWhereReturning(tx, 'epochs', { last: newest }, 'epoch = :ended', { ended: epoch.epoch });
  const next = {
    epoch: randomBytes(4).toString('hex'),
    shift: (Math.floor(newest / span) + gap - number) * span,
    floor: newest,
    server,
    reason,
  };
  await insert(tx, 'epochs', next);
  return next;
}

/** The last place of the newest transaction that is there. Every write has an entry in the audit log. */
async function newestPlace(reader: Reader): Promise<number> {
  return (await reader.get<{ place: number }>(
    `SELECT (COALESCE(max(sequence), 0) | ${span - 1}) AS place FROM audit_entries`,
  ))!.place;
}

/**
 * The position up to which a reader may read. Read it before the rows, or in the same statement, never after.
 *
 * It is the place of the newest transaction that is there, and not of the horizon: after a crash the server gives again
 * the numbers of transactions that left nothing.
 */
export async function settledPosition(reader: Reader): Promise<Settled> {
  return (await reader.get<Settled>(
    `SELECT e.epoch, (COALESCE((SELECT max(a.sequence) FROM audit_entries a
       WHERE a.sequence < ${reader.dialect.order.horizon} * ${span} + e.shift), 0) | ${span - 1}) AS place,
       (COALESCE((SELECT max(a.sequence) FROM audit_entries a), 0) | ${span - 1}) AS newest
     FROM epochs e WHERE e.last IS NULL`,
  ))!;
}

/** A list that goes on behind a place never ends before it, even while the settled position is held up. */
export const endBehind = (settled: Settled, place: number): Settled => ({
  ...settled,
  place: Math.max(settled.place, place),
});

/** Every transaction with a smaller place has ended. For checks alone: after a crash these places are given again. */
export async function endedBelow(reader: Reader): Promise<number> {
  return (await reader.get<{ place: number }>(
    `SELECT ${reader.dialect.order.horizon} * ${span} + e.shift AS place FROM epochs e WHERE e.last IS NULL`,
  ))!.place;
}

/** A position as text: 22 hex digits, epoch and place. */
export function positionText({ epoch, place }: Position): string {
  return epoch + place.toString(16).padStart(14, '0');
}

/**
 * The place that a position names.
 * @param text 22 hex digits, see {@link positionText}
 * @param settled read before
 * @throws Refusal `history_changed` it is of no epoch of this history, or behind the rest of its epoch
 */
export async function placeOf(reader: Reader, text: string, settled: Settled): Promise<number> {
  const [epoch, place] = [text.slice(0, 8), Number.parseInt(text.slice(8), 16)];
  const last = epoch === settled.epoch ? settled.newest : await lastPlaceOf(reader, epoch);
  if (last === undefined || place > last) throw new Refusal('history_changed');
  return place;
}

async function lastPlaceOf(reader: Reader, epoch: string): Promise<number | undefined> {
  const row = await reader.get<EpochRow>('SELECT * FROM epochs WHERE epoch = :epoch', { epoch });
  return row?.last ?? undefined;
}

/**
 * A place such that everything up to it was written before an instant: the beginning of a list of changes since then.
 * Each head of the audit log knows the latest instant of all entries up to it.
 */
export async function placeBefore(reader: Reader, at: Instant): Promise<number> {
  const head = await reader.get<{ last: number }>(
    'SELECT last FROM audit_heads WHERE latest_at < :at ORDER BY latest_at DESC, size DESC LIMIT 1',
    { at },
  );
  return head?.last ?? 0;
}

/** The last entry of the audit log before each epoch that began for a reason, the oldest first; all zero without one. */
export function listEntriesBeforeEpochs(
  reader: Reader,
  reason: string,
): Promise<{ readonly sequence: number; readonly at: Instant }[]> {
  return reader.all(
    `SELECT COALESCE(a.sequence, 0) AS sequence, COALESCE(a.at, 0) AS at FROM epochs e LEFT JOIN audit_entries a ON a.sequence =
       (SELECT max(b.sequence) FROM audit_entries b WHERE b.sequence <=
         (SELECT max(p.last) FROM epochs p WHERE p.last IS NOT NULL AND p.shift < e.shift))
     WHERE e.reason = :reason ORDER BY e.shift`,
    { reason },
  );
}
