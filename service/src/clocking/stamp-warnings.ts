/** What the working-time rules say about the day a stamp belongs to, from what is recorded. */
import type { Instant } from '@clockproof/platform/time/instant';
import type { LocalDate } from '@clockproof/platform/time/local-date';
import { builtInTypes } from '../absences/types.js';
import { inLanguage } from '../people/language.js';
import { forgottenClockOut } from '../working-time/forgotten-clock-out.js';
import { holidaysIn } from '../working-time/holidays.js';
import { evaluateDay, type Finding, rulesOf, type Work } from '../working-time/rules.js';
import { presentFinding, type Warning } from '../working-time/warnings.js';
import { continues, lastWorkingDay } from '../working-time/working-days.js';
import { readBreaks } from './breaks.js';
import type { StampKind } from './clock-state.js';
import type { EntryRow } from './rows.js';
import type { AbsenceToday, StampFacts } from './stamp-rows.js';

/**
 * The rules that the working day breaks with this stamp, in the person's language. The rest period is checked when a
 * working day begins, not at every stamp of it.
 * @param entry as it stands after the stamp
 */
export function warningsOf(
  { person, recent, endBefore, absences }: Pick<StampFacts, 'person' | 'recent' | 'endBefore' | 'absences'>,
  kind: StampKind,
  now: Instant,
  entry: EntryRow,
): Warning[] {
  const forgotten = kind === 'in' ? [] : forgottenClockOut(entry.start_at, now);
  const rules = rulesOf(person.country);
  const present = (findings: readonly Finding[]) => findings.map((finding) => presentFinding(finding, person.language));
  const absent = kind === 'in' ? absenceHint(absences, entry.date, person.language) : [];
  if (rules === undefined) return [...present(forgotten), ...absent];
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
  return [...present([...findings, ...forgotten]), ...absent];
}

/** At most one hint: somebody who is recorded as away clocks in. Working elsewhere is no absence. */
function absenceHint(absences: readonly AbsenceToday[], date: LocalDate, language: string): Warning[] {
  for (const { type: key, start_date, end_date, overlap_class, label_de, label_en } of absences) {
    const builtIn = builtInTypes.find((type) => type.key === key);
    if (start_date > date || end_date < date || (overlap_class ?? builtIn?.overlapClass) !== 'away') continue;
    const [de, en] = [label_de ?? builtIn?.label.de, label_en ?? builtIn?.label.en];
    return [
      {
        code: 'absence_recorded',
        message: inLanguage(language, { de: `Für heute ist eingetragen: ${de}.`, en: `Recorded for today: ${en}.` }),
      },
    ];
  }
  return [];
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
