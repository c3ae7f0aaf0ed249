/** The Express application: both documents with their handlers and callers, the pages, the documentation, health. */
import { randomUUID } from 'node:crypto';
import type { Api } from '@clockproof/platform/http/api';
import { type App, createApp } from '@clockproof/platform/http/app';
import { createClientAddress } from '@clockproof/platform/http/client-address';
import { documentationIn } from '@clockproof/platform/http/documentation';
import { healthRoutes } from '@clockproof/platform/http/health';
import type { Log } from '@clockproof/platform/log';
import type { Metrics } from '@clockproof/platform/metrics';
import type { Instant } from '@clockproof/platform/time/instant';
import { credentialOf as appCredentialOf, createAppAuthentication } from './access/authenticate-person.js';
import { noteLinkUse } from './access/oauth/rows.js';
import { challengeFor, createAuthentication, credentialOf } from './authentication.js';
import type { ServiceConfig } from './config.js';
import { createUseNotes } from './extensions/keys.js';
import { noteUse } from './extensions/rows.js';
import { document as appDocument } from './generated/app-document.js';
import { type AppOperationId, errors, oauthErrors } from './generated/contract.js';
import { document } from './generated/service-document.js';
import { apiHandlers, appHandlers } from './handlers.js';
import { featureGatedDocument, featureGatedHandlers } from './http/feature-gate.js';
import type { Parts } from './http/handler.js';
import { createPages } from './http/pages.js';
import { presentProblem } from './http/problem.js';

/** The needs of all handlers, and of the application around them. */
export interface ApplicationNeeds {
  readonly config: ServiceConfig;
  readonly parts: Parts;
  readonly pagesFolder: string;
  readonly docsFolder: string;
  readonly clock: () => Instant;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Tests: called if a response differs from the document. */
  readonly onContractBreach?: ((breach: string) => void) | undefined;
}

export function createApplication(needs: ApplicationNeeds): Promise<App> {
  const { config, parts, docsFolder, clock, log, metrics, onContractBreach } = needs;
  const isDocumented = documentationIn(docsFolder);
  return createApp({
    apis: [publicApi(needs), appApi(needs)],
    errors: { ...oauthErrors, ...errors },
    errorPage: () => (isDocumented() ? `${config.BASE_URL}/docs/reference/errors.html` : undefined),
    log,
    clock,
    limiter: parts.limiter,
    newRequestId,
    httpsOnly: config.BASE_URL.startsWith('https:'),
    clientAddress: createClientAddress(config.TRUSTED_PROXIES, 'this_machine'),
    limits: { perAddress: config.RATE_IP_PER_MINUTE, failedAuthentications: 30 },
    routes: healthRoutes(() => parts.db.ping(), clock),
    mountPages: pages(needs),
    observe: metrics.observe,
    onContractBreach,
  });
}

function publicApi({ config, parts, clock }: ApplicationNeeds) {
  const { db, extensionsEnabled } = parts;
  return {
    document: featureGatedDocument(document, extensionsEnabled),
    handlers: featureGatedHandlers(apiHandlers(parts), extensionsEnabled),
    authenticate: createAuthentication({
      db,
      clock,
      limiter: parts.limiter,
      extensionsEnabled,
      ratePerCaller: config.RATE_API_PER_MINUTE,
      ratePerTerminal: config.RATE_TERMINAL_PER_MINUTE,
      noteUse: createUseNotes((effect) => db.runMaintenance('last used', effect), noteUse),
      noteLinkUse: createUseNotes((effect) => db.runMaintenance('last used', effect), noteLinkUse),
    }),
    credentialOf,
    // RFC 6749 §3.1: parameters that are not known are ignored, and faults go back to the app. The metadata document
    // takes no parameters at all (RFC 8414 §3).
    readsQuery: ({ id }) => id === 'authorize' || id === 'getAuthorizationServerMetadata',
    challenge: challengeFor,
    presentProblem,
    crossOriginGet: (operation) => operation.path.startsWith('/api/'),
  } satisfies Api;
}

function appApi({ config, parts }: ApplicationNeeds) {
  const { db, cookies, extensionsEnabled } = parts;
  return {
    document: featureGatedDocument(appDocument, extensionsEnabled),
    handlers: featureGatedHandlers(appHandlers(parts), extensionsEnabled),
    authenticate: createAppAuthentication({ db, cookies, baseUrl: config.BASE_URL }),
    waitsAfterFailures: (operation) => triesSecret.has(operation.id),
    credentialOf: appCredentialOf,
    challenge: () => 'Cookie realm="clockproof"',
    crossOriginGet: () => false,
  } satisfies Api;
}

function pages({ config, parts: { extensionsEnabled }, pagesFolder, docsFolder, clock }: ApplicationNeeds) {
  return createPages({
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
  });
}

const hasPaths = (document: unknown) => typeof document === 'object' && document !== null && 'paths' in document;

export const newRequestId = () => `req_${randomUUID().replaceAll('-', '')}`;

/** Operations that try a password or code of a person. */
const triesSecret: ReadonlySet<string> = new Set<AppOperationId>([
  'setUp',
  'checkInvitation',
  'acceptInvitation',
  'checkPasswordReset',
  'checkProofLink',
  'downloadLinkedProof',
  'resetPassword',
  'signIn',
  'confirmSignIn',
  'changePassword',
  'confirmSecondFactor',
  'proveSecondFactor',
  'removeSecondFactor',
  'removePasskey',
]);
