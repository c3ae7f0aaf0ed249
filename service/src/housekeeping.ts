/**
 * Once an hour: purges expired rows, and completes what an upgrade left. Lists already leave expired rows out: what is
 * late here is stored longer, never shown longer.
 */

import type { Transaction } from '@clockproof/platform/database/database';
import type { Log } from '@clockproof/platform/log';
import { day, hour, type Instant } from '@clockproof/platform/time/instant';
import { completeParties } from './audit/rows.js';
import { purgeSignIns } from './company-sign-in/rows.js';
import { answerMilliseconds } from './company-sign-in/sign-in.js';
import { purgeExpiredRemovals } from './erasure/removals.js';
import { keptFor as mailsKeptFor } from './mail/mailer.js';
import { deleteEndedMails } from './mail/rows.js';
import { purgeNotices } from './notices/notices.js';
import { purgeExpiredTokens } from './oauth/retention.js';
import { triesKeptFor } from './sign-in/password-tries.js';
import { purgePasswordTries } from './sign-in/rows.js';
import { deleteOldDeliveries } from './webhooks/delivery-rows.js';
import { keptDays as keptDaysOfDeliveries } from './webhooks/endpoints.js';
import { deleteEndedSecrets } from './webhooks/rows.js';
import { purgeConnections } from './websocket/rows.js';
import type { Store } from './write/write.js';

export interface Housekeeping {
  stop(): void;
}

/** One round. @returns how many of each were purged */
export async function purgeExpired(
  tx: Transaction,
  at: Instant,
): Promise<{
  readonly removals: number;
  readonly webhookSecrets: number;
  readonly tokens: number;
  readonly passwordTries: number;
  readonly deliveries: number;
  readonly connections: number;
  readonly notices: number;
  readonly mails: number;
  readonly companySignIns: number;
}> {
  return {
    removals: await purgeExpiredRemovals(tx, at),
    webhookSecrets: await deleteEndedSecrets(tx, at),
    deliveries: await deleteOldDeliveries(tx, at - keptDaysOfDeliveries * day),
    connections: await purgeConnections(tx, at),
    notices: await purgeNotices(tx, at),
    mails: await deleteEndedMails(tx, at - mailsKeptFor),
    tokens: await purgeExpiredTokens(tx, at),
    companySignIns: await purgeSignIns(tx, at - answerMilliseconds),
    passwordTries: await purgePasswordTries(tx, at - triesKeptFor),
  };
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
  const sweep = () => {
    db.maintain('housekeeping', async (tx) => {
      await completeParties(tx, clock() - day);
      return purgeExpired(tx, clock());
    }).then(
      (purged) => {
        if (Object.values(purged).some((count) => count > 0)) log.info(purged, 'purged expired rows');
      },
      // The next hour tries again.
      (error: unknown) => log.warn({ err: error }, 'housekeeping failed'),
    );
  };
  const timer = setInterval(sweep, hour);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
