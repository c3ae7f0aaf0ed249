/** What the working-time rules say about the day a stamp belongs to, from what is recorded. */
import type { Instant } from '@clockproof/platform/time/instant';
import { forgottenClockOut } from '../working-time/forgotten-clock-out.js';
import { holidaysIn } from '../working-time/holidays.js';
import { evaluateDay, type Finding, rulesOf, type Work } from '../working-time/rules.js';
import { presentFinding, type Warning } from '../working-time/warnings.js';
import { continues, lastWorkingDay } from '../working-time/working-days.js';
import { readBreaks } from './breaks.js';
import type { StampKind } from './clock-state.js';
import type { EntryRow } from './rows.js';
import type { StampFacts } from './stamp-rows.js';

/**
 * The rules that the working day breaks with this stamp, in the person's language. The rest period is checked when a
 * working day begins, not at every stamp of it.
 * @param entry as it stands after the stamp
 */
export function warningsOf(
  { person, recent, endBefore }: Pick<StampFacts, 'person' | 'recent' | 'endBefore'>,
  kind: StampKind,
  now: Instant,
  entry: EntryRow,
): Warning[] {
  const forgotten = kind === 'in' ? [] : forgottenClockOut(entry.start_at, now);
  const rules = rulesOf(person.country);
  const present = (findings: readonly Finding[]) => findings.map((finding) => presentFinding(finding, person.language));
  if (rules === undefined) return present(forgotten);
  const finished = recent.filter((other): other is FinishedEntry => other.end_at !== null && other.id !== entry.id);
  const current = { ...entry, end_at: entry.end_at ?? Math.max(now, entry.start_at) };
  const { rows, previousEnd } = lastWorkingDay([...finished, current], endBefore);
  const begins = kind === 'in' && rows.length === 1 && !continues(previousEnd, entry.start_at);
  const findings = evaluateDay(rules, {
    date: rows[0]!.date,
    timeZone: person.time_zone,
    previousEnd: begins ? previousEnd : undefined,
    ongoing: kind === 'in' || kind === 'break_end',
    holidays: holidaysIn(person.country, person.region, person.language),
    work: rows.map((row) => workOf(row, now)),
  });
  return present([...findings, ...forgotten]);
}

type FinishedEntry = EntryRow & { readonly end_at: Instant };

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
