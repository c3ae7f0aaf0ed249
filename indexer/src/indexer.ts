/**
 * The index, put together: database, follower, contract, server. Everything that differs between production and a test
 * is handed in.
 */
import { randomUUID } from 'node:crypto';
import type { Database } from '@clockproof/platform/database/database';
import { openDatabase } from '@clockproof/platform/database/open';
import { type Closing, createUnfinished } from '@clockproof/platform/end-on-signal';
import { createApp } from '@clockproof/platform/http/app';
import { createClientAddress } from '@clockproof/platform/http/client-address';
import { healthRoutes, metricsListener } from '@clockproof/platform/http/health';
import { createMemoryRateLimiter, type RateLimiter } from '@clockproof/platform/http/rate-limit';
import { listen, type RunningServer } from '@clockproof/platform/http/server';
import { createSharedRateLimiter } from '@clockproof/platform/http/shared-rate-limit';
import type { Log } from '@clockproof/platform/log';
import { createMetrics, type Metrics } from '@clockproof/platform/metrics';
import type { Instant } from '@clockproof/platform/time/instant';
import { fetch as undiciFetch } from 'undici';
import { indexerHandlers } from './api/handlers.js';
import {
  createKnowledgeSource,
  type IndexKnowledge,
  isBackfilled,
  type KnowledgeSource,
  lagSeconds,
} from './api/knowledge.js';
import { createPages, errorPage } from './api/static-pages.js';
import type { IndexerConfig } from './config.js';
import type { Step } from './follow/catch-up.js';
import { createFollower, type Follower } from './follow/follower.js';
import { createProgress } from './follow/progress.js';
import { errors } from './generated/contract.js';
import { document } from './generated/indexer-document.js';
import { createGraphqlClient, type Fetch } from './ledger/graphql.js';
import { version } from './package-folder.js';
import { sleep } from './sleep.js';
import { readTotals } from './store/proofs.js';
import { migrations } from './store/schema.js';

/** Milliseconds that a client waits at most for a question to the ledger on its behalf. */
const quickTimeout = 3_000;

export interface IndexerOptions {
  readonly config: IndexerConfig;
  readonly log: Log;
  /** This is the process that serves from the database: on SQLite the only one. */
  readonly exclusive?: boolean;
  readonly clock?: () => Instant;
  readonly random?: () => number;
  readonly fetch?: Fetch;
  readonly sleep?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  readonly limiter?: RateLimiter;
  /** Off: the caller drives `follower.pass()` itself. */
  readonly follow?: boolean;
  readonly onStep?: (step: Step) => void | Promise<void>;
  /** The follower has stopped for good. */
  readonly onFatal?: (error: unknown) => void;
  readonly onContractBreach?: (breach: string) => void;
}

export interface Indexer extends Closing {
  readonly url: string;
  /** The address of the metrics, if METRICS_ADDR is set. */
  readonly metricsUrl: string | undefined;
  readonly db: Database;
  readonly follower: Follower;
}

export async function startIndexer(options: IndexerOptions): Promise<Indexer> {
  const { config, log, exclusive = false, clock = Date.now } = options;
  const db = await openDatabase({
    driver: config.DB_DRIVER,
    dsn: config.DB_DSN,
    poolSize: config.DB_POOL_SIZE,
    poolWaitMilliseconds: config.DB_POOL_WAIT_MS,
    exclusive,
  });
  let server: RunningServer | undefined;
  let metricsServer: RunningServer | undefined;
  const stop = new AbortController();
  try {
    await db.migrate(migrations);
    const metrics = createMetrics('clockproof_indexer');
    const knowledge = createKnowledgeSource(db, { senders: config.ADDRESSES, pollMilliseconds: config.POLL_INTERVAL });
    const follower = followerOf(options, db, metrics, stop.signal);
    const health = healthRoutes(async () => (await db.ping()) && isReady(await knowledge.refresh(clock())), clock);
    const snapshot = gauges(metrics, db, knowledge, clock);
    const app = await createApp({
      apis: [
        {
          document,
          handlers: indexerHandlers({
            db,
            knowledge,
            confirm: follower.confirm,
            network: config.CHAIN_NETWORK,
            package: config.CHAIN_ANCHOR_PACKAGE,
            version,
          }),
          authenticate: () => ({ caller: null }),
          challenge: () => '',
          crossOriginGet: () => true,
        },
      ],
      errors,
      errorPage: () => errorPage(config.BASE_URL),
      clock,
      // Anyone may ask as often as the limit allows: requests are counted in the metrics and logged one by one only
      // to those who debug.
      log: { ...bindLog(log), info: log.debug.bind(log) },
      limiter:
        options.limiter ?? (config.DB_DRIVER === 'postgres' ? createSharedRateLimiter(db) : createMemoryRateLimiter()),
      newRequestId: numberedRequests(),
      clientAddress: createClientAddress(config.TRUSTED_PROXIES),
      limits: { perAddress: config.RATE_IP_PER_MINUTE, failedAuthentications: config.RATE_IP_PER_MINUTE },
      routes: health,
      mountPages: createPages({ contacts: config.SECURITY_CONTACT, baseUrl: config.BASE_URL, clock }),
      observe: metrics.observe,
      onContractBreach: options.onContractBreach,
    });
    server = await listen(app.express, config.LISTEN_ADDR);
    if (config.METRICS_ADDR !== undefined)
      metricsServer = await listen(metricsListener(metrics, clock, snapshot), config.METRICS_ADDR);

    const followerRun =
      options.follow === false
        ? Promise.resolve()
        : follower.run(stop.signal).catch((error: unknown) => options.onFatal?.(error));
    const listeningServer = server;
    const unfinished = createUnfinished();
    return {
      url: listeningServer.url,
      metricsUrl: metricsServer?.url,
      db,
      follower,
      unfinished: unfinished.names,
      async close() {
        const { finish } = unfinished;
        stop.abort();
        await Promise.all([
          finish('requests', listeningServer.close()),
          finish('metrics', metricsServer?.close()),
          finish('following the ledger', followerRun),
        ]);
        await finish(
          'lease',
          follower.release().catch(() => undefined),
        );
        await finish('database', db.close());
      },
    };
  } catch (error) {
    await server?.close();
    await metricsServer?.close();
    await db.close();
    throw error;
  }
}

