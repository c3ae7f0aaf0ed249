/**
 * The service, put together: database, rooms, contract, server. Everything that differs between production and a test
 * is handed in.
 */
import { createHmac, randomUUID, randomBytes as secureRandomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Database } from '@clockproof/platform/database/database';
import { openDatabase } from '@clockproof/platform/database/open';
import { createApp } from '@clockproof/platform/http/app';
import { createClientAddress } from '@clockproof/platform/http/client-address';
import { healthRoutes, metricsListener } from '@clockproof/platform/http/health';
import { createMemoryRateLimiter, type RateLimiter } from '@clockproof/platform/http/rate-limit';
import { listen } from '@clockproof/platform/http/server';
import { createSharedRateLimiter } from '@clockproof/platform/http/shared-rate-limit';
import type { Log } from '@clockproof/platform/log';
import { createMetrics } from '@clockproof/platform/metrics';
import { type Instant, minute, second } from '@clockproof/platform/time/instant';
import { credentialOf as appCredentialOf, createAppAuthentication } from './access/authenticate-person.js';
import { createIdentityProviders } from './access/company-sign-in/provider.js';
import { createCookies } from './access/cookies.js';
import { createLive } from './access/live.js';
import { endExpiredLinks } from './access/oauth/links.js';
import { noteLinkUse } from './access/oauth/rows.js';
import { createSetUpToken } from './access/one-time-links.js';
import { createPasswords, type Passwords } from './access/password.js';
import { resolvePasswordReset } from './access/password-reset.js';
import { relyingPartyOf } from './access/second-factor/webauthn.js';
import { accepts, challengeFor, createAuthentication, credentialOf } from './authentication.js';
import { tellForgottenClockOuts } from './clock/forgotten-clock-outs.js';
import { serviceGauges } from './commands/gauges.js';
import { startHeadFile } from './commands/head-file.js';
import type { ServiceConfig } from './config.js';
import { createUseNotes } from './extensions/keys.js';
import { noteUse } from './extensions/rows.js';
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
import { document as appDocument } from './generated/app-document.js';
import { type AppOperationId, errors, oauthErrors } from './generated/contract.js';
import { document } from './generated/service-document.js';
import { apiHandlers, appHandlers } from './handlers.js';
import { startHousekeeping } from './housekeeping.js';
import { createCursors } from './http/cursor.js';
import { featureGatedDocument, featureGatedHandlers } from './http/feature-gate.js';
import { createPages } from './http/pages.js';
import { presentProblem } from './http/problem.js';
import { createMailer, type Mailer } from './inbox/mail/mailer.js';
import { createSmtp } from './inbox/mail/smtp.js';
import { createHub, type Hub } from './store/hub.js';
import { installationSecret } from './store/installation.js';
import { migrations } from './store/migrations/migrations.js';
import { beginEpochOnNewServer } from './store/position.js';
import { noteSigning, startSealing } from './store/seal.js';
import { type DataKey, signWith } from './store/sealing/data-key.js';
import { openDataKey } from './store/sealing/data-keys.js';
import { createSealingKeys, type SealingKeys } from './store/sealing/sealing-keys.js';
import { noticeSetBack, positionNote } from './store/set-back.js';
import { createStore, type Store } from './store/write.js';
import type { HashCode } from './terminals/pairing.js';
import { version } from './version.js';

/** The build of the web application, seen from the source and from what is compiled of it. */
export const webBuild = fileURLToPath(
  new URL(import.meta.url.endsWith('/dist/src/service.js') ? '../../web/dist' : '../web/dist', import.meta.url),
);

/** The build of the documentation. */
const docsBuild = fileURLToPath(
  new URL(import.meta.url.endsWith('/dist/src/service.js') ? '../../../dist/docs' : '../../dist/docs', import.meta.url),
);
const hasPaths = (document: unknown) => typeof document === 'object' && document !== null && 'paths' in document;

