/** What the working-time rules say about the day a stamp belongs to, from what is recorded. */
import type { Instant } from '@clockproof/platform/time/instant';
import { type LocalDate, startOfDay } from '@clockproof/platform/time/local-date';
import { holidaysIn } from '../working-time/holidays.js';
import { evaluateDay, rulesOf, type Work } from '../working-time/rules.js';
import { presentFinding, type Warning } from '../working-time/warnings.js';
import { readBreaks } from './breaks.js';
import type { StampKind } from './clock-state.js';
import type { EntryRow } from './rows.js';
import type { StampFacts } from './stamp-rows.js';

/**
 * The rules that the day breaks with this stamp, in the person's language. The rest period is checked when work begins,
 * not at every stamp of the day.
 * @param entry as it stands after the stamp
 */
export function warningsOf(
  { person, recent, endBefore }: Pick<StampFacts, 'person' | 'recent' | 'endBefore'>,
  date: LocalDate,
  kind: StampKind,
  now: Instant,
  entry: EntryRow,
): Warning[] {
  const rules = rulesOf(person.country);
  if (rules === undefined) return [];
  const earlier = recent.filter((other) => other.date === date && other.status !== 'open');
  const begins = startOfDay(date, person.time_zone);
  const before = recent.filter((other) => other.start_at < begins && other.status !== 'open').at(-1);
  return evaluateDay(rules, {
    date,
    timeZone: person.time_zone,
    previousEnd: kind === 'in' && earlier.length === 0 ? (before?.end_at ?? endBefore) : undefined,
    holidays: holidaysIn(person.country, person.region, person.language),
    work: [...earlier, entry].map((work) => workOf(work, now)),
  }).map((finding) => presentFinding(finding, person.language));
}

/** An entry as work, up to now where it is still open. */
export function workOf(entry: Pick<EntryRow, 'start_at' | 'end_at' | 'breaks'>, now: Instant): Work {
  const end = entry.end_at ?? Math.max(now, entry.start_at);
  return {
    start: entry.start_at,
    end,
    breaks:
      entry.breaks === '[]'
        ? []
        : readBreaks(entry.breaks).map((interval) => ({ start: interval.start, end: interval.end ?? end })),
  };
}
