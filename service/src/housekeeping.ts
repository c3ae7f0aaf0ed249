/**
 * Once an hour: purges expired rows, some in each transaction, so that no request waits long for one. Lists already
 * leave expired rows out: a late purge stores them longer, and never shows them longer.
 */
import type { Log } from '@clockproof/platform/log';
import { singleFlight } from '@clockproof/platform/single-flight';
import { day, hour, type Instant } from '@clockproof/platform/time/instant';
import { purgeSignIns } from './access/company-sign-in/rows.js';
import { answerMilliseconds } from './access/company-sign-in/sign-in.js';
import { purgeAccessTokens, purgeCodes, purgeConsents, purgeRefreshTokens } from './access/oauth/retention.js';
import { triesKeptFor } from './access/password-tries.js';
import { purgePasswordTries } from './access/rows.js';
import { purgeConnections } from './extensions/socket/rows.js';
import { deleteOldDeliveries } from './extensions/webhooks/delivery-rows.js';
import { keptDays as keptDaysOfDeliveries } from './extensions/webhooks/endpoints.js';
import { deleteEndedSecrets } from './extensions/webhooks/rows.js';
import { keptFor as mailsKeptFor } from './inbox/mail/mailer.js';
import { deleteEndedMails } from './inbox/mail/rows.js';
import { purgeNotices } from './inbox/notices.js';
import { purgeExpiredRemovals } from './people/removals.js';
import { purgeEvents } from './store/event-rows.js';
import { purgeExpiredAnswers } from './store/idempotency.js';
import type { Transaction, Writing } from './store/tables.js';
import type { Store } from './store/write.js';
import { nonceLifetime } from './terminals/request-signature.js';
import { deleteNonces } from './terminals/rows.js';

/** Rows of one transaction. */
const batchSize = 500;

/** Deletes at most so many rows, in a transaction of its own. @returns their number */
type Purge = (db: Store, at: Instant, limit: number) => Promise<number>;

const maintenancePurge =
  (purge: (tx: Transaction, at: Instant, limit: number) => Promise<number>): Purge =>
  (db, at, limit) =>
    db.runMaintenance('housekeeping', (tx) => purge(tx, at, limit));

/** Purges tables that readers follow. They refuse a reader who is further behind than the rows are kept. */
const writePurge =
  (purge: (tx: Writing, at: Instant, limit: number) => Promise<number>): Purge =>
  (db, at, limit) =>
    db.write({ actor: { kind: 'system' }, at }, (write) => {
      write.unaudited('expired');
      return purge(write, at, limit);
    });

const kinds = {
  events: writePurge(purgeEvents),
  removals: writePurge(purgeExpiredRemovals),
  answers: maintenancePurge(purgeExpiredAnswers),
  webhookSecrets: maintenancePurge(deleteEndedSecrets),
  deliveries: maintenancePurge((tx, at, limit) => deleteOldDeliveries(tx, at - keptDaysOfDeliveries * day, limit)),
  connections: maintenancePurge(purgeConnections),
  notices: maintenancePurge(purgeNotices),
  mails: maintenancePurge((tx, at, limit) => deleteEndedMails(tx, at - mailsKeptFor, limit)),
  codes: maintenancePurge(purgeCodes),
  consents: maintenancePurge(purgeConsents),
  accessTokens: maintenancePurge(purgeAccessTokens),
  refreshTokens: maintenancePurge(purgeRefreshTokens),
  companySignIns: maintenancePurge((tx, at, limit) => purgeSignIns(tx, at - answerMilliseconds, limit)),
  passwordTries: maintenancePurge((tx, at, limit) => purgePasswordTries(tx, at - triesKeptFor, limit)),
  nonces: maintenancePurge((tx, at, limit) => deleteNonces(tx, at - nonceLifetime, limit)),
} as const satisfies Readonly<Record<string, Purge>>;

type Kind = keyof typeof kinds;

/**
 * One round. A kind that fails is logged and does not stop the others. @returns the number of purged rows of each kind
 */
export async function purgeExpired(
  db: Store,
  at: Instant,
  log: Log,
  isRunning: () => boolean = () => true,
): Promise<Readonly<Record<Kind, number>>> {
  const counts = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, 0])) as Record<Kind, number>;
  for (const kind of Object.keys(kinds) as Kind[]) {
    try {
      for (let count = batchSize; count === batchSize && isRunning(); counts[kind] += count)
        count = await kinds[kind](db, at, batchSize);
    } catch (error) {
      // The next round tries again.
      log.warn({ err: error, kind }, 'housekeeping failed');
    }
  }
  return counts;
}

export interface Housekeeping {
  /** Ends with the transaction that is under way. */
  stop(): void;
}

export function startHousekeeping({
  db,
  clock,
  log,
}: {
  readonly db: Store;
  readonly clock: () => Instant;
  readonly log: Log;
}): Housekeeping {
  let isStopped = false;
  const sweep = singleFlight(
    async () => {
      const counts = await purgeExpired(db, clock(), log, () => !isStopped);
      if (Object.values(counts).some((count) => count > 0)) log.info(counts, 'purged expired rows');
    },
    log,
    'housekeeping failed',
  );
  const timer = setInterval(() => void sweep(), hour);
  timer.unref();
  return {
    stop() {
      isStopped = true;
      clearInterval(timer);
    },
  };
}
