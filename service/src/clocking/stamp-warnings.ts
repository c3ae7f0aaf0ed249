/** What the working-time rules say about the day a stamp belongs to, from what is recorded. */
import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { type LocalDate, startOfDay } from '@clockproof/platform/time/local-date';
import type { PersonRow } from '../people/rows.js';
import { holidaysIn } from '../working-time/holidays.js';
import { judgeDay, rulesOf, type Work } from '../working-time/rules.js';
import { presentFinding, type Warning } from '../working-time/warnings.js';
import { readBreaks } from './breaks.js';
import type { StampKind } from './clock-state.js';
import { type EntryRow, lastEndBefore, listWorkOfDay } from './rows.js';

/**
 * Reads what the judgement needs, and judges when the entry is written: so the rows are read before other writers have
 * to wait. The rest period is told
 * when work begins, not at every stamp of the day.
 */
export async function prepareWarnings(
  reader: Reader,
  person: PersonRow,
  date: LocalDate,
  kind: StampKind,
): Promise<(entry: EntryRow, now: Instant) => Warning[]> {
  const rules = rulesOf(person.country);
  if (rules === undefined) return () => [];
  const earlier = await listWorkOfDay(reader, person.id, date);
  const previousEnd =
    kind === 'in' && earlier.length === 0
      ? await lastEndBefore(reader, person.id, startOfDay(date, person.time_zone))
      : undefined;
  const holidays = holidaysIn(person.country, person.region, person.language);
  // The first question about a year takes some twenty milliseconds; it is asked here.
  holidays.on(date);
  return (entry, now) =>
    judgeDay(rules, {
      date,
      timeZone: person.time_zone,
      previousEnd,
      holidays,
      work: [...earlier.filter((one) => one.id !== entry.id), entry].map((one) => workOf(one, now)),
    }).map((finding) => presentFinding(finding, person.language));
}

/** An entry as work, up to now where it is still open. */
export function workOf(entry: Pick<EntryRow, 'start_at' | 'end_at' | 'breaks'>, now: Instant): Work {
  const end = entry.end_at ?? Math.max(now, entry.start_at);
  return {
    start: entry.start_at,
    end,
    breaks:
      entry.breaks === '[]' ? [] : readBreaks(entry.breaks).map((one) => ({ start: one.start, end: one.end ?? end })),
  };
}
