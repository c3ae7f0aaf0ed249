/**
 * One stream, from its watermark to the ledger's head.
 *
 * The watermark is a checkpoint and never a node's cursor: on IOTA's servers a saved cursor pins the checkpoint it was
 * made at and a poll with it never sees a new event. Cursors live inside one walk; if a walk is kept over a
 * restart, losing its cursor costs time and nothing else.
 *
 * A node that filters by checkpoint (Sui) is read forward from the watermark. Another (IOTA) is read forward once,
 * from the beginning, and after that newest first, down to the watermark.
 */
import type { Database } from '@clockproof/platform/database/database';
import type { Log } from '@clockproof/platform/log';
import type { Instant } from '@clockproof/platform/time/instant';
import type { DecodedEvents, EventDecoder } from '../ledger/event-decoder.js';
import { LedgerFailure } from '../ledger/graphql.js';
import { filtersByCheckpoint, type LedgerNode, type Page, type View } from '../ledger/node.js';
import type { LedgerEvent } from '../ledger/proof-event.js';
import { ingest, ingestTransaction } from '../store/ingest.js';
import { incompleteTransactions } from '../store/proofs.js';
import { moveStream, type Resume, type Stream, type StreamChange } from '../store/streams.js';

/** Points at which a process may die; tests let it die at each. */
export type Step = 'page read' | 'rows written' | 'page committed' | 'pass finished';

export interface CatchUpContext {
  readonly database: Database;
  readonly node: LedgerNode;
  readonly decoder: EventDecoder;
  readonly log: Log;
  readonly clock: () => Instant;
  /** Events a page; shrinks when a node is overwhelmed. */
  readonly pageSize: () => number;
  /** Between two pages. */
  readonly pause: () => Promise<void>;
  readonly onStep: (step: Step) => void | Promise<void>;
  /** Compares the node's retention with how far the stream has come; called now and then during long walks. */
  readonly checkRetention: (stream: Stream) => Promise<Stream>;
  readonly onPage: (stream: Stream, view: View, decodedEvents: DecodedEvents) => void;
}

export interface CatchUpResult {
  readonly stream: Stream;
  readonly view: View;
}

/** @throws LedgerFailure, StreamMoved, DatabaseUnavailable: committed pages stay and are right */
export async function catchUp(needs: CatchUpContext, stream: Stream): Promise<CatchUpResult> {
  const hasBegun =
    stream.backfilled ||
    stream.resume?.walk === 'sweep' ||
    (stream.resume === null && stream.watermark >= stream.fromCheckpoint);
  try {
    return hasBegun && !filtersByCheckpoint(needs.node.dialect)
      ? await sweep(needs, stream)
      : await readForward(needs, stream);
  } catch (error) {
    if (
      stream.resume !== null &&
      error instanceof LedgerFailure &&
      (error.kind === 'refused' || error.kind === 'pruned')
    ) {
      needs.log.warn(
        { stream: stream.id, reason: error.message },
        'the node no longer takes the cursor of an unfinished walk; starting the walk again',
      );
      await dropCursor(needs, stream);
    }
    throw error;
  }
}

const sweepFromHead: Resume = { walk: 'sweep', cursor: null, view: -1 };

/** Gives up the cursor of an unfinished walk. Stored pages stay; the next walk meets the watermark. */
export async function dropCursor(needs: Pick<CatchUpContext, 'database' | 'node'>, stream: Stream): Promise<void> {
  const forward = filtersByCheckpoint(needs.node.dialect) || stream.watermark < stream.fromCheckpoint;
  await needs.database.write((tx) => moveStream(tx, stream, { resume: forward ? null : sweepFromHead }));
}

const pagesBetweenRetentionChecks = 20;

/**
 * Oldest first; the watermark follows page by page.
 * @param doubtedAt the watermark at which an empty end was doubted; there it is now believed
 */
