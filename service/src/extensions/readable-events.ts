/** The events that a key may read: one rule for the list, webhooks and the WebSocket. */
import type { Reader } from '@clockproof/platform/database/database';
import { type EventType, eventTypes, type Scope } from '../generated/contract.js';
import {
  countEvents,
  countEventsOfExtension,
  type EventFilter,
  type EventRow,
  listEvents,
  listEventsOfExtension,
} from '../store/event-rows.js';
import { allCompanies } from '../store/every-company.js';
import type { ExtensionId } from '../store/ids.js';
import { type CompanyScope, requiringGrants, type TenantScope } from '../store/scope.js';

/** The scopes that read the records in the events of a family. */
const scopesOfFamily = {
  clock: ['read:clock_states', 'read:time_entries'],
  time_entry: ['read:time_entries'],
  month: ['read:time_entries'],
  leave: ['read:leave_entries'],
  vacation: ['read:leave_entries'],
  user: ['read:users'],
  commitment: ['read:commitments'],
} as const satisfies Record<string, readonly Scope[]>;

const families = Object.keys(scopesOfFamily) as (keyof typeof scopesOfFamily)[];

const inFamily = (type: EventType, family: string) => type.startsWith(`${family}.`);

export interface EventReader {
  readonly extensionId: ExtensionId;
  readonly scopes: readonly Scope[];
  /** The scope of its key, perhaps narrowed by the request. */
  readonly scope: TenantScope;
  /** Narrows the events for this extension alone, which need no scope otherwise. */
  readonly ownCompanies?: CompanyScope;
  /** Only these types, of those the key may read; absent: every one. */
  readonly types?: readonly EventType[] | undefined;
}

type EventWalk = Omit<EventFilter, 'types'>;

/** Events between two positions, in commit order. */
export async function readableEvents(reader: Reader, eventReader: EventReader, walk: EventWalk): Promise<EventRow[]> {
  const { extensionId, ownCompanies = allCompanies, types = eventTypes } = eventReader;
  const eventsByRead = await Promise.all(
    readsOf(eventReader).map((read) => listEvents(reader, read.scope, { ...walk, types: read.types })),
  );
  const events = eventsByRead.flat();
  // Nothing is left to look for.
  if (walk.sequences !== undefined && events.length >= walk.sequences.length) return inOrder(events, walk);
  return inOrder(
    [...events, ...(await listEventsOfExtension(reader, extensionId, ownCompanies, { ...walk, types }))],
    walk,
  );
}

function inOrder(rows: readonly EventRow[], { limit }: EventWalk): EventRow[] {
  return [...rows].sort((a, b) => a.sequence - b.sequence).slice(0, limit);
}

/** The number of events that {@link readableEvents} would return. */
export async function countReadableEvents(reader: Reader, eventReader: EventReader, walk: EventWalk): Promise<number> {
  const { extensionId, ownCompanies = allCompanies, types = eventTypes } = eventReader;
  const counts = await Promise.all([
    ...readsOf(eventReader).map((read) => countEvents(reader, read.scope, { ...walk, types: read.types })),
    countEventsOfExtension(reader, extensionId, ownCompanies, { ...walk, types }),
  ]);
  return Math.min(
    walk.limit,
    counts.reduce((sum, count) => sum + count, 0),
  );
}

/** The parts of the feed that a key may read, without those for its extension alone. */
function readsOf({
  scopes,
  scope,
  types = eventTypes,
}: EventReader): readonly { readonly scope: TenantScope; readonly types: readonly EventType[] }[] {
  const mayRead = families.filter(
    (family) =>
      scopesOfFamily[family].every((name) => scopes.includes(name)) && types.some((type) => inFamily(type, family)),
  );
  // For linked people, one read for each family, with the grants that it needs; otherwise all in one read.
  const reads = scope.linkedTo === undefined ? [mayRead] : mayRead.map((family) => [family]);
  return reads.map((families) => ({
    scope: requiringGrants(
      scope,
      families.flatMap((family) => scopesOfFamily[family]),
    ),
    types: types.filter((type) => families.some((family) => inFamily(type, family))),
  }));
}
