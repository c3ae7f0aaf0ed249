/** Rows of the clock as the contract shows them. */
import { formatInstant } from '@clockproof/platform/time/instant';
import type { components } from '../generated/service-types.js';
import { readBreaks } from './breaks.js';
import type { ClockRow, EntryRow } from './rows.js';
import { presentSource, presentStamps } from './stamps.js';
import { calculateWorkedTime } from './worked-time.js';

type Schemas = components['schemas'];

// Lists show hundreds of entries: members are assigned, since spreading conditional objects costs more than everything
// else here together.
export function presentEntry(row: EntryRow): Schemas['TimeEntry'] {
  const breaks: Schemas['TimeEntry']['breaks'] = [];
  const lengths: number[] = [];
  const pauses = readBreaks(row.breaks);
  for (const { start, end } of pauses) {
    breaks.push(
      end === undefined ? { start: formatInstant(start) } : { start: formatInstant(start), end: formatInstant(end) },
    );
    if (end !== undefined) lengths.push(end - start);
  }
  // While an entry is open nothing is deducted from it: the break may still come.
  const { workedMinutes, breakMinutes, deductedMinutes } = calculateWorkedTime(
    (row.end_at ?? row.start_at) - row.start_at,
    lengths,
    row.end_at === null ? null : row.break_rules,
  );
  const entry: Schemas['TimeEntry'] = {
    id: row.id,
    user_id: row.person_id,
    company_id: row.company_id,
    date: row.date,
    start: formatInstant(row.start_at),
    breaks,
    break_minutes: breakMinutes,
    status: row.status,
    source: presentSource(row.source_kind, row.source_id, row.source_name),
    stamps: presentStamps(row, pauses),
    created_at: formatInstant(row.created_at),
    updated_at: formatInstant(row.updated_at),
  };
  if (row.end_at !== null) {
    entry.end = formatInstant(row.end_at);
    entry.worked_minutes = workedMinutes;
  }
  if (deductedMinutes > 0) entry.deducted_break_minutes = deductedMinutes;
  if (row.proof !== null) entry.proof = row.proof as 'badge' | 'badge_pin' | 'none';
  if (row.comment !== null) entry.comment = row.comment;
  return entry;
}

export function presentClock(row: ClockRow): Schemas['ClockState'] {
  return {
    user_id: row.person_id,
    company_id: row.company_id,
    state: row.state,
    ...(row.since === null || row.state === 'out' ? {} : { since: formatInstant(row.since) }),
    ...(row.break_since === null ? {} : { break_since: formatInstant(row.break_since) }),
    ...(row.source_kind === null ? {} : { source: presentSource(row.source_kind, row.source_id, row.source_name) }),
    updated_at: formatInstant(row.updated_at),
  };
}
