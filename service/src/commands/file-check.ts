/** Looks once a night for damaged pages of the SQLite file, before a request meets them. */
import type { DatabaseSettings } from '@clockproof/platform/database/open';
import { findDamage } from '@clockproof/platform/database/sqlite-check';
import type { Log } from '@clockproof/platform/log';
import type { Metrics } from '@clockproof/platform/metrics';
import { hour, type Instant, minute } from '@clockproof/platform/time/instant';

/** Longest duration of a check: meanwhile the `-wal` file grows. */
export const maxCheck = 10 * minute;

/** The hour of the day, UTC. */
const checkedAt = 2;

/** @returns checks in the hour above, and does nothing in the others; call it once an hour */
export function createFileCheck(
  settings: DatabaseSettings,
  { metrics, log }: { readonly metrics: Metrics; readonly log: Log },
): (at: Instant) => Promise<void> {
  let damagedCount = 0;
  metrics.gauge(
    'database_damaged',
    '1 if the check of last night found a damaged page; SQLite only.',
    () => damagedCount,
  );
  return async (at) => {
    if (Math.floor(at / hour) % 24 !== checkedAt) return;
    const damage = await findDamage(settings, maxCheck);
    if (damage === undefined) return log.warn('the check of the database file took too long and was ended');
    damagedCount = damage.length === 0 ? 0 : 1;
    if (damagedCount === 1) log.error({ damage }, 'the database file is damaged; clockproof doctor says what to do');
  };
}