export interface ServiceOptions {
  readonly config: ServiceConfig;
  readonly log: Log;
  /** This is the process that serves from the database: on SQLite the only one. */
  readonly own?: boolean;
  /** Milliseconds since 1970; the system's clock unless handed in. */
  readonly clock?: () => Instant;
  readonly randomBytes?: (size: number) => Uint8Array;
  readonly limiter?: RateLimiter;
  readonly passwords?: Passwords;
  /** Asks for the addresses that webhooks go to; the system's resolver unless handed in. */
  readonly resolveHost?: ResolveHost;
  /** Calls `pass` again and again, to deliver webhooks; after commits unless handed in. @returns stops it */
  readonly repeatDelivering?: RepeatDelivering;
  /** Calls for e-mails that are due again and again; every two seconds unless handed in. @returns stops it */
  readonly repeatMailing?: (mailer: Mailer) => () => Promise<void>;
  /** Tests: the name of this process among the replicas, when failed deliveries are tried again, and how busy it is. */
  readonly delivering?: Partial<Pick<DispatcherOptions, 'holder' | 'schedule'>>;
  /** Calls for heartbeats of WebSockets again and again; every second unless handed in. @returns stops it */
  readonly repeatTicking?: (tick: () => Promise<void>) => () => void;
  /** From 0 to 1. */
  readonly random?: () => number;
  /** Where the built pages lie. */
  readonly pagesFolder?: string;
  /** Where the built documentation lies. */
  readonly docsFolder?: string;
  /** Whether the log says from where on it is signed. Tests that count entries leave it out. */
  readonly notesSigning?: boolean;
  /** Tests: what goes out differs from the document. */
  readonly onContractBreach?: (breach: string) => void;
}

export interface Service {
  readonly url: string;
  /** Where the metrics are, if METRICS_ADDR is set. */
  readonly metricsUrl: string | undefined;
  readonly db: Database;
  /** The database as the service writes to it. */
  readonly store: Store;
  /** Tells what is committed. */
  readonly hub: Hub;
  readonly connections: Connections;
  /** Requests that wait for events. */
  readonly waiters: Waiters;
  readonly dataKey: DataKey | undefined;
  readonly sealingKeys: SealingKeys;
  readonly hashPairingCode: HashCode;
  /** Keys of what is sealed where there is no DATA_KEY, and of cursors. */
  readonly installationSecret: Uint8Array;
  /**
   * Where the first super admin sets the installation up, once; undefined where one exists. For the operator's eyes: it
   * belongs in no log.
   */
  readonly setUpLink: string | undefined;
  /** Lets running requests finish, then closes the database. */
  close(): Promise<void>;
}

