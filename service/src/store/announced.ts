/**
 * No change without its event: the rows that lists of changes show, and the events that show a row. A write that stores
 * such a row without such an event is not committed.
 */
import type { Row } from '@clockproof/platform/database/database';
import type { Change } from '@clockproof/platform/database/table';
import type { EventFacts } from './events.js';
import type { PlacedTableName } from './tables.js';

/** Every table with a place: the compiler names one that is missing. */
const names: Readonly<Record<PlacedTableName, (row: Row) => string>> = {
  absences: ({ id }) => `absence ${id}`,
  companies: ({ id }) => `company ${id}`,
  clock_states: ({ person_id }) => `clock ${person_id}`,
  people: ({ id }) => `person ${id}`,
  removals: ({ kind, id }) => `removed ${kind} ${id}`,
  time_entries: ({ id }) => `time_entry ${id}`,
};

export function isPlaced(table: string): table is PlacedTableName {
  return Object.hasOwn(names, table);
}

/** True if a list of changes shows the change, and followers of events need it. */
export function isPublic(change: Change): boolean {
  const { table, verb } = change;
  // Companies send no events: they are followed by their list.
  if (!isPlaced(table) || table === 'companies') return false;
  // A clock comes and goes with its person, and its last end is not public.
  if (table === 'clock_states') return verb === 'update' && 'state' in change.patch;
  // A removal is shown once. Later it is freed of its person, and purged.
  if (table === 'removals') return verb === 'insert';
  return true;
}

/** The name of a changed row: for a removed one, that of its removal. */
export function rowName(table: PlacedTableName, row: Row, isRemoved: boolean): string {
  const name = names[table](row);
  return isRemoved ? `removed ${name}` : name;
}

/** The rows whose change an event shows. */
export function shownBy(event: EventFacts): readonly string[] {
  switch (event.type) {
    case 'clock.in':
    case 'clock.out':
    case 'clock.break_start':
    case 'clock.break_end':
      return [`clock ${event.data.clock_state.user_id}`, `time_entry ${event.data.time_entry.id}`];
    case 'time_entry.changed':
      return [`time_entry ${event.data.id}`];
    case 'time_entry.removed':
      return [`removed time_entry ${event.data.id}`];
    case 'leave.requested':
    case 'leave.approved':
    case 'leave.rejected':
    case 'leave.changed':
    case 'leave.withdrawn':
    case 'leave.cancellation_requested':
    case 'leave.cancelled':
      return [`absence ${event.data.id}`];
    case 'leave.removed':
      return [`removed absence ${event.data.id}`];
    case 'user.created':
    case 'user.changed':
    case 'user.deactivated':
      return [`person ${event.data.id}`];
    case 'user.removed':
      return [`removed person ${event.data.id}`];
    default:
      return [];
  }
}
