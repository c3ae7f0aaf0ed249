/**
 * The follower: one loop that reads everything once (backfill) and then what is new (polling). It knows no third
 * state; a poll that finds a thousand pages is a backfill, a backfill that finds none is a poll.
 *
 * Outcomes are classified: try again later, look again which dialect the node speaks, ask for less, or stop the
 * process.
 */
import { DatabaseUnavailable } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { WrongLedger } from '../ledger/chain.js';
import { LedgerFailure } from '../ledger/graphql.js';
import type { View } from '../ledger/node.js';
import { advanceDigest } from '../store/index-digest.js';
import {
  beatLease,
  type FollowerState,
  readFollower,
  readStreams,
  type Stream,
  StreamMoved,
  savePoll,
} from '../store/streams.js';
import { type CatchUpContext, catchUp, dropCursor, refetchIncomplete, type Step } from './catch-up.js';
import { type Confirmation, createConfirm } from './confirm.js';
import { type Ledger, type LedgerSettings, openLedger, resolveLineage } from './open-ledger.js';
import { createSecondReading } from './second-reading.js';
import { auditNode, checkRetention, optional } from './stream-checks.js';

export interface FollowerOptions extends LedgerSettings {
  readonly pollMilliseconds: number;
  /** Between two pages of a long walk; grows while the node answers 429. */
  readonly pauseMilliseconds: number;
  readonly pageSize?: number;
  /** Pages of the second reading after each poll; 0 switches all of it off. */
  readonly rescanPages: number;
  readonly clock: () => Instant;
  /** Milliseconds that only grow, for measuring how long another replica has been silent. */
  readonly monotonic: () => number;
  /** 0 ≤ x < 1, for jitter. */
  readonly random: () => number;
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** Names this process among replicas. */
  readonly holder: string;
  readonly onStep?: (step: Step) => void | Promise<void>;
  readonly onPage?: CatchUpContext['onPage'];
}

export interface Follower {
  /** Reads everything that is new, once. Throws the failure; earlier commits stay. */
  pass(signal?: AbortSignal): Promise<void>;
  /** Reads for ever, until the signal. @throws WrongLedger */
  run(signal: AbortSignal): Promise<void>;
  /** Asks the node for one transaction by its digest and stores what it answers. See {@link createConfirm}. */
  confirm(digest: string, at: Instant): Promise<Confirmation>;
  /** Gives up the lease, so that another replica need not wait. */
  release(): Promise<void>;
}

const defaultPageSize = 50;
const auditInterval = 10;
const maxBackOff = 60_000;
const minLease = 90_000;
const cursorFailureLimit = 5;

/** State of one process that follows the ledger. */
interface LoopState {
  /** Opened with the first pass, and again when the node speaks differently. */
  ledger: Ledger | undefined;
  passes: number;
  /** Events a page: as many as are wanted, fewer after a node was overwhelmed. */
  size: number;
  /** Milliseconds between two pages. */
  pause: number;
  /** The end of the last look for transactions that came only in part. */
  refetchedUpTo: string;
}

export function createFollower(options: FollowerOptions): Follower {
  const { database, log, clock, senders } = options;
  const loop: LoopState = {
    ledger: undefined,
    passes: 0,
    size: options.pageSize ?? defaultPageSize,
    pause: options.pauseMilliseconds,
    refetchedUpTo: '',
  };
  const packageFailures = { count: 0 };
  const cursorFailures = new Map<string, number>();
  const secondReading = createSecondReading(options, (failure) => easeOff(failure, loop));
  const wantedSize = () =>
    Math.min(options.pageSize ?? Number.POSITIVE_INFINITY, loop.ledger?.maxPageSize ?? defaultPageSize);

  /** @param reopens looks the versions of the package up again */
  async function openedLedger(reopens: boolean): Promise<Ledger> {
    if (loop.ledger === undefined) {
      loop.ledger = await openLedger(options, packageFailures);
      loop.size = Math.min(loop.size, wantedSize());
    } else if (reopens || !loop.ledger.lineage.known) {
      Object.assign(loop.ledger, await resolveLineage(options, loop.ledger.node, packageFailures));
    }
    return loop.ledger;
  }

  function contextOf(ledger: Ledger, signal: AbortSignal | undefined): CatchUpContext {
    return {
      database,
      node: ledger.node,
      decoder: ledger.decoder,
      log,
      clock,
      pageSize: () => loop.size,
      pause: () => (loop.pause === 0 ? Promise.resolve() : options.sleep(loop.pause, signal)),
      onStep: options.onStep ?? (() => undefined),
      checkRetention: (stream) => checkRetention(options, ledger, stream),
      onPage: options.onPage ?? (() => undefined),
    };
  }

  async function pass(signal?: AbortSignal): Promise<void> {
    const audit = loop.passes % auditInterval === 0;
    const ledger = await openedLedger(audit && loop.passes > 0);
    if (audit) {
      ledger.decoder.refresh();
      ledger.quickDecoder.refresh();
    }
    const context = contextOf(ledger, signal);
    const newest = await catchUpAll(context, ledger, audit);
    if (audit) await refetch(context);
    if (options.rescanPages > 0) await secondReading.afterPoll(context);
    loop.passes++;
    loop.size = Math.min(wantedSize(), loop.size * 2);
    loop.pause = Math.max(options.pauseMilliseconds, Math.floor(loop.pause / 2));
    if (newest !== undefined) await savePoll(database, newest, clock());
    await advanceDigest(database, senders, signal);
    await options.onStep?.('pass finished');
  }

  /** Every stream up to the ledger's head. @returns the newest checkpoint that the node reported */
  async function catchUpAll(context: CatchUpContext, ledger: Ledger, audit: boolean): Promise<View | undefined> {
    let newest: View | undefined;
    let failure: LedgerFailure | undefined;
    for (const stream of await readStreams(database)) {
      try {
        const result = await catchUp(context, stream);
        cursorFailures.delete(stream.id);
        if (newest === undefined || result.view.sequence > newest.sequence) newest = result.view;
        if (stream.backfilled && !audit && result.stream.history !== 'unknown') continue;
        const checkedStream =
          audit && stream.backfilled ? await auditNode(options, ledger.node, result.stream) : result.stream;
        await checkRetention(options, ledger, checkedStream);
      } catch (error) {
        if (!(error instanceof LedgerFailure)) throw error;
        await countCursorFailure(context, stream, cursorFailures);
        // A stream whose events the node cannot tell right must not hold up the others; a node that does not answer at
        // all does.
        if (!streamScopedErrors.has(error.code)) throw error;
        failure = error;
      }
    }
    if (failure !== undefined) throw failure;
    return newest;
  }

  async function refetch(context: CatchUpContext): Promise<void> {
    const upTo = await optional(options, () => refetchIncomplete(context, loop.refetchedUpTo));
    loop.refetchedUpTo = upTo ?? loop.refetchedUpTo;
  }

  async function run(signal: AbortSignal): Promise<void> {
    const lease = createLease(options, loop);
    let failures = 0;
    while (!signal.aborted) {
      let wait = options.pollMilliseconds * (0.9 + 0.2 * options.random());
      try {
        const state = await readFollower(database);
        if (lease.isFree(state) && (await beatLease(database, state, options.holder))) {
          await pass(signal);
          if (failures > 0) log.info({ failures }, 'the ledger can be read again');
          failures = 0;
          if (options.rescanPages > 0)
            wait = await secondReading.untilNextPoll(contextOf(loop.ledger!, signal), wait, signal);
        }
      } catch (error) {
        if (error instanceof WrongLedger) throw error;
        if (signal.aborted) return;
        failures++;
        wait = backOff(error, failures, wait, options, loop);
      }
      await options.sleep(wait, signal);
    }
  }

  const confirm = createConfirm({
    database,
    decoder: () => loop.ledger?.quickDecoder,
    onFailure: options.onFailure,
  });

  return {
    pass,
    run,
    confirm,
    async release() {
      const state = await readFollower(database);
      if (state.leaseHolder === options.holder) await beatLease(database, state, null);
    },
  };
}

