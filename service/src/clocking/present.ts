/** Rows of the clock as the contract shows them. */
import { formatInstant, minute } from '@clockproof/platform/time/instant';
import type { components } from '../generated/service-types.js';
import type { ClockRow, EntryRow } from './rows.js';

type Schemas = components['schemas'];

export function presentEntry(row: EntryRow): Schemas['TimeEntry'] {
  const breaks = JSON.parse(row.breaks) as [number, number | null][];
  const breakTime = breaks.reduce((sum, [start, end]) => sum + (end === null ? 0 : end - start), 0);
  return {
    id: row.id, user_id: row.person_id, company_id: row.company_id, date: row.date, start: formatInstant(row.start_at),
    ...(row.end_at === null ? {} : { end: formatInstant(row.end_at) }),
    breaks: breaks.map(([start, end]) => (end === null ? { start: formatInstant(start) } : { start: formatInstant(start), end: formatInstant(end) })),
    break_minutes: Math.floor(breakTime / minute),
    // Whole minutes are cut once, from the elapsed time, so that breaks cannot eat rounding.
    ...(row.end_at === null ? {} : { worked_minutes: Math.floor((row.end_at - row.start_at - breakTime) / minute) }),
    status: row.status, source: presentSource(row.source_kind, row.source_id, row.source_name),
    ...(row.proof === null ? {} : { proof: row.proof as 'badge' | 'badge_pin' | 'none' }),
    ...(row.comment === null ? {} : { comment: row.comment }),
    created_at: formatInstant(row.created_at), updated_at: formatInstant(row.updated_at),
  };
}

export function presentClock(row: ClockRow): Schemas['ClockState'] {
  return {
    user_id: row.person_id, company_id: row.company_id, state: row.state,
    ...(row.since === null ? {} : { since: formatInstant(row.since) }),
    ...(row.break_since === null ? {} : { break_since: formatInstant(row.break_since) }),
    ...(row.source_kind === null ? {} : { source: presentSource(row.source_kind, row.source_id, row.source_name) }),
    updated_at: formatInstant(row.updated_at),
  };
}

function presentSource(kind: string, id: string | null, name: string | null): Schemas['Source'] {
  return { kind: kind as Schemas['Source']['kind'], ...(id === null ? {} : { id }), ...(name === null ? {} : { name }) };
}