export async function startService({
  config,
  log,
  own = false,
  clock = Date.now,
  randomBytes = secureRandomBytes,
  limiter: givenLimiter,
  passwords = createPasswords(),
  resolveHost,
  repeatDelivering = afterCommits,
  delivering = {},
  repeatMailing,
  repeatTicking = everySecond,
  random = Math.random,
  pagesFolder = webBuild,
  docsFolder = docsBuild,
  onContractBreach,
  notesSigning = false,
}: ServiceOptions): Promise<Service> {
  const database = await openDatabase({
    driver: config.DB_DRIVER,
    dsn: config.DB_DSN,
    poolSize: config.DB_POOL_SIZE,
    poolWaitMilliseconds: config.DB_POOL_WAIT_MS,
    maxTransactionMs: minute,
    own,
  });
  const processId = randomUUID();
  const hub = createHub({
    reader: database,
    process: processId,
    ...(database.openSignals === undefined ? {} : { openSignals: database.openSignals }),
  });
  try {
    await database.migrate(migrations);
    await database.write(beginEpochOnNewServer);
    // One serving process: what it noted is what its readers were told.
    const note = own && config.DB_DRIVER === 'sqlite' ? `${config.DB_DSN}-position` : undefined;
    if (note !== undefined) await noticeSetBack(database, note);
    const dataKey = await openDataKey(createStore(database), config.DATA_KEY, randomBytes, clock());
    const sendsMail = config.SMTP_URL !== undefined;
    const db = createStore(database, {
      sign: dataKey && signWith(dataKey),
      sendsMail,
      randomBytes,
      committed: hub.committed,
      log,
    });
    const limiter =
      givenLimiter ?? (config.DB_DRIVER === 'postgres' ? createSharedRateLimiter(database) : createMemoryRateLimiter());
    const secret = await installationSecret(db, randomBytes);
    const cursors = createCursors(secret);
    if (notesSigning) await noteSigning(db, clock());
    const hashPairingCode = createPairingCodeHash(dataKey, secret);
    const sealingKeys = createSealingKeys(dataKey, secret, randomBytes);
    const sendWebhook = createWebhookSender({
      allowPrivateTargets: config.WEBHOOK_ALLOW_PRIVATE_TARGETS,
      clock,
      log,
      ...(resolveHost === undefined ? {} : { resolveHost }),
    });
    const providers = createIdentityProviders({
      allowPrivateTargets: config.WEBHOOK_ALLOW_PRIVATE_TARGETS,
      systemClock: Date.now,
      log,
      ...(resolveHost === undefined ? {} : { resolveHost }),
    });
    const cookies = createCookies(config.BASE_URL);
    const setUpToken = await createSetUpToken(db, randomBytes, clock());
    const extensionsEnabled = config.EXTENSIONS_ENABLED;
    const metrics = createMetrics('clockproof_service');
    const waiters = createWaiters({ hub, clock });
    const connections = createConnections({ db, hub, clock, randomBytes, process: processId, log });
    const live = createLive({ db, hub, clock, log });
    const refreshGauges = serviceGauges(metrics, database, clock, connections.count);
    const app = await createApp({
      apis: [
        {
          document: featureGatedDocument(document, extensionsEnabled),
          handlers: featureGatedHandlers(
            apiHandlers({
              db,
              cursors,
              connections,
              waiters,
              version,
              extensionsEnabled,
              baseUrl: config.BASE_URL,
              cookies,
              dataKey,
              hashPairingCode,
              randomBytes,
            }),
            extensionsEnabled,
          ),
          authenticate: createAuthentication({
            db,
            limiter,
            extensionsEnabled,
            ratePerCaller: config.RATE_API_PER_MINUTE,
            ratePerTerminal: config.RATE_TERMINAL_PER_MINUTE,
            noteUse: createUseNotes((effect) => db.runMaintenance('last used', effect), noteUse),
            noteLinkUse: createUseNotes((effect) => db.runMaintenance('last used', effect), noteLinkUse),
          }),
          // A signature covers the body, and a client's secret may stand in it.
          signed: (operation) => accepts(operation, 'terminalSignature') || accepts(operation, 'clientBasic'),
          credentialOf,
          // RFC 6749 §3.1: parameters that are not known are ignored, and faults go back to the app. The metadata document
          // takes no parameters at all (RFC 8414 §3).
          readsQuery: ({ id }) => id === 'authorize' || id === 'getAuthorizationServerMetadata',
          challenge: challengeFor,
          presentProblem,
          crossOriginGet: (operation) => operation.path.startsWith('/api/'),
        },
        {
          document: featureGatedDocument(appDocument, extensionsEnabled),
          handlers: featureGatedHandlers(
            appHandlers({
              db,
              cursors,
              live,
              version,
              extensionsEnabled,
              baseUrl: config.BASE_URL,
              dataKey,
              sealingKeys,
              passwords,
              relyingParty: relyingPartyOf(config.BASE_URL),
              cookies,
              allowPrivateTargets: config.WEBHOOK_ALLOW_PRIVATE_TARGETS,
              sendWebhook,
              providers,
              sendsMail,
              limiter,
              randomBytes,
              hashPairingCode,
            }),
            extensionsEnabled,
          ),
          authenticate: createAppAuthentication({ db, cookies, baseUrl: config.BASE_URL }),
          waitsAfterFailures: (operation) => triesSecret.has(operation.id),
          credentialOf: appCredentialOf,
          challenge: () => 'Cookie realm="clockproof"',
          crossOriginGet: () => false,
        },
      ],
      errors: { ...oauthErrors, ...errors },
      errorPage: existsSync(join(docsFolder, 'index.html'))
        ? `${config.BASE_URL}/docs/reference/errors.html`
        : undefined,
      log,
      clock,
      limiter,
      newRequestId,
      httpsOnly: config.BASE_URL.startsWith('https:'),
      clientAddress: createClientAddress(config.TRUSTED_PROXIES, 'this_machine'),
      limits: { perAddress: config.RATE_IP_PER_MINUTE, failedAuthentications: 30 },
      routes: healthRoutes(() => db.ping(), clock),
      mountPages: createPages({
        folder: pagesFolder,
        extensionsEnabled,
        documentation: {
          folder: docsFolder,
          baseUrl: config.BASE_URL,
          documents: {
            '/api/v1/openapi.json': 'openapi.json',
            '/api/v1/openapi-3.0.json': 'openapi-3.0.json',
            ...(extensionsEnabled ? { '/api/v1/asyncapi.json': 'asyncapi.json' } : {}),
          },
          reference: 'reference/api.html',
          present: (document) => (hasPaths(document) ? featureGatedDocument(document, extensionsEnabled) : document),
        },
        securityTxt: { contacts: config.SECURITY_CONTACT, baseUrl: config.BASE_URL, clock },
      }),
      observe: metrics.observe,
      ...(onContractBreach === undefined ? {} : { onContractBreach }),
    });
    const server = await listen(app.express, { ...config.LISTEN_ADDR, newRequestId, takeHandshake: app.takeHandshake });
    const metricsServer =
      config.METRICS_ADDR === undefined
        ? undefined
        : await listen(metricsListener(metrics, clock, refreshGauges), config.METRICS_ADDR).catch(
            async (error: unknown) => {
              await server.close(0);
              throw error;
            },
          );
    const housekeeping = startHousekeeping({ db, clock, log });
    // The lease of a process that was killed lasts up to a minute. Where there can be only one, nobody need wait for it.
    if (own && config.DB_DRIVER === 'sqlite') await db.runMaintenance('deliveries', releaseEndpoints);
    const dispatcher = createDispatcher({
      db,
      send: sendWebhook,
      keys: sealingKeys,
      clock,
      random,
      holder: processId,
      log,
      ...delivering,
    });
    const stopDelivering = extensionsEnabled ? repeatDelivering(dispatcher, log, hub) : () => Promise.resolve();
    const mailer =
      config.SMTP_URL === undefined
        ? undefined
        : createMailer({
            db,
            keys: sealingKeys,
            clock,
            handOver: createSmtp(config.SMTP_URL),
            from: config.MAIL_FROM!,
            baseUrl: config.BASE_URL,
            holder: processId,
            log,
            resolveAddress: (mail, at) => resolvePasswordReset({ db, keys: sealingKeys, randomBytes }, mail, at),
          });
    const stopMailing =
      mailer === undefined ? () => Promise.resolve() : (repeatMailing ?? everyOtherSecond(log))(mailer);
    // A signal of another process may be lost.
    const lookingUp = setInterval(() => {
      hub.lookUp().catch((error: unknown) => log.warn({ err: error }, 'looking for what is settled failed'));
    }, second);
    lookingUp.unref();
    let ticking = false;
    const stopTicking = repeatTicking(async () => {
      waiters.tick();
      if (ticking) return;
      ticking = true;
      try {
        await Promise.all([connections.tick(), live.tick()]);
      } catch (error) {
        log.warn({ err: error }, 'looking after open connections failed');
      } finally {
        ticking = false;
      }
    });
    const stopSealing = startSealing(db, clock, log, note === undefined ? undefined : positionNote(database, note));
    const heads = startHeadFile({ config, db, clock, log });
    // Every minute: an app gets the event that a link ended, even if it sends no request.
    const sweeping = setInterval(() => {
      endExpiredLinks(db, clock()).catch((error: unknown) => log.error({ err: error }, 'ending expired links failed'));
      tellForgottenClockOuts(db, clock()).catch((error: unknown) =>
        log.error({ err: error }, 'telling of forgotten clock-outs failed'),
      );
    }, minute);
    sweeping.unref();
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
      async close() {
        housekeeping.stop();
        clearInterval(lookingUp);
        heads.stop();
        stopTicking();
        live.close();
        waiters.close();
        await Promise.all([stopDelivering(), stopMailing(), connections.close()]);
        await Promise.all([server.close(), metricsServer?.close()]);
        await stopSealing();
        await hub.close();
        await database.close();
      },
    };
  } catch (error) {
    await hub.close();
    await database.close();
    throw error;
  }
}

