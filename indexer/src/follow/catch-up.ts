/**
 * One stream, from its watermark to the ledger's head.
 *
 * The watermark is a checkpoint and never a node's cursor: on IOTA's servers a saved cursor pins the checkpoint it was
 * made at and a poll with it never sees a new event. Cursors live inside one walk; where a walk is kept over a
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

/** Where a process may die; tests let it die at each. */
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
  readonly onPage: (stream: Stream, view: View, decoded: DecodedEvents) => void;
}

export interface CaughtUp {
  readonly stream: Stream;
  readonly view: View;
}

/** @throws LedgerFailure, StreamMoved, DatabaseUnavailable: whatever was committed stays and is right. */
export async function catchUp(needs: CatchUpContext, stream: Stream): Promise<CaughtUp> {
  try {
    const begun =
      stream.backfilled ||
      stream.resume?.walk === 'sweep' ||
      (stream.resume === null && stream.watermark >= stream.fromCheckpoint);
    const sweeping = begun && !filtersByCheckpoint(needs.node.dialect);
    return sweeping ? await sweep(needs, stream) : await readForward(needs, stream);
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

/** Gives up the cursor of an unfinished walk. What was read stays; the next walk meets the watermark. */
export async function dropCursor(needs: Pick<CatchUpContext, 'database' | 'node'>, stream: Stream): Promise<void> {
  const resume: Resume | null =
    filtersByCheckpoint(needs.node.dialect) || stream.watermark < stream.fromCheckpoint
      ? null
      : { walk: 'sweep', cursor: null, view: -1 };
  await needs.database.write((tx) => moveStream(tx, stream, { resume }));
}

const pagesBetweenRetentionChecks = 20;

async function readForward(needs: CatchUpContext, start: Stream): Promise<CaughtUp> {
  const { node } = needs;
  const filtered = filtersByCheckpoint(node.dialect);
  let stream = start;
  let retriedEmptyAt: number | undefined;
  let pages = 0;
  for (;;) {
    const resume = stream.resume?.walk === 'forward' ? stream.resume : null;
    let pinnedView = resume?.view;
    let last = stream.watermark;
    let again = false;
    for await (const { page, cursor, final, next } of walk(needs, stream, {
      direction: 'forward',
      from: resume?.cursor ?? null,
      afterCheckpoint: filtered ? stream.watermark : undefined,
      wanted: () => true,
    })) {
      pinnedView ??= page.view.sequence;
      const decoded = await needs.decoder.decodePage(page, ascending(page.events, last));
      last = page.events.at(-1)?.checkpoint ?? last;
      // Everything before the last event's checkpoint has been read; of that checkpoint itself more may follow.
      const reached = page.events.length === 0 ? stream.watermark : Math.max(stream.watermark, last - 1);
      if (!final) {
        stream = await commit(needs, stream, decoded, {
          watermark: reached,
          resume: !filtered && next !== null ? { walk: 'forward', cursor: next, view: pinnedView } : null,
        });
        needs.onPage(stream, page.view, decoded);
        if (++pages % pagesBetweenRetentionChecks === 0) stream = await needs.checkRetention(stream);
        continue;
      }
      // A page after a cursor that is empty and the last may be the end, or a node that has lost the row of the cursor
      // and says nothing about it.
      if (cursor !== null && page.edges === 0 && retriedEmptyAt !== stream.watermark) {
        retriedEmptyAt = stream.watermark;
        stream = await commit(needs, stream, decoded, {
          watermark: reached,
          resume: filtered ? null : { walk: 'sweep', cursor: null, view: -1 },
        });
        again = true;
        break;
      }
      // A node that does not filter answers every page of a walk as of its first page, whatever the head has become.
      const view = filtered ? page.view.sequence : pinnedView;
      stream = await commit(needs, stream, decoded, {
        watermark: Math.max(reached, view),
        backfilled: true,
        resume: null,
      });
      needs.onPage(stream, page.view, decoded);
      return { stream, view: page.view };
    }
    if (again && !filtered) return sweep(needs, stream);
  }
}

/** Newest first, down to the watermark. The watermark moves only when the walk has arrived. */
async function sweep(needs: CatchUpContext, start: Stream): Promise<CaughtUp> {
  let stream = start;
  let retriedEmpty = false;
  for (;;) {
    const resume = stream.resume?.walk === 'sweep' && stream.resume.cursor !== null ? stream.resume : null;
    const floor = stream.watermark;
    const arrived = (page: Page) => !page.hasPrevious || page.events.some((event) => event.checkpoint <= floor);
    let view = resume?.view;
    let again = false;
    for await (const { page, cursor, final, next } of walk(needs, stream, {
      direction: 'backward',
      from: resume?.cursor ?? null,
      afterCheckpoint: undefined,
      wanted: (page) => !arrived(page),
    })) {
      view ??= page.view.sequence;
      // A replica of the node that lags, or nothing new since.
      if (cursor === null && view <= stream.watermark)
        return {
          stream: stream.backfilled ? stream : await commit(needs, stream, nothing, { backfilled: true, resume: null }),
          view: page.view,
        };
      const decoded = await needs.decoder.decodePage(
        page,
        ascending(page.events, 0).filter((event) => event.checkpoint > floor),
      );
      if (cursor !== null && page.edges === 0 && !page.hasPrevious && !retriedEmpty) {
        retriedEmpty = again = true;
        stream = await commit(needs, stream, decoded, { resume: { walk: 'sweep', cursor: null, view: -1 } });
        break;
      }
      stream =
        final || arrived(page)
          ? await commit(needs, stream, decoded, {
              watermark: Math.max(stream.watermark, view),
              backfilled: true,
              resume: null,
            })
          : await commit(needs, stream, decoded, { resume: { walk: 'sweep', cursor: next, view } });
      needs.onPage(stream, page.view, decoded);
      if (final || arrived(page)) return { stream, view: page.view };
    }
    if (!again) throw new LedgerFailure('retry', 'the walk ended before it arrived', 'CURSOR_LOOP');
  }
}

const nothing: DecodedEvents = { proofs: [], rejected: [], jsonDiffers: 0 };

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
  readonly cursor: string | null;
  readonly final: boolean;
  readonly next: string | null;
}

interface Walk {
  readonly direction: 'forward' | 'backward';
  /** A cursor to go on from. */
  readonly from: string | null;
  readonly afterCheckpoint: number | undefined;
  /** Whether the page after this one is wanted. */
  readonly wanted: (page: Page) => boolean;
}

const maxEmptyPages = 1_000;

/**
 * Pages in a row. The next one is asked for while the present one is being stored; one request at a time. Driven by
 * `hasNextPage` and the cursor, never by how many rows came:
 * short and even empty pages may have successors.
 * @throws LedgerFailure after the page was handed out, if the node's cursors go in a circle or there is none
 */
async function* walk(
  needs: CatchUpContext,
  stream: Stream,
  { direction, from, afterCheckpoint, wanted }: Walk,
): AsyncGenerator<WalkedPage> {
  const ask = async (cursor: string | null) =>
    needs.node.page({
      package: stream.package,
      direction,
      size: needs.pageSize(),
      ...(stream.sender === null ? {} : { sender: stream.sender }),
      ...(cursor === null ? {} : { cursor }),
      ...(afterCheckpoint === undefined ? {} : { afterCheckpoint }),
    });
  // Brent's cycle detection: one remembered cursor, moved on at every power of two, meets any circle.
  let remembered: string | null = null;
  let empty = 0;
  let cursor = from;
  let pending = ask(cursor);
  for (let step = 1; ; step++) {
    const page = await pending;
    await needs.onStep('page read');
    const more = (direction === 'forward' ? page.hasNext : page.hasPrevious) && wanted(page);
    const next = direction === 'forward' ? page.endCursor : page.startCursor;
    empty = page.edges === 0 ? empty + 1 : 0;
    const circle = more && (next === null || next === cursor || next === remembered || empty > maxEmptyPages);
    if (more && !circle) {
      pending = needs.pause().then(() => ask(next));
      // It is awaited only after this page is stored; until then a failure must not count as unhandled.
      pending.catch(() => undefined);
    }
    yield { page, cursor, final: !more, next: circle ? null : next };
    if (!more) return;
    if (circle)
      throw new LedgerFailure('retry', 'the node says that there is more but gives no way to it', 'CURSOR_LOOP');
    if ((step & (step - 1)) === 0) remembered = next;
    cursor = next;
  }
}

async function commit(
  needs: CatchUpContext,
  stream: Stream,
  decoded: DecodedEvents,
  change: StreamChange,
): Promise<Stream> {
  const same = (Object.keys(change) as (keyof StreamChange)[]).every(
    (key) => JSON.stringify(change[key]) === JSON.stringify(stream[key]),
  );
  if (same && decoded.proofs.length === 0 && decoded.rejected.length === 0) return stream;
  // Proofs, counts and watermark are one transaction: if the process dies here, the page is read again; if it dies
  // after, it is not.
  const moved = await needs.database.write(async (tx) => {
    const next = await moveStream(tx, stream, change);
    const { alarms } = await ingest(tx, decoded, needs.clock());
    if (alarms > 0)
      needs.log.error(
        { stream: stream.id, alarms },
        'the ledger tells a stored proof differently; the stored one was kept',
      );
    await needs.onStep('rows written');
    return next;
  });
  await needs.onStep('page committed');
  return moved;
}

const batchSize = 100;

/**
 * What the node could not tell whole is asked for again by its transaction, until it is a proof or malformed for good.
 * @param after where the round before ended, so that many that stay silent do not keep others from being asked for
 * @returns where the next round begins. @throws LedgerFailure where the node does not answer now
 */
export async function refetchIncomplete(
  {
    database,
    decoder,
    clock,
  }: { readonly database: Database; readonly decoder: EventDecoder; readonly clock: () => Instant },
  after: string,
): Promise<string> {
  const digests = await incompleteTransactions(database, after, batchSize);
  for (const digest of digests) {
    const answer = await decoder.transaction(digest).catch((error: unknown) => {
      if (error instanceof LedgerFailure && (error.kind === 'refused' || error.kind === 'pruned')) return undefined;
      throw error;
    });
    if (typeof answer === 'object') await database.write((tx) => ingestTransaction(tx, digest, answer, clock()));
  }
  return digests.length < batchSize ? '' : digests.at(-1)!;
}
