/** The service, put together: database, rooms, contract, server. Everything that differs between production and a test is handed in. */
import { randomBytes as secureRandomBytes, randomUUID } from 'node:crypto';
import type { Database } from '@clockproof/platform/database/database';
import { openDatabase } from '@clockproof/platform/database/open';
import { createClientAddress, parseNetworks } from '@clockproof/platform/http/client-address';
import { createEdge } from '@clockproof/platform/http/edge';
import { healthRoutes } from '@clockproof/platform/http/health';
import { createMemoryRateLimiter, type RateLimiter } from '@clockproof/platform/http/rate-limit';
import { listen, type RunningServer } from '@clockproof/platform/http/server';
import type { Log } from '@clockproof/platform/log';
import { createMetrics } from '@clockproof/platform/metrics';
import type { Instant } from '@clockproof/platform/time/instant';
import { createAuthentication, accepts } from './api/caller.js';
import { createCursors } from './api/cursor.js';
import { apiHandlers } from './api/handlers.js';
import { presentProblem } from './api/problem-dialect.js';
import type { ServiceConfig } from './config.js';
import { createUseNotes } from './extensions/keys.js';
import { errors } from './generated/contract.js';
import { document } from './generated/service-document.js';
import { installationSecret } from './installation.js';
import { migrations } from './migrations.js';

export const version = '1.2.0';

export interface ServiceOptions {
  readonly config: ServiceConfig;
  readonly log: Log;
  /** Milliseconds since 1970; the system's clock unless handed in. */
  readonly clock?: () => Instant;
  readonly randomBytes?: (size: number) => Uint8Array;
  readonly limiter?: RateLimiter;
  /** Tests: what goes out differs from the document. */
  readonly onContractBreach?: (breach: string) => void;
}

export interface Service {
  readonly url: string;
  readonly db: Database;
  /** Lets running requests finish, then closes the database. */
  close(): Promise<void>;
}

export async function startService({ config, log, clock = Date.now, randomBytes = secureRandomBytes, limiter = createMemoryRateLimiter(), onContractBreach }: ServiceOptions): Promise<Service> {
  const db = await openDatabase({ driver: config.DB_DRIVER, dsn: config.DB_DSN });
  let server: RunningServer | undefined;
  try {
    await db.migrate(migrations);
    const cursors = createCursors(await installationSecret(db, randomBytes));
    const metrics = createMetrics('clockproof_service');
    const edge = await createEdge({
      apis: [{
        document,
        handlers: apiHandlers({ db, cursors, version, extensionsEnabled: config.EXTENSIONS_ENABLED }),
        authenticate: createAuthentication({
          db, ratePerCaller: config.RATE_API_PER_MINUTE, noteUse: createUseNotes((effect) => db.write(effect)), authenticateTerminal: async () => { throw new Error('no terminals'); },
        }),
        signed: (operation) => accepts(operation, 'terminalSignature'),
        challenge: (operation) => `${accepts(operation, 'clientBasic') ? 'Basic' : 'Bearer'} realm="clockproof"`,
        presentProblem,
        crossOriginGet: (operation) => operation.path.startsWith('/api/'),
      }],
      errors, log, clock, limiter,
      newRequestId: () => `req_${randomUUID().replaceAll('-', '')}`,
      clientAddress: createClientAddress(parseNetworks(config.TRUSTED_PROXIES)),
      limits: { perAddress: config.RATE_IP_PER_MINUTE, failedAuthentications: 30 },
      routes: healthRoutes(metrics, () => db.ping()),
      observe: metrics.observe,
      ...(onContractBreach === undefined ? {} : { onContractBreach }),
    });
    server = await listen(edge, config.LISTEN_ADDR);
  } catch (error) {
    await db.close();
    throw error;
  }
  const running = server;
  return {
    url: running.url,
    db,
    async close() {
      await running.close();
      await db.close();
    },
  };
}
