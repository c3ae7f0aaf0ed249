/**
 * The follower: one loop that reads everything once (backfill) and then what is new (polling). It knows no third state;
 * a poll that finds a thousand pages is a
 * backfill, a backfill that finds none is a poll.
 *
 * Outcomes are classified: try again later, look again which dialect the node speaks, ask for less, or stop the
 * process.
 */
import type { Database } from '@clockproof/platform/database/database';
import { DatabaseUnavailable } from '@clockproof/platform/database/database';
import type { Log } from '@clockproof/platform/log';
import type { Instant } from '@clockproof/platform/time/instant';
import { askOneChain, WrongLedger } from '../ledger/chain.js';
import { connectLedger, readVersions } from '../ledger/connect.js';
import { createEventDecoder, type EventDecoder } from '../ledger/event-decoder.js';
import { type Ask, LedgerFailure } from '../ledger/graphql.js';
import { knownChains } from '../ledger/identifiers.js';
import { type Lineage, lineageOf, mergeVersions } from '../ledger/lineage.js';
import { createLedgerNode, type LedgerNode, type PackageVersion, type View } from '../ledger/node.js';
import type { Expected } from '../ledger/proof-event.js';
import { advanceDigest } from '../store/index-digest.js';
import { addToTotals, isStored, lastCheckpointBefore } from '../store/proofs.js';
import {
  beatLease,
  moveStream,
  readFollower,
  readStreams,
  reconcileStreams,
  type Stream,
  StreamMoved,
  saveChain,
  savePackage,
  savePoll,
  type WantedStream,
} from '../store/streams.js';
import { type CatchUpContext, catchUp, dropCursor, refetchIncomplete, type Step } from './catch-up.js';
import { type Confirmation, createConfirm } from './confirm.js';
import { packageAddresses, refuseOtherChain, refuseOtherPackage } from './identity.js';
import { dropRescanCursor, type RescanContext, rescan } from './rescan.js';
import { evaluateRetention } from './retention.js';

export interface FollowerOptions {
  readonly database: Database;
  readonly ask: Ask;
  /** The same node for questions while a client waits: gives up sooner. `ask` unless given. */
  readonly askQuickly?: Ask;
  /** Address of any version of the anchor package, normalised. */
  readonly package: string;
  readonly network: string;
  /** Senders to index, normalised; empty means all. */
  readonly senders: readonly string[];
  readonly pollMilliseconds: number;
  /** Between two pages of a long walk; grows while the node answers 429. */
  readonly pauseMilliseconds: number;
  readonly pageSize?: number;
  /** Pages of the second reading after each poll; 0 switches it off. */
  readonly rescanPages: number;
  readonly log: Log;
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
  readonly onFailure?: (code: string) => void;
}

