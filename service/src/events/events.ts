/**
 * The event feed: what changed, in the order of commit, with the finished payload. One sequence for webhooks, WebSocket
 * and pull, and the position that
 * sync lists follow.
 *
 * The sequence is one row that a transaction locks when it takes a number and holds until it ends. So numbers appear in
 * the order of commit, without gaps:
 * whoever has read up to a number has missed nothing, however long other transactions took before they asked for
 * theirs.
 */
import type { Transaction } from '@clockproof/platform/database/database';
import { formatInstant, type Instant } from '@clockproof/platform/time/instant';
import type { EventType } from '../generated/contract.js';
import { insertEvent, nextSequence } from './rows.js';

export interface EventFacts {
  readonly type: EventType;
  readonly at: Instant;
  readonly companyId: number;
  /** The person it is about: deliveries keep the order per person. */
  readonly personId?: number;
  /** The REST record, as it is after the change. */
  readonly data: object;
  /** Names of the members that changed, for `leave.changed`. */
  readonly changed?: readonly string[];
}

/** Takes the next position in the order of commit. Late in a transaction: the next writer waits from here on. */
export function takeSequence(tx: Transaction): Promise<number> {
  return nextSequence(tx);
}

/** The id of the event at a position. */
export function eventId(sequence: number): string {
  return `evt_${String(sequence).padStart(12, '0')}`;
}

/** Appends an event at a position that {@link takeSequence} gave. Its id follows from the position. */
export async function appendEvent(tx: Transaction, sequence: number, event: EventFacts): Promise<void> {
  const id = eventId(sequence);
  const payload = JSON.stringify({
    id,
    type: event.type,
    timestamp: formatInstant(event.at),
    sequence,
    company_id: event.companyId,
    data: event.data,
    ...(event.changed === undefined ? {} : { changed: event.changed }),
  });
  await insertEvent(tx, {
    sequence,
    id,
    type: event.type,
    at: event.at,
    company_id: event.companyId,
    person_id: event.personId ?? null,
    payload,
  });
}
