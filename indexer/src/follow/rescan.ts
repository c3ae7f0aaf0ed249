/**
 * The second reading: slowly, page by page (`rescan-pace.ts`), everything behind the watermark is read once more from
 * the beginning and compared with what is stored. A list that once left something out, or gave it differently, is found
 * out by it without anyone asking.
 *
 * Resumable: position and cursor are in the database. A walk that loses its cursor begins its round again.
 */
import type { Database } from '@clockproof/platform/database/database';
import type { Log } from '@clockproof/platform/log';
import type { Instant } from '@clockproof/platform/time/instant';
import type { EventDecoder } from '../ledger/event-decoder.js';
import { LedgerFailure } from '../ledger/graphql.js';
import { filtersByCheckpoint, type LedgerNode, type Page } from '../ledger/node.js';
import { ingest } from '../store/ingest.js';
import { addToTotals, markListedAgain } from '../store/proofs.js';
import { moveRescan, type Rescan, rescanOf } from '../store/rescans.js';
import type { Stream } from '../store/streams.js';

export interface RescanContext {
  readonly database: Database;
  readonly node: LedgerNode;
  readonly decoder: EventDecoder;
  readonly log: Log;
  readonly clock: () => Instant;
  readonly pageSize: () => number;
  readonly pause: () => Promise<void>;
}

/**
 * Reads the next pages of the round.
 * @param pages at most so many; a round ends before if the watermark is reached
 * @throws LedgerFailure, StreamMoved, DatabaseUnavailable: earlier commits stay
 */
export async function rescan(context: RescanContext, stream: Stream, pages: number): Promise<void> {
  if (!stream.backfilled) return;
  let state = await rescanOf(context.database, stream, context.clock());
  for (let page = 0; page < pages; page++) {
    if (page > 0) await context.pause();
    const rounds = state.rounds;
    state = await rescanPage(context, stream, state);
    if (state.rounds > rounds) return;
  }
}

async function rescanPage(context: RescanContext, stream: Stream, state: Rescan): Promise<Rescan> {
  const { database, node, decoder, log, clock } = context;
  const page = await readPage(context, stream, state);
  if (page === undefined) return database.write((tx) => moveRescan(tx, state, withoutCursor(node, stream)));
  const coveredEvents = page.events.filter((event) => event.checkpoint <= stream.watermark);
  // Events that come only in part are the follower's: it asks for them again until they are whole.
  const decodedPage = await decoder.decodePage({ ...page, incomplete: [] }, coveredEvents);
  const last = page.events.at(-1)?.checkpoint;
  const hasArrived = !page.hasNext || (last !== undefined && last > stream.watermark);
  const isStuck = !hasArrived && (page.endCursor === null || page.endCursor === state.resume);
  // Missing proofs and the place of the round are one transaction: if the process dies here, the page is read again.
  return database.write(async (tx) => {
    const { inserted, unchanged, alarms } = await ingest(tx, decodedPage, clock());
    await markListedAgain(tx, unchanged);
    if (inserted.length > 0) {
      log.error(
        { stream: stream.id, proofs: inserted.length, first: inserted[0]!.tx },
        'the second reading found proofs behind the watermark that were missing',
      );
      await addToTotals(tx, { proofs: 0, rejected: 0, alarms: 0, gapRepairs: 1, lastProofAt: null });
    }
    if (alarms > 0)
      log.error({ stream: stream.id, alarms }, 'the ledger gives a stored proof differently; the stored one was kept');
    const comparedCount = state.compared + coveredEvents.length;
    if (hasArrived) return moveRescan(tx, state, { ...startOf(stream), ...nextRound(state, comparedCount, clock()) });
    if (isStuck) return moveRescan(tx, state, withoutCursor(node, stream));
    // More events of the last event's checkpoint may follow.
    const position = Math.max(state.position, (last ?? 0) - 1);
    return moveRescan(tx, state, { position, resume: page.endCursor, compared: comparedCount });
  });
}

const startOf = (stream: Stream) => ({ position: stream.fromCheckpoint - 1, resume: null, compared: 0 });

const nextRound = ({ rounds }: Rescan, comparedLastRound: number, at: Instant) => ({
  rounds: rounds + 1,
  comparedLastRound,
  startedAt: at,
  completedAt: at,
});

/** Nodes that filter by checkpoint go on at the position, the others begin the round again. */
const withoutCursor = (node: LedgerNode, stream: Stream) =>
  filtersByCheckpoint(node.dialect) ? { resume: null } : startOf(stream);

/** Gives up the cursor of an unfinished round, for one that fails again and again. */
export async function dropRescanCursor(
  { database, node, clock }: Pick<RescanContext, 'database' | 'node' | 'clock'>,
  stream: Stream,
): Promise<void> {
  const state = await rescanOf(database, stream, clock());
  await database.write((tx) => moveRescan(tx, state, withoutCursor(node, stream)));
}

/** @returns undefined if the node no longer takes the cursor, or has lost its row and says nothing */
async function readPage(
  { node, pageSize }: RescanContext,
  stream: Stream,
  { position, resume }: Rescan,
): Promise<Page | undefined> {
  try {
    const page = await node.page({
      package: stream.package,
      direction: 'forward',
      size: pageSize(),
      sender: stream.sender ?? undefined,
      cursor: resume ?? undefined,
      // The row of the cursor lies behind the position, so the list has it even if the position was another one before.
      ...(filtersByCheckpoint(node.dialect) ? { afterCheckpoint: position } : {}),
    });
    return resume !== null && page.edges === 0 && !page.hasNext && position < stream.watermark ? undefined : page;
  } catch (error) {
    if (resume === null || !(error instanceof LedgerFailure)) throw error;
    if (error.kind === 'refused' || error.kind === 'pruned') return undefined;
    throw error;
  }
}
