/** Metrics beside requests: the state of the database, and waiting work. Read when they are scraped. */
import type { Database } from '@clockproof/platform/database/database';
import { secondsOfOldestWrite } from '@clockproof/platform/database/server';
import type { Metrics } from '@clockproof/platform/metrics';
import type { Instant } from '@clockproof/platform/time/instant';
import { readWaiting } from './rows.js';

/**
 * The figures of the database are those of the installation: they are the same on every replica.
 * @param sockets open WebSockets of this process
 * @returns a function that refreshes the gauges. Without an answer of the database, `database_up` is 0 and the others
 * stay.
 */
export function serviceGauges(
  metrics: Metrics,
  db: Database,
  clock: () => Instant,
  sockets: () => number,
): () => Promise<void> {
  let isUp = 0;
  const values = {
    auditEntries: 0,
    unsealedAge: 0,
    writeAge: 0,
    deliveries: 0,
    deliveryAge: 0,
    disabledEndpoints: 0,
    mails: 0,
    mailAge: 0,
  };
  metrics.gauge('database_up', '1 if the database answered the last question.', () => isUp);
  metrics.gauge('websocket_connections', 'Open WebSockets of this process.', sockets);
  metrics.gauge(
    'audit_entries',
    'Sealed entries of the audit log; never fewer than before.',
    () => values.auditEntries,
  );
  metrics.gauge(
    'audit_oldest_unsealed_seconds',
    'Age of the oldest entry that is not sealed.',
    () => values.unsealedAge,
  );
  metrics.gauge('oldest_write_seconds', 'Age of the oldest transaction that is writing.', () => values.writeAge);
  metrics.gauge('webhook_deliveries_pending', 'Deliveries that wait for an attempt.', () => values.deliveries);
  metrics.gauge('webhook_oldest_pending_seconds', 'Age of the oldest of them; 0 if none.', () => values.deliveryAge);
  metrics.gauge('webhook_endpoints_disabled', 'Addresses that are switched off.', () => values.disabledEndpoints);
  metrics.gauge('mails_waiting', 'E-mails that wait to be sent.', () => values.mails);
  metrics.gauge('mail_oldest_waiting_seconds', 'Age of the oldest of them; 0 if none.', () => values.mailAge);
  return async () => {
    const age = (since: Instant | null, at: Instant) => (since === null ? 0 : Math.max(0, at - since) / 1_000);
    try {
      const [waitingWork, writeAge] = await Promise.all([readWaiting(db), secondsOfOldestWrite(db)]);
      const at = clock();
      isUp = 1;
      Object.assign(values, {
        auditEntries: waitingWork.audit_entries,
        unsealedAge: age(waitingWork.oldest_unsealed, at),
        writeAge,
        deliveries: waitingWork.deliveries,
        deliveryAge: age(waitingWork.oldest_delivery, at),
        disabledEndpoints: waitingWork.disabled_endpoints,
        mails: waitingWork.mails,
        mailAge: age(waitingWork.oldest_mail, at),
      });
    } catch {
      isUp = 0;
    }
  };
}