async function readForward(needs: CatchUpContext, start: Stream, doubtedAt?: number): Promise<CatchUpResult> {
  const isFiltered = filtersByCheckpoint(needs.node.dialect);
  const resume = start.resume?.walk === 'forward' ? start.resume : null;
  let stream = start;
  let firstView = resume?.view;
  let last = start.watermark;
  let pages = 0;
  for await (const { page, next, end } of walk(needs, start, {
    direction: 'forward',
    from: resume?.cursor ?? null,
    ...(isFiltered ? { afterCheckpoint: start.watermark } : {}),
  })) {
    if (end === 'doubtful' && stream.watermark !== doubtedAt) {
      stream = await commit(needs, stream, noEvents, { resume: isFiltered ? null : sweepFromHead });
      return isFiltered ? readForward(needs, stream, stream.watermark) : sweep(needs, stream);
    }
    firstView ??= page.view.sequence;
    const decodedPage = await needs.decoder.decodePage(page, ascending(page.events, last));
    last = page.events.at(-1)?.checkpoint ?? last;
    // Everything before the last event's checkpoint has been read; of that checkpoint itself more may follow.
    const watermark = page.events.length === 0 ? stream.watermark : Math.max(stream.watermark, last - 1);
    // A node that does not filter answers every page of a walk as of its first page, even if the head has moved.
    const head = isFiltered ? page.view.sequence : firstView;
    stream = await commit(
      needs,
      stream,
      decodedPage,
      end === undefined
        ? {
            watermark: watermark,
            resume: isFiltered || next === null ? null : { walk: 'forward', cursor: next, view: firstView },
          }
        : { watermark: Math.max(watermark, head), backfilled: true, resume: null },
    );
    needs.onPage(stream, page.view, decodedPage);
    if (end !== undefined) return { stream, view: page.view };
    if (++pages % pagesBetweenRetentionChecks === 0) stream = await needs.checkRetention(stream);
  }
  throw noWayOn();
}

/**
 * Newest first, down to the watermark, which moves only when the walk has arrived.
 * @param doubtedAt as in `readForward`
 */
async function sweep(needs: CatchUpContext, start: Stream, doubtedAt?: number): Promise<CatchUpResult> {
  const floor = start.watermark;
  const cursor = start.resume?.walk === 'sweep' ? start.resume.cursor : null;
  let stream = start;
  let firstView = cursor === null ? undefined : start.resume?.view;
  for await (const { page, next, end } of walk(needs, start, {
    direction: 'backward',
    from: cursor,
    downTo: floor,
  })) {
    if (end === 'doubtful' && floor !== doubtedAt)
      return sweep(needs, await commit(needs, stream, noEvents, { resume: sweepFromHead }), floor);
    firstView ??= page.view.sequence;
    // A replica of the node that lags, or nothing new since.
    if (firstView <= floor)
      return { stream: await commit(needs, stream, noEvents, { backfilled: true, resume: null }), view: page.view };
    const decodedPage = await needs.decoder.decodePage(
      page,
      ascending(page.events, 0).filter((event) => event.checkpoint > floor),
    );
    stream = await commit(
      needs,
      stream,
      decodedPage,
      end === undefined
        ? { resume: { walk: 'sweep', cursor: next, view: firstView } }
        : { watermark: firstView, backfilled: true, resume: null },
    );
    needs.onPage(stream, page.view, decodedPage);
    if (end !== undefined) return { stream, view: page.view };
  }
  throw noWayOn();
}

function noWayOn(): LedgerFailure {
  return new LedgerFailure('retry', 'the node says that there is more but gives no way to it', 'CURSOR_LOOP');
}

const noEvents: DecodedEvents = { proofs: [], rejected: [], jsonDiffers: 0 };

/** Events of a page, if they are in ledger order and not older than what was read before. */
function ascending(events: readonly LedgerEvent[], from: number): readonly LedgerEvent[] {
  let last = Math.max(from, 0);
  for (const event of events) {
    if (event.checkpoint < last) throw new LedgerFailure('retry', 'the node gave events out of order', 'ORDER');
    last = event.checkpoint;
  }
  return events;
}

interface WalkedPage {
  readonly page: Page;
  /** The cursor of the page after this one. */
  readonly next: string | null;
  /**
   * Set on the last page. An empty one after a cursor may be the end, or a node that has lost the row of the cursor and
   * says nothing about it.
   */
  readonly end: 'certain' | 'doubtful' | undefined;
}

interface Walk {
  readonly direction: 'forward' | 'backward';
  /** A cursor to go on from. */
  readonly from: string | null;
  readonly afterCheckpoint?: number;
  /** The checkpoint at which a walk back has arrived. */
  readonly downTo?: number;
}