/**
 * A cursor that fails again and again is given up: the checkpoint it is pinned to may be one the node has forgotten.
 */
async function countCursorFailure(
  context: CatchUpContext,
  stream: Stream,
  cursorFailures: Map<string, number>,
): Promise<void> {
  const current = (await readStreams(context.database)).find((row) => row.id === stream.id);
  if (
    current === undefined ||
    current.resume === null ||
    current.resume.cursor === null ||
    current.version !== stream.version
  )
    return void cursorFailures.delete(stream.id);
  const failures = (cursorFailures.get(stream.id) ?? 0) + 1;
  cursorFailures.set(stream.id, failures);
  if (failures < cursorFailureLimit) return;
  cursorFailures.delete(stream.id);
  await dropCursor(context, current);
}

/** The lease only saves work: commits compare the version of a stream, so two readers do no harm. */
function createLease(options: FollowerOptions, loop: LoopState) {
  let lastBeat: { readonly beat: number; readonly since: number } | undefined;
  return {
    /** True if no other replica reads, or the one that does has been silent for long. */
    isFree({ leaseHolder, leaseBeat }: FollowerState): boolean {
      if (leaseHolder === options.holder || leaseHolder === null) return true;
      // Time is measured here, by how long the other's beat stands still: clocks of replicas need not agree.
      if (lastBeat?.beat !== leaseBeat) lastBeat = { beat: leaseBeat, since: options.monotonic() };
      const silence = options.monotonic() - lastBeat.since;
      return loop.passes === 0 || silence >= Math.max(minLease, 3 * options.pollMilliseconds);
    },
  };
}

/** Asks a node for less that said that it was asked for too much. */
function easeOff({ kind, code }: LedgerFailure, loop: LoopState): void {
  if (kind === 'smaller') loop.size = Math.max(1, Math.floor(loop.size / 2));
  if (code === 'HTTP_429') loop.pause = Math.min(5_000, Math.max(250, loop.pause * 2));
}

/** @returns the wait after a failure. Eases the next try off, or opens the ledger again, if the failure calls for it */
function backOff(error: unknown, failures: number, poll: number, options: FollowerOptions, loop: LoopState): number {
  const { log } = options;
  const exponential = Math.min(maxBackOff, 1_000 * 2 ** Math.min(failures - 1, 10)) * (0.5 + 0.5 * options.random());
  if (error instanceof StreamMoved) return poll;
  if (error instanceof DatabaseUnavailable) {
    log.warn({ reason: error.reason }, 'the database does not answer; nothing was lost');
    return exponential;
  }
  if (!(error instanceof LedgerFailure)) {
    log.error({ err: error }, 'reading the ledger failed');
    return exponential;
  }
  options.onFailure?.(error.code);
  log.warn({ code: error.code, reason: error.message, failures }, 'the ledger cannot be read right now');
  easeOff(error, loop);
  switch (error.kind) {
    case 'schema':
      // Nodes are upgraded in place: the dialect may have changed under us.
      loop.ledger = undefined;
      return failures === 1 ? 0 : exponential;
    case 'retry':
      return Math.max(exponential, error.retryAfterMilliseconds ?? 0);
    default:
      return exponential;
  }
}

const streamScopedErrors: ReadonlySet<string> = new Set([
  'INCOMPLETE',
  'ORDER',
  'CURSOR_LOOP',
  'NO_SEQUENCE',
  'BEYOND_HEAD',
]);
