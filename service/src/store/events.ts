/**
 * The event feed: changes in the order of their places (`store/position.ts`), with the complete record. One order
 * serves webhooks, WebSocket and pull, and is the position that lists of changes follow.
 */
import type { Writer } from '@clockproof/platform/database/database';
import { formatInstant, type Instant } from '@clockproof/platform/time/instant';
import type { EventType } from '../generated/contract.js';
import type { components } from '../generated/service-types.js';
import type { EventRow } from './event-rows.js';
import type { CompanyId, ExtensionId, PersonId } from './ids.js';
import { type Position, positionText } from './position.js';
import { insert } from './tables.js';

/** An event as the contract describes it: `type` tells which record `data` is. */
export type KnownEvent = components['schemas']['KnownEvent'];
type EventOf<Type extends EventType> = Extract<KnownEvent, { readonly type: Type }>;

interface Addressed {
  /** The person it is about: deliveries keep the order per person. */
  readonly personId?: PersonId;
  /** The only extension it is for; absent: whichever can read the record. */
  readonly extensionId?: ExtensionId;
}

/** A writer's facts of an event: its type with the record (`data`) and further members that the type asks for. */
export type EventFacts = {
  [Type in EventType]: Addressed &
    OfCompany<Type> &
    Omit<EventOf<Type>, 'id' | 'timestamp' | 'sequence' | 'epoch' | 'company_id'>;
}[EventType];

/** Only a ping may be of no company: its extension is bound to none. */
type OfCompany<Type extends EventType> = Type extends 'ping'
  ? { readonly companyId?: CompanyId }
  : { readonly companyId: CompanyId };

/** Stored instead of a company in the row of an event without one. */
const noCompany: CompanyId = 0;

export type EventAt = EventFacts & { readonly at: Instant };

/** The id of an event, which is also the position behind it. */
export function eventId(position: Position): string {
  return `evt_${positionText(position)}`;
}

/** Adds an event. @returns its id */
export async function appendEvent(tx: Writer, { epoch, place }: Position, event: EventAt): Promise<string> {
  await insert(tx, 'events', {
    sequence: place,
    epoch,
    type: event.type,
    at: event.at,
    company_id: event.companyId ?? noCompany,
    person_id: event.personId ?? null,
    extension_id: event.extensionId ?? null,
    payload: JSON.stringify({
      company_id: event.companyId,
      data: event.data,
      changed: 'changed' in event ? event.changed : undefined,
    }),
  });
  return eventId({ epoch, place });
}

/** The event as every channel sends it, in the same bytes. */
export function eventText({ sequence, epoch, type, at, payload }: EventRow): string {
  const header = {
    id: eventId({ epoch, place: sequence }),
    type,
    timestamp: formatInstant(at),
    sequence,
    epoch,
  };
  return `${JSON.stringify(header).slice(0, -1)},${payload.slice(1)}`;
}

export function presentEvent(row: EventRow): components['schemas']['Event'] {
  return JSON.parse(eventText(row)) as components['schemas']['Event'];
}
