/** What has to be forgotten in time, once an hour. Lists leave it out before that: what is late here is stored longer, never shown longer. */
import type { Database } from '@clockproof/platform/database/database';
import type { Log } from '@clockproof/platform/log';
import { hour, type Instant } from '@clockproof/platform/time/instant';
import { forgetRemovals } from './erasure/removals.js';
import { deleteEndedSecrets } from './webhooks/rows.js';

export interface Housekeeping { stop(): void }

export function startHousekeeping({ db, clock, log }: { readonly db: Database; readonly clock: () => Instant; readonly log: Log }): Housekeeping {
  const sweep = () => {
    db.write(async (tx) => ({ removals: await forgetRemovals(tx, clock()), webhookSecrets: await deleteEndedSecrets(tx, clock()) })).then(
      ({ removals, webhookSecrets }) => { if (removals + webhookSecrets > 0) log.info({ removals, webhookSecrets }, 'forgotten'); },
      // The next hour tries again.
      (error: unknown) => log.warn({ err: error }, 'housekeeping failed'),
    );
  };
  const timer = setInterval(sweep, hour);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
