/**
 * Decides the effect of a stamp from the rows read: a refusal, or an entry, a clock state and an answer with the
 * findings of the working-time rules for the day. Pure.
 */
import { day, formatInstant, type Instant } from '@clockproof/platform/time/instant';
import { type LocalDate, localDateAt, monthOf } from '@clockproof/platform/time/local-date';
import { builtInTypes } from '../absences/types.js';
import type { components } from '../generated/service-types.js';
import { refuseUnemployed } from '../people/employment.js';
import { inLanguage } from '../people/language.js';
import type { EntryId } from '../store/ids.js';
import { Refusal } from '../store/refusal.js';
import { evaluateDay, type Finding, rulesOn } from '../working-time/rules.js';
import { circumstancesFor, circumstancesOf } from '../working-time/special-rules.js';
import { presentFinding, type Warning } from '../working-time/warnings.js';
import { workingDaysOf } from '../working-time/working-days.js';
import {
  type OpenEntry,
  openBreak,
  type StampKind,
  type StampResult,
  stampClock,
  stampInstantOf,
  stateOf,
} from './clock-state.js';
import { forgottenClockOut, forgottenEntry, missingClockOut, presenceLimit } from './forgotten.js';
import type { ClockRow, EntryRow, NewEntryRow } from './rows.js';
import type { AbsenceToday, StampFacts } from './stamp-rows.js';
import { addStamp, breakRulesOn, presentClock, presentEntry, readBreaks, workOf, writeBreaks } from './time-entry.js';

export interface Source {
  readonly kind: 'web' | 'extension' | 'personal_link' | 'terminal' | 'offline' | 'import';
  readonly id?: string;
  readonly name?: string;
}

/** One operation of a person at an instant, and how it came. */
export interface Operation {
  readonly kind: StampKind;
  readonly at: Instant;
  readonly source: Source;
  readonly proof?: 'badge' | 'badge_pin';
  /** Leaves an entry whose clock-out was forgotten. Pages and terminals always do: they ask the person. */
  readonly newDay?: boolean;
}

export type ClockResult = components['schemas']['ClockResult'];

export interface Decision {
  /** The open entry that the stamp changes; undefined if it begins one. */
  readonly entryId: EntryId | undefined;
  /** The columns that a stamp changes, of the open entry or of a new one. */
  readonly changes: Pick<EntryRow, 'end_at' | 'breaks' | 'stamps' | 'status' | 'updated_at'>;
  /** The other columns of a new entry. */
  readonly newEntry: Omit<NewEntryRow, keyof Decision['changes'] | 'changed'> | undefined;
  readonly clock: Omit<ClockRow, 'person_id' | 'company_id'>;
  /** The open entry of an earlier working day, which stays without an end because a new day begins. */
  readonly forgotten: EntryRow | undefined;
  /** The entry as it stands afterwards, with a number for a new one. */
  answer(id: EntryId): ClockResult;
}

/**
 * @throws Refusal `employment_ended`, `month_closed`, `already_clocked_in`, `not_clocked_in`, `already_on_break`,
 * `too_many_breaks`, `not_on_break`
 */
export function decide(facts: StampFacts, operation: Operation): Decision {
  const { person } = facts;
  const { kind, at } = operation;
  const unclosedEntry = beginsNewDay(operation) ? forgottenEntry(facts, at) : undefined;
  const openEntry = unclosedEntry === undefined ? facts.open : undefined;
  const now = facts.open === undefined ? notBefore(facts.since, at) : at;
  const date = openEntry?.date ?? localDateAt(now, person.time_zone);
  refuseUnemployed(person, date);
  const runningWork = openEntry && { start: openEntry.start_at, breaks: readBreaks(openEntry.breaks) };
  const transition = stampClock(runningWork, kind, now);
  if ('refused' in transition) throw new Refusal(transition.refused);
  if (facts.closedUntil !== undefined && monthOf(date) <= facts.closedUntil) throw new Refusal('month_closed');

  const changes = changesOf(transition, openEntry, operation, stampInstantOf(runningWork, now));
  const newEntry = openEntry === undefined ? newEntryOf(facts, operation, now, date) : undefined;
  const clock = clockAfter(transition, operation);
  const entry = (id: EntryId): EntryRow => ({ ...(openEntry ?? newEntry!), id, ...changes, changed: 0 }) as EntryRow;
  const warnings = [
    ...(unclosedEntry === undefined ? [] : [presentFinding(missingClockOut(unclosedEntry.date), person.language)]),
    ...warningsOf(facts, kind, now, entry(openEntry?.id ?? 0), operation.source),
  ];
  const clock_state = presentClock({ person_id: person.id, company_id: person.company_id, ...clock });
  return {
    entryId: openEntry?.id,
    changes,
    newEntry,
    clock,
    forgotten: unclosedEntry && { ...unclosedEntry, status: 'clock_out_missing', updated_at: at },
    answer: (id) => ({ clock_state, time_entry: presentEntry(entry(id)), server_time: formatInstant(at), warnings }),
  };
}

