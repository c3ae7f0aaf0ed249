/**
 * What has to be forgotten in time, and completed after an upgrade, once an hour. Lists leave it out before that: what
 * is late here is stored longer, never shown longer.
 */

import type { Transaction } from '@clockproof/platform/database/database';
import type { Log } from '@clockproof/platform/log';
import { day, hour, type Instant } from '@clockproof/platform/time/instant';
import { completeParties } from './audit/rows.js';
import { forgetRemovals } from './erasure/removals.js';
import { forgetTokens } from './oauth/retention.js';
import { deleteEndedSecrets } from './webhooks/rows.js';
import type { Store } from './write/write.js';

export interface Housekeeping {
  stop(): void;
}

/** One round. @returns how many of each were forgotten */
export async function forgetStale(
  tx: Transaction,
  at: Instant,
): Promise<{ readonly removals: number; readonly webhookSecrets: number; readonly tokens: number }> {
  return {
    removals: await forgetRemovals(tx, at),
    webhookSecrets: await deleteEndedSecrets(tx, at),
    tokens: await forgetTokens(tx, at),
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
      return forgetStale(tx, clock());
    }).then(
      (forgotten) => {
        if (Object.values(forgotten).some((count) => count > 0)) log.info(forgotten, 'forgotten');
      },
      // The next hour tries again.
      (error: unknown) => log.warn({ err: error }, 'housekeeping failed'),
    );
  };
  const timer = setInterval(sweep, hour);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