function followerOf(options: IndexerOptions, database: Database, metrics: Metrics, signal: AbortSignal): Follower {
  const { config, log, clock = Date.now } = options;
  const failures = metrics.counter('ledger_failures_total', 'Questions to the ledger that failed, by code.', ['code']);
  const jsonDiffers = metrics.counter(
    'json_differs_total',
    'Proofs whose JSON from the node says something else than their bytes.',
    [],
  );
  const connection = {
    url: config.CHAIN_GRAPHQL_URL,
    fetch: options.fetch ?? (undiciFetch as unknown as Fetch),
    signal,
  };
  const progress = createProgress({ log, now: () => performance.now() });
  return createFollower({
    database,
    ask: createGraphqlClient(connection),
    askQuickly: createGraphqlClient({ ...connection, timeoutMilliseconds: quickTimeout }),
    package: config.CHAIN_ANCHOR_PACKAGE,
    network: config.CHAIN_NETWORK,
    senders: config.ADDRESSES,
    pollMilliseconds: config.POLL_INTERVAL,
    pauseMilliseconds: config.pauseMilliseconds,
    rescanPages: config.RESCAN_PAGES,
    log,
    clock,
    monotonic: () => performance.now(),
    random: options.random ?? Math.random,
    sleep: options.sleep ?? sleep,
    holder: randomUUID(),
    onPage: (stream, view, decodedEvents) => {
      if (decodedEvents.jsonDiffers > 0) {
        jsonDiffers.inc(decodedEvents.jsonDiffers);
        log.warn(
          { stream: stream.id, events: decodedEvents.jsonDiffers },
          'the node renders events differently from their bytes',
        );
      }
      progress(stream, view, decodedEvents);
    },
    onFailure: (code) => failures.labels(code).inc(),
    onStep: options.onStep,
  });
}

/**
 * True if questions can be answered: the whole subject of the index has been read once, and there was something to
 * read.
 */
function isReady({ streams, packageKnown }: IndexKnowledge): boolean {
  return isBackfilled(streams) && packageKnown;
}

/** Names of requests: random for the process, then numbered. */
function numberedRequests(): () => string {
  const process = randomUUID().replaceAll('-', '').slice(0, 16);
  let number = 0;
  return () => `req_${process}_${(++number).toString(36)}`;
}

function bindLog(log: Log): Log {
  return {
    debug: log.debug.bind(log),
    info: log.info.bind(log),
    warn: log.warn.bind(log),
    error: log.error.bind(log),
    fatal: log.fatal.bind(log),
  };
}

/** @returns a function that reads what the gauges then show */
function gauges(metrics: Metrics, db: Database, knowledge: KnowledgeSource, clock: () => Instant): () => Promise<void> {
  const values = {
    head: 0,
    watermark: -1,
    lag: Number.NaN,
    proofs: 0,
    rejected: 0,
    alarms: 0,
    repairs: 0,
    backfilled: 0,
    complete: 0,
  };
  metrics.gauge('head_checkpoint', 'Newest checkpoint of the ledger at the last poll.', () => values.head);
  metrics.gauge('watermark_checkpoint', 'Every proof up to this checkpoint is indexed.', () => values.watermark);
  metrics.gauge('lag_seconds', 'Age of the newest known state of the ledger; NaN before the first.', () => values.lag);
  metrics.gauge('proofs', 'Indexed proofs.', () => values.proofs);
  metrics.gauge('rejected', 'Events of the package that are no readable proofs.', () => values.rejected);
  metrics.gauge(
    'integrity_alarms',
    'Open contradictions: versions of stored proofs that the ledger gave differently.',
    () => values.alarms,
  );
  metrics.gauge('gap_repairs', 'Times the self-check found something missing.', () => values.repairs);
  metrics.gauge('backfilled', '1 once the history has been read.', () => values.backfilled);
  metrics.gauge(
    'history_complete',
    '1 if the node still had the whole history when it was read.',
    () => values.complete,
  );
  let readAt = -Infinity;
  return async () => {
    const at = clock();
    // Metrics can be scraped at any rate: the database is asked once a second.
    if (at >= readAt && at - readAt < 1_000) return;
    readAt = at;
    const [indexKnowledge, totals] = await Promise.all([knowledge.refresh(at), readTotals(db)]);
    Object.assign(values, {
      head: indexKnowledge.head ?? 0,
      watermark: indexKnowledge.watermark ?? -1,
      lag: lagSeconds(indexKnowledge.follower, at) ?? Number.NaN,
      proofs: totals.proofs,
      rejected: totals.rejected,
      alarms: totals.alarms,
      repairs: totals.gap_repairs,
      backfilled: isBackfilled(indexKnowledge.streams) ? 1 : 0,
      complete: indexKnowledge.history === 'complete' ? 1 : 0,
    });
  };
}