const maxEmptyPages = 1_000;

/**
 * Pages in a row, to the last one; without it where the node's cursors go in a circle or there is none. The next page
 * is asked for while the present one is being stored; one request at a time. Driven by `hasNextPage` and the cursor,
 * never by how many rows came: short and even empty pages may have successors.
 */
async function* walk(
  needs: CatchUpContext,
  stream: Stream,
  { direction, from, afterCheckpoint, downTo = -1 }: Walk,
): AsyncGenerator<WalkedPage> {
  const ask = async (cursor: string | null) =>
    needs.node.page({
      package: stream.package,
      direction,
      size: needs.pageSize(),
      sender: stream.sender ?? undefined,
      cursor: cursor ?? undefined,
      afterCheckpoint,
    });
  // Brent's cycle detection: one remembered cursor, moved on at every power of two, meets any circle.
  let rememberedCursor: string | null = null;
  let emptyPages = 0;
  let cursor = from;
  let pendingPage = ask(cursor);
  for (let step = 1; ; step++) {
    const page = await pendingPage;
    await needs.onStep('page read');
    const [hasMore, nextCursor] =
      direction === 'forward'
        ? [page.hasNext, page.endCursor]
        : [page.hasPrevious && page.events.every((event) => event.checkpoint > downTo), page.startCursor];
    if (!hasMore) {
      yield { page, next: null, end: cursor !== null && page.edges === 0 ? 'doubtful' : 'certain' };
      return;
    }
    emptyPages = page.edges === 0 ? emptyPages + 1 : 0;
    if (nextCursor === null || nextCursor === cursor || nextCursor === rememberedCursor || emptyPages > maxEmptyPages) {
      yield { page, next: null, end: undefined };
      return;
    }
    pendingPage = needs.pause().then(() => ask(nextCursor));
    // It is awaited only after this page is stored; until then a failure must not count as unhandled.
    pendingPage.catch(() => undefined);
    yield { page, next: nextCursor, end: undefined };
    if ((step & (step - 1)) === 0) rememberedCursor = nextCursor;
    cursor = nextCursor;
  }
}

async function commit(
  needs: CatchUpContext,
  stream: Stream,
  decodedEvents: DecodedEvents,
  change: StreamChange,
): Promise<Stream> {
  const isSame = (Object.keys(change) as (keyof StreamChange)[]).every(
    (key) => JSON.stringify(change[key]) === JSON.stringify(stream[key]),
  );
  if (isSame && decodedEvents.proofs.length === 0 && decodedEvents.rejected.length === 0) return stream;
  // Proofs, counts and watermark are one transaction: if the process dies here, the page is read again; if it dies
  // after, it is not.
  const movedStream = await needs.database.write(async (tx) => {
    const next = await moveStream(tx, stream, change);
    const { alarms } = await ingest(tx, decodedEvents, needs.clock());
    if (alarms > 0)
      needs.log.error(
        { stream: stream.id, alarms },
        'the ledger tells a stored proof differently; the stored one was kept',
      );
    await needs.onStep('rows written');
    return next;
  });
  await needs.onStep('page committed');
  return movedStream;
}

const batchSize = 100;

/**
 * Asks again by transaction for everything that the node delivered in part, until it is a proof or malformed for good.
 * @param lastDigest the end of the round before, so that many silent ones do not keep others from being asked for
 * @returns the start of the next round. @throws LedgerFailure the node does not answer now
 */
export async function refetchIncomplete(
  {
    database,
    decoder,
    clock,
  }: { readonly database: Database; readonly decoder: EventDecoder; readonly clock: () => Instant },
  lastDigest: string,
): Promise<string> {
  const digests = await incompleteTransactions(database, lastDigest, batchSize);
  for (const digest of digests) {
    const answer = await decoder.transaction(digest).catch((error: unknown) => {
      if (error instanceof LedgerFailure && (error.kind === 'refused' || error.kind === 'pruned')) return undefined;
      throw error;
    });
    if (typeof answer === 'object') await database.write((tx) => ingestTransaction(tx, digest, answer, clock()));
  }
  return digests.length < batchSize ? '' : digests.at(-1)!;
}
