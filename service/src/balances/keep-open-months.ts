/**
 * Keeps what open months came to up to date, so that no report has to calculate years: shortly after a start, and once
 * an hour. A report that comes earlier calculates by itself.
 */
import type { Log } from '@clockproof/platform/log';
import { hour, type Instant, minute } from '@clockproof/platform/time/instant';
import { localDateAt } from '@clockproof/platform/time/local-date';
import { listCompanies } from '../people/rows.js';
import { allCompanies } from '../tenant/scope.js';
import type { Store } from '../write/write.js';
import { carriedInto } from './company-month.js';
import { keepRemembered } from './open-months.js';

const everyCompany = 1_000_000;

/** One round over the companies, one after the other. @returns how many had something new */
export async function keepOpenMonths(store: Store, at: Instant): Promise<number> {
  let kept = 0;
  for (const company of await listCompanies(
    store,
    { ...allCompanies, activeOnly: true },
    { afterId: 0, limit: everyCompany },
  )) {
    await carriedInto(store, company, localDateAt(at, company.time_zone).slice(0, 7), at);
    if (await keepRemembered(store, company.id)) kept += 1;
  }
  return kept;
}

export function startKeepingOpenMonths({
  db,
  clock,
  log,
}: {
  readonly db: Store;
  readonly clock: () => Instant;
  readonly log: Log;
}): { stop(): void } {
  const round = () => {
    keepOpenMonths(db, clock()).then(
      (companies) => {
        if (companies > 0) log.info({ companies }, 'kept what open months came to');
      },
      // The next hour tries again.
      (error: unknown) => log.warn({ err: error }, 'open months were not kept'),
    );
  };
  const first = setTimeout(round, minute);
  const timer = setInterval(round, hour);
  first.unref();
  timer.unref();
  return {
    stop() {
      clearTimeout(first);
      clearInterval(timer);
    },
  };
}
