/**
 * The service, put together: database, rooms, contract, server. Everything that differs between production and a test
 * is handed in.
 */
import { createHmac, randomUUID, randomBytes as secureRandomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { RandomBytes } from '@clockproof/platform/bytes/random-text';
import type { Database } from '@clockproof/platform/database/database';
import { type Closing, createUnfinished } from '@clockproof/platform/end-on-signal';
import type { App } from '@clockproof/platform/http/app';
import { metricsListener } from '@clockproof/platform/http/health';
import { createMemoryRateLimiter, type RateLimiter } from '@clockproof/platform/http/rate-limit';
import { listen } from '@clockproof/platform/http/server';
import { createSharedRateLimiter } from '@clockproof/platform/http/shared-rate-limit';
import type { Log } from '@clockproof/platform/log';
import { createMetrics } from '@clockproof/platform/metrics';
import type { Instant } from '@clockproof/platform/time/instant';
import { createIdentityProviders } from './access/company-sign-in/provider.js';
import { createCookies } from './access/cookies.js';
import { createLive } from './access/live.js';
import { createSetUpToken } from './access/one-time-links.js';
import { createPasswords, type Passwords } from './access/password.js';
import { resolvePasswordReset } from './access/password-reset.js';
import { relyingPartyOf } from './access/second-factor/webauthn.js';
import { createApplication, newRequestId } from './application.js';
import { createFileCheck } from './commands/file-check.js';
import { serviceGauges } from './commands/gauges.js';
import type { ServiceConfig } from './config.js';
import { type Connections, createConnections } from './extensions/socket/connections.js';
import { createWaiters, type Waiters } from './extensions/waiters.js';
import { releaseEndpoints } from './extensions/webhooks/delivery-rows.js';
import {
  afterCommits,
  createDispatcher,
  type DispatcherOptions,
  type RepeatDelivering,
} from './extensions/webhooks/dispatcher.js';
import { createWebhookSender, type ResolveHost } from './extensions/webhooks/send.js';
import { createCursors } from './http/cursor.js';
import { createMailer, type Mailer, type MailerNeeds } from './inbox/mail/mailer.js';
import { createSmtp } from './inbox/mail/smtp.js';
import { type Repeat, startRepeatedWork } from './repeated-work.js';
import type { Hub } from './store/hub.js';
import { openStorage } from './store/open.js';
import { noteSigning, startSealing } from './store/seal.js';
import type { DataKey } from './store/sealing/data-key.js';
import type { SealingKeys } from './store/sealing/sealing-keys.js';
import type { Store } from './store/write.js';
import type { HashCode } from './terminals/pairing.js';
import { version } from './version.js';

/** The build of the web application, as seen from the source and from the compiled code. */
export const webBuild = fileURLToPath(
  new URL(import.meta.url.endsWith('/dist/src/service.js') ? '../../web/dist' : '../web/dist', import.meta.url),
);

/** The build of the documentation. */
const docsBuild = fileURLToPath(
  new URL(import.meta.url.endsWith('/dist/src/service.js') ? '../../../dist/docs' : '../../dist/docs', import.meta.url),
);

export interface ServiceOptions {
  readonly config: ServiceConfig;
  readonly log: Log;
  /** This is the process that serves from the database: on SQLite the only one. */
  readonly exclusive?: boolean;
  /** Milliseconds since 1970; the system's clock by default. */
  readonly clock?: () => Instant;
  readonly randomBytes?: (size: number) => Uint8Array;
  readonly limiter?: RateLimiter;
  readonly passwords?: Passwords;
  /** Asks for the addresses that webhooks go to; the system's resolver by default. */
  readonly resolveHost?: ResolveHost;
  /** Calls `pass` again and again, to deliver webhooks; after commits by default. @returns stops it */
  readonly repeatDelivering?: RepeatDelivering;
  /** Calls for e-mails that are due again and again; every two seconds by default. @returns stops it */
  readonly repeatMailing?: (mailer: Mailer) => () => Promise<void>;
  /** Tests: the name of this process among the replicas, when failed deliveries are tried again, and how busy it is. */
  readonly delivering?: Partial<Pick<DispatcherOptions, 'holder' | 'schedule'>>;
  /** Repeats what open connections wait for: heartbeats, ends, news; every second by default. */
  readonly repeatTicking?: Repeat;
  /** Repeats the upkeep of days that are over; every minute by default. */
  readonly repeatUpkeep?: Repeat;
  /** From 0 to 1. */
  readonly random?: () => number;
  /** Folder of the built pages. */
  readonly pagesFolder?: string;
  /** Folder of the built documentation. */
  readonly docsFolder?: string;
  /** False in tests that count entries: the log gets no entry about the beginning of its signatures. */
  readonly notesSigning?: boolean;
  /** Tests: called if a response differs from the document. */
  readonly onContractBreach?: (breach: string) => void;
}

export interface Service extends Closing {
  readonly url: string;
  /** The address of the metrics, if METRICS_ADDR is set. */
  readonly metricsUrl: string | undefined;
  readonly db: Database;
  /** The database as the service writes to it. */
  readonly store: Store;
  /** Announces commits. */
  readonly hub: Hub;
  readonly connections: Connections;
  /** Requests that wait for events. */
  readonly waiters: Waiters;
  readonly dataKey: DataKey | undefined;
  readonly sealingKeys: SealingKeys;
  readonly hashPairingCode: HashCode;
  /** Source of the sealing keys if there is no DATA_KEY, and of the cursors' keys. */
  readonly installationSecret: Uint8Array;
  /**
   * The link with which the first super admin sets the installation up, once; undefined if there is a super admin. For
   * the operator's eyes: it belongs in no log.
   */
  readonly setUpLink: string | undefined;
}

export async function startService({
  config,
  log,
  exclusive = false,
  clock = Date.now,
  randomBytes = secureRandomBytes,
  limiter,
  passwords = createPasswords(),
  resolveHost,
  repeatDelivering = afterCommits,
  delivering = {},
  repeatMailing,
  repeatTicking,
  repeatUpkeep,
  random = Math.random,
  pagesFolder = webBuild,
  docsFolder = docsBuild,
  onContractBreach,
  notesSigning = true,
}: ServiceOptions): Promise<Service> {
  const process = randomUUID();
  const storage = await openStorage({ config, process, exclusive, at: clock(), randomBytes, log });
  const { database, db, hub, dataKey, sealingKeys, secret } = storage;
  try {
    if (notesSigning) await noteSigning(db, clock());
    const outgoing = {
      allowPrivateTargets: config.WEBHOOK_ALLOW_PRIVATE_TARGETS,
      log,
      resolveHost,
    };
    const sendWebhook = createWebhookSender({ ...outgoing, clock });
    const waiters = createWaiters({ hub, clock });
    const connections = createConnections({ db, hub, clock, randomBytes, process, log });
    const live = createLive({ db, hub, clock, log });
    const metrics = createMetrics('clockproof_service');
    const hashPairingCode = createPairingCodeHash(dataKey, secret);
    const setUpToken = await createSetUpToken(db, randomBytes, clock());
    const application = await createApplication({
      config,
      parts: {
        db,
        cursors: createCursors(secret),
        connections,
        waiters,
        live,
        version,
        extensionsEnabled: config.EXTENSIONS_ENABLED,
        baseUrl: config.BASE_URL,
        cookies: createCookies(config.BASE_URL),
        dataKey,
        sealingKeys,
        passwords,
        relyingParty: relyingPartyOf(config.BASE_URL),
        allowPrivateTargets: config.WEBHOOK_ALLOW_PRIVATE_TARGETS,
        sendWebhook,
        providers: createIdentityProviders({ ...outgoing, systemClock: Date.now }),
        sendsMail: config.SMTP_URL !== undefined,
        limiter: limiter ?? limiterOf(config, database),
        randomBytes,
        hashPairingCode,
      },
      pagesFolder,
      docsFolder,
      clock,
      log,
      metrics,
      onContractBreach,
    });
    const { server, metricsServer } = await listenAll(
      config,
      application,
      metricsListener(metrics, clock, serviceGauges(metrics, database, clock, connections.count)),
    );
    // The lease of a process that was killed lasts up to a minute. If there can be only one process, there is no need
    // to wait for it.
    if (exclusive && config.DB_DRIVER === 'sqlite') await db.runMaintenance('deliveries', releaseEndpoints);
    const stopRepeatedWork = startRepeatedWork({
      config,
      storage,
      clock,
      log,
      dispatcher: createDispatcher({
        db,
        send: sendWebhook,
        keys: sealingKeys,
        clock,
        random,
        holder: process,
        log,
        ...delivering,
      }),
      mailer: mailerOf(config, { db, keys: sealingKeys, clock, holder: process, log }, randomBytes),
      connections,
      waiters,
      live,
      checkFile: createFileCheck({ driver: config.DB_DRIVER, dsn: config.DB_DSN }, { metrics, log }),
      repeatDelivering,
      repeatMailing,
      repeatTicking,
      repeatUpkeep,
    });
    const stopSealing = startSealing(db, clock, log, storage.notePosition);
    const unfinished = createUnfinished();
    return {
      url: server.url,
      metricsUrl: metricsServer?.url,
      db: database,
      store: db,
      hub,
      connections,
      waiters,
      dataKey,
      sealingKeys,
      hashPairingCode,
      installationSecret: secret,
      setUpLink: setUpToken === undefined ? undefined : `${config.BASE_URL}/set-up#${setUpToken}`,
      unfinished: unfinished.names,
      async close() {
        const { finish } = unfinished;
        live.close();
        waiters.close();
        await Promise.all([
          finish('requests', server.close()),
          finish('metrics', metricsServer?.close()),
          finish('webhooks, e-mail and other repeated work', stopRepeatedWork()),
          finish('WebSockets', connections.close()),
        ]);
        await finish('sealing of the audit log', stopSealing());
        await finish('signals to other processes', hub.close());
        await finish('database', database.close());
      },
    };
  } catch (error) {
    await hub.close();
    await database.close();
    throw error;
  }
}

function limiterOf({ DB_DRIVER: driver }: ServiceConfig, database: Database): RateLimiter {
  return driver === 'postgres' ? createSharedRateLimiter(database) : createMemoryRateLimiter();
}

async function listenAll(
  config: ServiceConfig,
  { express, takeHandshake }: App,
  metrics: Parameters<typeof listen>[0],
) {
  const server = await listen(express, { ...config.LISTEN_ADDR, newRequestId, takeHandshake });
  if (config.METRICS_ADDR === undefined) return { server, metricsServer: undefined };
  try {
    return { server, metricsServer: await listen(metrics, config.METRICS_ADDR) };
  } catch (error) {
    await server.close(0);
    throw error;
  }
}

function mailerOf(
  { SMTP_URL: smtp, MAIL_FROM: from, BASE_URL: baseUrl }: ServiceConfig,
  needs: Pick<MailerNeeds, 'db' | 'keys' | 'clock' | 'holder' | 'log'>,
  randomBytes: RandomBytes,
): Mailer | undefined {
  if (smtp === undefined) return undefined;
  return createMailer({
    ...needs,
    handOver: createSmtp(smtp),
    from: from!,
    baseUrl,
    resolveAddress: (mail, at) => resolvePasswordReset({ ...needs, randomBytes }, mail, at),
  });
}

/**
 * Pairing codes have 40 bits and live ten minutes: keyed, so that a stolen database does not give one away in between.
 */
function createPairingCodeHash(dataKey: DataKey | undefined, secret: Uint8Array): HashCode {
  return (code) =>
    dataKey === undefined
      ? createHmac('sha256', secret).update(`pairing code ${code}`).digest('hex')
      : dataKey.hash('pairing code', code);
}