/** People who come back in the morning begin a new day; apps get the documented answer and decide. */
const beginsNewDay = ({ kind, source, newDay = false }: Operation): boolean =>
  kind === 'in' && (newDay || source.kind === 'web' || source.kind === 'terminal');

/** The most by which a manual change or a change of zone sets a clock back. Beyond it, the clock had the wrong date. */
const clockSetBack = day;

/**
 * While out, `since` is the end of the last entry. After a clock was set back, or at a replica whose clock is behind,
 * the next entry begins then and not before: entries of a person do not overlap. A clock that was ahead by more than a
 * day does not hold the next days up; its entry needs a correction.
 */
function notBefore(lastEnd: Instant | null, at: Instant): Instant {
  return lastEnd !== null && lastEnd > at && lastEnd - at <= clockSetBack ? lastEnd : at;
}

type Transition = Exclude<StampResult, { readonly refused: unknown }>;

function changesOf(
  transition: Transition,
  openEntry: EntryRow | undefined,
  operation: Operation,
  stampedAt: Instant,
): Decision['changes'] {
  const { kind, at, proof } = operation;
  const end = 'closes' in transition ? transition.closes.end : null;
  const { breaks } = 'closes' in transition ? transition.closes : runningAfter(transition)!;
  return {
    end_at: end,
    breaks: writeBreaks(breaks),
    stamps: addStamp(openEntry, kind, stampedAt, { ...columnsOf(operation.source), proof: proof ?? null }),
    status: end === null ? 'open' : 'recorded',
    updated_at: at,
  };
}

function newEntryOf(
  { person }: StampFacts,
  { at, source, proof }: Operation,
  start: Instant,
  date: string,
): Decision['newEntry'] {
  return {
    company_id: person.company_id,
    person_id: person.id,
    date,
    start_at: start,
    ...columnsOf(source),
    proof: proof ?? null,
    comment: null,
    break_rules: breakRulesOn(person, date),
    created_at: at,
  };
}

function clockAfter(transition: Transition, { at, source }: Operation): Decision['clock'] {
  const runningWork = runningAfter(transition);
  return {
    state: stateOf(runningWork),
    since: runningWork?.start ?? ('closes' in transition ? transition.closes.end : null),
    break_since: runningWork === undefined ? null : (openBreak(runningWork)?.start ?? null),
    ...columnsOf(source),
    updated_at: at,
  };
}

function runningAfter(transition: Transition): OpenEntry | undefined {
  return 'closes' in transition ? undefined : 'opens' in transition ? transition.opens : transition.changes;
}

function columnsOf({ kind, id, name }: Source) {
  return { source_kind: kind, source_id: id ?? null, source_name: name ?? null };
}

/**
 * The rules that the working day breaks with this stamp, in the person's language. The rest period is checked when a
 * working day begins, not at every stamp of it.
 * @param entry as it stands after the stamp
 * @param source confidential facts appear only on the person's own pages; a screen at the door is public
 */
export function warningsOf(
  {
    person,
    recent,
    endBefore,
    absences,
    specialRules,
    holidays,
  }: Pick<StampFacts, 'person' | 'recent' | 'endBefore' | 'absences' | 'specialRules' | 'holidays'>,
  kind: StampKind,
  now: Instant,
  entry: EntryRow,
  source: Source,
): Warning[] {
  const forgottenFindings =
    kind === 'in' ? [] : forgottenClockOut(entry.start_at, now, presenceLimit(person.new_day_after_hours));
  const present = (findings: readonly Finding[]) => findings.map((finding) => presentFinding(finding, person.language));
  const absenceHints = kind === 'in' ? absenceHint(absences, entry.date, person.language) : [];
  const finishedEntries = recent.filter(
    (entryOfDay): entryOfDay is FinishedEntry => entryOfDay.end_at !== null && entryOfDay.id !== entry.id,
  );
  const currentEntry = { ...entry, end_at: entry.end_at ?? Math.max(now, entry.start_at) };
  const { date, rows, previousEnd } = workingDaysOf([...finishedEntries, currentEntry], endBefore).at(-1)!;
  const confidentiality = source.kind === 'web' ? 'confidential' : 'general';
  const circumstances = circumstancesFor(circumstancesOf(person, specialRules), confidentiality);
  const rules = rulesOn(person.country, circumstances, date);
  if (rules === undefined) return [...present(forgottenFindings), ...absenceHints];
  const isBeginning = kind === 'in' && rows.length === 1;
  const findings = evaluateDay(rules, {
    date,
    timeZone: person.time_zone,
    previousEnd: isBeginning ? previousEnd : undefined,
    ongoing: kind === 'in' || kind === 'break_end',
    holidays,
    work: rows.map((row) => workOf(row, now)),
  });
  return [...present([...findings, ...forgottenFindings]), ...absenceHints];
}

/** At most one hint: a person who is recorded as away clocks in. Working elsewhere is no absence. */
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