function everySecond(tick: () => Promise<void>): () => void {
  const timer = setInterval(() => void tick(), second);
  timer.unref();
  return () => clearInterval(timer);
}

function everyOtherSecond(log: Log): (mailer: Mailer) => () => Promise<void> {
  return (mailer) => {
    const timer = setInterval(() => {
      mailer.pass().catch((error: unknown) => log.warn({ err: error }, 'sending e-mail failed'));
    }, 2 * second);
    timer.unref();
    return () => {
      clearInterval(timer);
      return mailer.stop();
    };
  };
}

const newRequestId = () => `req_${randomUUID().replaceAll('-', '')}`;

/** Where a password or code of a person is tried. */
const triesSecret: ReadonlySet<string> = new Set<AppOperationId>([
  'setUp',
  'checkInvitation',
  'acceptInvitation',
  'checkPasswordReset',
  'resetPassword',
  'signIn',
  'confirmSignIn',
  'changePassword',
  'confirmSecondFactor',
  'proveSecondFactor',
  'removeSecondFactor',
  'removePasskey',
]);

/**
 * Pairing codes have 40 bits and live ten minutes: keyed, so that a stolen database does not give one away in between.
 */
function createPairingCodeHash(dataKey: DataKey | undefined, secret: Uint8Array): HashCode {
  return (code) =>
    dataKey === undefined
      ? createHmac('sha256', secret).update(`pairing code ${code}`).digest('hex')
      : dataKey.hash('pairing code', code);
}
