/**
 * The event feed: changes in commit order, with the complete payload. One sequence serves webhooks, WebSocket and pull,
 * and is the position that sync lists follow.
 *
 * The sequence is one row that a transaction locks when it allocates a number, until it ends. So numbers become visible
 * in commit order, without gaps: a reader that has read up to a number has missed nothing, however long other
 * transactions ran before they allocated theirs.
 */
import { jsonPieces, type Later, type Lock, oneMoreThan, type Step, textOf } from '@clockproof/platform/database/batch';
import type { Transaction } from '@clockproof/platform/database/database';
import { formatInstant, type Instant } from '@clockproof/platform/time/instant';
import type { EventType } from '../generated/contract.js';
import type { components } from '../generated/service-types.js';
import type { CompanyId, ExtensionId, PersonId } from '../ids.js';
import { insertEvent, nextSequence, type SequenceHead } from './rows.js';

/** An event as the contract describes it: `type` tells which record `data` is. */
export type KnownEvent = components['schemas']['KnownEvent'];
type EventOf<Type extends EventType> = Extract<KnownEvent, { readonly type: Type }>;

interface Addressed {
  /** The person it is about: deliveries keep the order per person. */
  readonly personId?: PersonId;
  /** The only extension it is for; absent: whichever can read the record. */
  readonly extensionId?: ExtensionId;
}

/** What a writer says of an event: its type with the record (`data`) and further members that the type asks for. */
export type EventFacts = {
  [Type in EventType]: Addressed &
    OfCompany<Type> &
    Omit<EventOf<Type>, 'id' | 'timestamp' | 'sequence' | 'company_id'>;
}[EventType];

/** Only a ping may be of no company: its extension is bound to none. */
type OfCompany<Type extends EventType> = Type extends 'ping'
  ? { readonly companyId?: CompanyId }
  : { readonly companyId: CompanyId };

/** What the row of an event has instead of a company where it is of none. */
const noCompany: CompanyId = 0;

export type EventAt = EventFacts & { readonly at: Instant };

/**
 * Allocates the next number in the commit sequence. Call it late in a transaction: the next writer waits from here on.
 */
export function allocateSequence(tx: Transaction): Promise<number> {
  return nextSequence(tx);
}

/** The id of the event with a sequence number. */
export function eventId(sequence: number): string {
  return `evt_${String(sequence).padStart(12, '0')}`;
}

/** Appends an event with a number from {@link allocateSequence}. Its id is derived from the number. */
export async function appendEvent(tx: Transaction, sequence: number, event: EventAt): Promise<void> {
  const id = eventId(sequence);
  const payload = JSON.stringify({
    id,
    type: event.type,
    timestamp: formatInstant(event.at),
    sequence,
    ...companyOf(event),
    data: event.data,
    ...furtherOf(event),
  });
  await insertEvent(tx, {
    sequence,
    id,
    type: event.type,
    at: event.at,
    company_id: event.companyId ?? noCompany,
    person_id: event.personId ?? null,
    extension_id: event.extensionId ?? null,
    payload,
  });
}

const companyOf = ({ companyId }: EventFacts) => (companyId === undefined ? {} : { company_id: companyId });
const furtherOf = (event: EventFacts) => ('changed' in event ? { changed: event.changed } : {});

/** The sequence number that a batch allocates; it becomes `changed` of the rows it writes. */
export const commitSequence: Later = oneMoreThan('head', 'sequence');

/**
 * Locks the commit sequence, if only other batches have allocated numbers since it was read. Ending an employment,
 * closing a month and deactivating a company allocate a number, so decisions that a batch made before them are made
 * again.
 * @param read the head, from the statement that read everything else
 */
export function sequenceLock({ sequence, optimistic }: SequenceHead): Lock {
  return {
    name: 'head',
    table: 'event_head',
    where: 'one = 1 AND sequence - optimistic = :fence',
    parameters: { fence: sequence - optimistic },
    read: ['sequence', 'optimistic'],
    exact: { key: { one: 1 }, was: { sequence, optimistic }, moving: true },
  };
}

/**
 * Allocates the next number in the commit sequence and appends the event with it. `data` may name columns of earlier
 * steps of the batch (`columnOf`), so these steps come after them.
 */
export function eventSteps(event: EventAt): Step[] {
  const id = textOf(['evt_', { of: commitSequence, pad: 12 }]);
  const type = JSON.stringify(event.type);
  const rest = {
    ...companyOf(event),
    data: event.data,
    ...furtherOf(event),
  };
  const pieces = jsonPieces(rest);
  return [
    {
      name: 'sequence_taken',
      update: 'event_head',
      set: { sequence: commitSequence, optimistic: oneMoreThan('head', 'optimistic') },
      where: { one: 1 },
    },
    {
      name: 'event',
      insert: 'events',
      row: {
        sequence: commitSequence,
        id,
        type: event.type,
        at: event.at,
        company_id: event.companyId ?? noCompany,
        person_id: event.personId ?? null,
        extension_id: event.extensionId ?? null,
        payload: textOf([
          '{"id":"evt_',
          { of: commitSequence, pad: 12 },
          `","type":${type},"timestamp":"${formatInstant(event.at)}","sequence":`,
          { of: commitSequence },
          `,${(pieces[0] as string).slice(1)}`,
          ...pieces.slice(1),
        ]),
      },
    },
  ];
}