export interface Follower {
  /** Reads everything that is new, once. Throws what went wrong; what was committed before stays. */
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
/**
 * So often a question about the package that fails without a reason is put before the node counts as one that does not
 * tell about packages.
 */
const packageAttempts = 5;
/**
 * Checkpoints by which one replica of a node may be behind another, about three quarters of an hour. What differs by
 * more is not taken for lag.
 */
const maxReplicaLag = 10_000;

interface Ready {
  readonly node: LedgerNode;
  readonly decoder: EventDecoder;
  readonly quickDecoder: EventDecoder;
  readonly lineage: Lineage;
}

export function createFollower(options: FollowerOptions): Follower {
  const { database, ask, log, clock, senders } = options;
  let ready: Ready | undefined;
  let passes = 0;
  let wanted = options.pageSize ?? defaultPageSize;
  let size = wanted;
  let pause = options.pauseMilliseconds;
  let expected: Expected = { packages: new Set(), senders: new Set(senders) };
  let head: number | undefined;
  let packageFailures = 0;
  let refetchedUpTo = '';
  const cursorFailures = new Map<string, number>();

  // ---- before the first page: who is this node, is it the right ledger, what is to be read

  async function prepare(): Promise<Ready> {
    const { node, chainId: id, view } = await connectLedger(ask);
    refuseOtherChain(await readFollower(database), id);
    const chain = knownChains[id];
    if (chain !== undefined && chain.network !== options.network)
      log.warn(
        { chain_id: id, configured: options.network },
        `the node belongs to the ${chain.network} of ${chain.family}`,
      );
    const biggest = await node.maxPageSize().catch(() => undefined);
    if (biggest !== undefined && options.pageSize === undefined) wanted = biggest;
    wanted = Math.min(wanted, biggest ?? defaultPageSize);
    size = Math.min(size, wanted);
    const lineage = await resolveLineage(node);
    await saveChain(database, { chainId: id, dialect: node.dialect, head: view });
    log.info(
      { dialect: node.dialect, chain_id: id, package: lineage.original, page_size: wanted },
      'following the ledger',
    );
    head = view.sequence;
    const quickNode = createLedgerNode(askOneChain(options.askQuickly ?? ask, id), node.dialect);
    return {
      node: withHeadVerification(node),
      decoder: createEventDecoder(node, () => expected),
      quickDecoder: createEventDecoder(quickNode, () => expected),
      lineage,
    };
  }

  /** A node whose checkpoint leaps ahead is believed when it says so twice: what is read up to would count as read. */
  function withHeadVerification(node: LedgerNode): LedgerNode {
    return {
      ...node,
      async page(request) {
        const page = await node.page(request);
        if (
          page.view.sequence > (head ?? 0) + maxReplicaLag &&
          page.view.sequence > (await node.view()).sequence + maxReplicaLag
        ) {
          throw new LedgerFailure(
            'retry',
            `the node says that it is at checkpoint ${page.view.sequence}, and then that it is not`,
            'HEAD_IN_DOUBT',
          );
        }
        head = page.view.sequence;
        return page;
      },
    };
  }

  /**
   * @throws WrongLedger before anything is changed, if what is configured is no version of the package that the
   * database is an index of
   */
  async function resolveLineage(node: LedgerNode): Promise<Lineage> {
    const state = await readFollower(database);
    const remembered = state.packageVersions;
    const reported = await fetchVersions(node, packageAddresses(state));
    refuseOtherPackage(state, options.package, reported);
    const versions = mergeVersions(remembered, reported);
    const lineage = lineageOf(options.package, versions);
    if (!lineage.known)
      log.warn(
        { package: options.package },
        'the node does not know the anchor package; polling goes on in case it appears',
      );
    else if (lineage.original !== options.package)
      log.info(
        { package: options.package, original: lineage.original },
        'the anchor package was upgraded; events are found by the original id',
      );
    await reconcileStreams(database, wantedStreams(node, lineage), lineage.known);
    expected = {
      packages: new Set([
        ...lineage.definingIds.map((definition) => definition.id),
        ...(await readStreams(database)).map((stream) => stream.package),
      ]),
      senders: new Set(senders),
    };
    if (lineage.known && JSON.stringify(versions) !== JSON.stringify(remembered))
      await savePackage(database, { original: lineage.original, versions, publishedAt: lineage.publishedAt });
    return lineage;
  }

  /** @param own addresses of versions that are known already: for one of them nothing depends on the answer */
  async function fetchVersions(node: LedgerNode, own: ReadonlySet<string>): Promise<readonly PackageVersion[]> {
    try {
      return await readVersions(node, options.package);
    } catch (error) {
      if (!(error instanceof LedgerFailure)) throw error;
      options.onFailure?.(error.code);
      if (own.has(options.package) || (error.code === 'UNKNOWN' && ++packageFailures >= packageAttempts)) return [];
      throw error;
    }
  }

  function wantedStreams(node: LedgerNode, lineage: Lineage): WantedStream[] {
    const calls = node.dialect === 'flat-tx';
    const packages = calls
      ? lineage.addresses.map((id) => ({
          id,
          publishedAt:
            lineage.definingIds.find((definition) => definition.id === id)?.publishedAt ?? lineage.publishedAt,
        }))
      : lineage.definingIds;
    const from = (publishedAt: number | null) => publishedAt ?? lineage.publishedAt ?? 0;
    return packages.flatMap(({ id, publishedAt }) =>
      (senders.length === 0 ? [null] : senders).map((sender) => ({
        id: `${calls ? 'calls' : 'events'} ${id} ${sender ?? '*'}`,
        package: id,
        sender,
        fromCheckpoint: from(publishedAt),
      })),
    );
  }

  // ---- one pass

  async function pass(signal?: AbortSignal): Promise<void> {
    ready ??= await prepare();
    const audit = passes % auditInterval === 0;
    if (passes > 0 && (audit || !ready.lineage.known)) ready = { ...ready, lineage: await resolveLineage(ready.node) };
    if (audit) {
      ready.decoder.refresh();
      ready.quickDecoder.refresh();
    }
    const { node, decoder, lineage } = ready;
    const needs: CatchUpContext = {
      database,
      node,
      decoder,
      log,
      clock,
      pageSize: () => size,
      pause: () => (pause === 0 ? Promise.resolve() : options.sleep(pause, signal)),
      onStep: options.onStep ?? (() => undefined),
      checkRetention: (stream) => checkRetention(node, lineage, stream),
      onPage: options.onPage ?? (() => undefined),
    };

    let newest: View | undefined;
    let failed: LedgerFailure | undefined;
    for (const stream of await readStreams(database)) {
      try {
        const done = await catchUp(needs, stream);
        cursorFailures.delete(stream.id);
        if (newest === undefined || done.view.sequence > newest.sequence) newest = done.view;
        if (!stream.backfilled || audit || done.stream.history === 'unknown')
          await checkRetention(node, lineage, await audited(node, done.stream, audit && stream.backfilled));
      } catch (error) {
        if (!(error instanceof LedgerFailure)) throw error;
        await countCursorFailure(needs, stream);
        // A stream whose events the node cannot tell right must not hold up the others; a node that does not answer at
        // all does.
        if (!streamScopedErrors.has(error.code)) throw error;
        failed = error;
      }
    }
    if (failed !== undefined) throw failed;
    if (audit)
      refetchedUpTo =
        (await optional(() => refetchIncomplete({ database, decoder, clock }, refetchedUpTo))) ?? refetchedUpTo;
    if (options.rescanPages > 0) await rescanAll(needs);
    passes++;
    if (size < wanted) size = Math.min(wanted, size * 2);
    pause = Math.max(options.pauseMilliseconds, Math.floor(pause / 2));
    if (newest !== undefined) await savePoll(database, newest, clock());
    await advanceDigest(database, senders, signal);
    await options.onStep?.('pass finished');
  }

  /**
   * A cursor that fails again and again is given up: the checkpoint it is pinned to may be one the node has forgotten.
   */
  async function countCursorFailure(needs: CatchUpContext, stream: Stream): Promise<void> {
    const now = (await readStreams(database)).find((row) => row.id === stream.id);
    if (now === undefined || now.resume === null || now.resume.cursor === null || now.version !== stream.version)
      return void cursorFailures.delete(stream.id);
    const failures = (cursorFailures.get(stream.id) ?? 0) + 1;
    cursorFailures.set(stream.id, failures);
    if (failures < cursorFailureLimit) return;
    cursorFailures.delete(stream.id);
    await dropCursor(needs, now);
  }

  async function checkRetention(node: LedgerNode, lineage: Lineage, stream: Stream): Promise<Stream> {
    // What is missing of a package that no node knows cannot be said.
    if (!lineage.known || (stream.history !== 'unknown' && stream.watermark <= stream.retentionCheckedFrom))
      return stream;
    const floor = await optional(() => node.retentionFloor());
    const publication =
      lineage.publishedBy !== null && lineage.publishedAt !== null
        ? { digest: lineage.publishedBy, checkpoint: lineage.publishedAt }
        : undefined;
    const known =
      publication === undefined || stream.history !== 'unknown' || (await knowsPublication(node, publication));
    const verdict = evaluateRetention(stream, {
      floor,
      publishedAt: lineage.publishedAt ?? undefined,
      knowsPublication: known,
    });
    if (verdict.history === 'partial' && stream.history !== 'partial')
      log.warn(
        { stream: stream.id, floor: verdict.historyFloor },
        'the node has pruned a part of the history; what was written before it cannot be vouched for',
      );
    return database.write((tx) =>
      moveStream(tx, stream, {
        ...verdict,
        retentionCheckedFrom: verdict.history === 'unknown' ? stream.retentionCheckedFrom : stream.watermark,
      }),
    );
  }

  /** False if the node has lost the transaction that published the package or its checkpoint. */
  async function knowsPublication(
    node: LedgerNode,
    { digest, checkpoint }: { readonly digest: string; readonly checkpoint: number },
  ): Promise<boolean> {
    const answer = await optional(async () => (await node.whereabouts(digest, checkpoint)) ?? 'pruned');
    if (answer === undefined) return true;
    return answer !== 'pruned' && answer.transaction && answer.checkpoint;
  }

  /** A few pages of the second reading for each stream. It never fails a poll. */
  async function rescanAll(context: RescanContext): Promise<void> {
    for (const stream of await readStreams(database)) {
      const key = `rescan ${stream.id}`;
      const done = await optional(async () => {
        await rescan(context, stream, options.rescanPages);
        return true;
      });
      const failures = done === true ? 0 : (cursorFailures.get(key) ?? 0) + 1;
      cursorFailures.set(key, failures % cursorFailureLimit);
      if (failures >= cursorFailureLimit) await dropRescanCursor(context, stream);
    }
  }

  /**
   * Questions beside the reading: a node that cannot answer them is followed all the same, and they are put again
   * later.
   */
  async function optional<T>(question: () => Promise<T>): Promise<T | undefined> {
    try {
      return await question();
    } catch (error) {
      if (!(error instanceof LedgerFailure)) throw error;
      options.onFailure?.(error.code);
      log.debug({ code: error.code, reason: error.message }, 'the node does not answer a question beside the reading');
      return undefined;
    }
  }

  /**
   * The canary: the newest event of the stream must be stored if it lies behind the watermark, and the watermark cannot
   * lie far beyond the ledger. If it is otherwise,
   * something was lost that nothing else noticed, and the stream goes back to its last proof that is certain.
   */
  async function audited(node: LedgerNode, stream: Stream, due: boolean): Promise<Stream> {
    if (!due) return stream;
    const page = await optional(() =>
      node.page({
        package: stream.package,
        direction: 'backward',
        size: 1,
        ...(stream.sender === null ? {} : { sender: stream.sender }),
      }),
    );
    if (page === undefined) return stream;
    const beyond = stream.watermark > page.view.sequence + maxReplicaLag;
    const newest = page.events
      .filter((event) => node.dialect !== 'flat-tx' || expected.packages.has(event.type.split('::')[0]!))
      .at(-1);
    const lost =
      newest !== undefined &&
      newest.checkpoint <= stream.watermark &&
      !(await isStored(database, newest.tx, newest.sequence));
    if (!beyond && !lost) return stream;
    // Which version was called does not stand in a proof.
    const last =
      node.dialect === 'flat-tx'
        ? undefined
        : await lastCheckpointBefore(database, lost ? newest.checkpoint : page.view.sequence + 1, stream);
    const watermark = Math.max(stream.fromCheckpoint, last ?? stream.fromCheckpoint) - 1;
    if (lost)
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
      // What is read again was not read: whether the node still had it has to be shown again.
      return moveStream(tx, stream, {
        watermark,
        resume: null,
        retentionCheckedFrom: Math.min(stream.retentionCheckedFrom, watermark),
      });
    });
  }

  // ---- the loop

  async function run(signal: AbortSignal): Promise<void> {
    let failures = 0;
    let lease: { readonly beat: number; readonly since: number } | undefined;
    while (!signal.aborted) {
      let wait = options.pollMilliseconds * (0.9 + 0.2 * options.random());
      try {
        const state = await readFollower(database);
        const mine = state.leaseHolder === options.holder;
        if (!mine && state.leaseHolder !== null) {
          // Time is measured here, by how long the other's beat stands still: clocks of replicas need not agree.
          // The lease only saves work. Commits compare the stream's version, so two readers do no harm.
          if (lease?.beat !== state.leaseBeat) lease = { beat: state.leaseBeat, since: options.monotonic() };
          if (passes > 0 && options.monotonic() - lease.since < Math.max(minLease, 3 * options.pollMilliseconds)) {
            await options.sleep(wait, signal);
            continue;
          }
        }
        if (await beatLease(database, state, options.holder)) {
          await pass(signal);
          if (failures > 0) log.info({ failures }, 'the ledger can be read again');
          failures = 0;
        }
      } catch (error) {
        if (error instanceof WrongLedger) throw error;
        if (signal.aborted) return;
        failures++;
        wait = backOff(error, failures, wait);
      }
      await options.sleep(wait, signal);
    }
  }

  /** How long to wait after a failure, and what to change before the next try. */
  function backOff(error: unknown, failures: number, poll: number): number {
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
    switch (error.kind) {
      case 'schema':
        // Nodes are upgraded in place: the dialect may have changed under us.
        ready = undefined;
        return failures === 1 ? 0 : exponential;
      case 'smaller':
        size = Math.max(1, Math.floor(size / 2));
        return exponential;
      case 'retry':
        if (error.code === 'HTTP_429') pause = Math.min(5_000, Math.max(250, pause * 2));
        return Math.max(exponential, error.retryAfterMilliseconds ?? 0);
      default:
        return exponential;
    }
  }

  const confirm = createConfirm({
    database,
    decoder: () => ready?.quickDecoder,
    ...(options.onFailure === undefined ? {} : { onFailure: options.onFailure }),
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

const streamScopedErrors: ReadonlySet<string> = new Set([
  'INCOMPLETE',
  'ORDER',
  'CURSOR_LOOP',
  'NO_SEQUENCE',
  'BEYOND_HEAD',
]);
