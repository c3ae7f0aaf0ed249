/** What a stamp does, decided from what was read: refused, or an entry, a clock state and an answer. Pure. */
import { day, formatInstant, type Instant } from '@clockproof/platform/time/instant';
import { localDateAt, monthOf } from '@clockproof/platform/time/local-date';
import type { components } from '../generated/service-types.js';
import type { EntryId } from '../ids.js';
import { refuseUnemployed } from '../people/employment.js';
import { Refusal } from '../refusal.js';
import { readBreaks, writeBreaks } from './breaks.js';
import {
  type OpenEntry,
  openBreak,
  type Stamped,
  type StampKind,
  stampClock,
  stampedAt,
  stateOf,
} from './clock-state.js';
import { presentClock, presentEntry } from './present.js';
import type { ClockRow, EntryRow, NewEntryRow } from './rows.js';
import type { StampFacts } from './stamp-rows.js';
import { warningsOf } from './stamp-warnings.js';
import { addStamp } from './stamps.js';
import { breakRulesOn } from './worked-time.js';

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
}

export type ClockResult = components['schemas']['ClockResult'];

export interface Decision {
  /** The columns that a stamp changes, of the open entry or of a new one. */
  readonly changes: Pick<EntryRow, 'end_at' | 'breaks' | 'stamps' | 'status' | 'updated_at'>;
  /** The other columns of a new entry; undefined where one is open. */
  readonly opened: Omit<NewEntryRow, keyof Decision['changes'] | 'changed'> | undefined;
  readonly clock: Omit<ClockRow, 'person_id' | 'company_id'>;
  /** The entry as it stands afterwards, with a number for a new one. */
  entry(id: EntryId): EntryRow;
  answer(id: EntryId): ClockResult;
}

/**
 * @throws Refusal `employment_ended`, `month_closed`, `already_clocked_in`, `not_clocked_in`, `already_on_break`, `too_many_breaks`,
 * `not_on_break`
 */
export function decide(facts: StampFacts, operation: Operation): Decision {
  const { person, open } = facts;
  const { kind, at } = operation;
  const now = open === undefined ? notBefore(facts.clock?.since ?? null, at) : at;
  const date = open?.date ?? localDateAt(now, person.time_zone);
  refuseUnemployed(person, date);
  const running = open && { start: open.start_at, breaks: readBreaks(open.breaks) };
  const stamped = stampClock(running, kind, now);
  if ('refused' in stamped) throw new Refusal(stamped.refused);
  if (facts.closedUntil !== undefined && monthOf(date) <= facts.closedUntil) throw new Refusal('month_closed');

  const changes = changesOf(stamped, facts, operation, stampedAt(running, now));
  const opened = open === undefined ? openedBy(facts, operation, now, date) : undefined;
  const clock = clockAfter(stamped, operation);
  const entry = (id: EntryId): EntryRow => ({ ...(open ?? opened!), id, ...changes, changed: 0 }) as EntryRow;
  const warnings = warningsOf(facts, kind, now, entry(open?.id ?? 0));
  const clock_state = presentClock({ person_id: person.id, company_id: person.company_id, ...clock });
  return {
    changes,
    opened,
    clock,
    entry,
    answer: (id) => ({ clock_state, time_entry: presentEntry(entry(id)), server_time: formatInstant(at), warnings }),
  };
}

/** So far back a clock is set by hand or by a change of its zone. Further, and it had the wrong date. */
const clockSetBack = day;

/**
 * While out, `since` is when the last entry ended. After a clock was set back, or at a replica whose clock is behind, the
 * next entry begins then and not before: entries of a person do not overlap. A clock that was ahead by more than a day
 * does not hold the next days up; what it recorded is for a correction.
 */
function notBefore(ended: Instant | null, at: Instant): Instant {
  return ended !== null && ended > at && ended - at <= clockSetBack ? ended : at;
}

type Done = Exclude<Stamped, { readonly refused: unknown }>;

function changesOf(stamped: Done, { open }: StampFacts, operation: Operation, stampedAt: Instant): Decision['changes'] {
  const { kind, at, proof } = operation;
  const end = 'closes' in stamped ? stamped.closes.end : null;
  const { breaks } = 'closes' in stamped ? stamped.closes : runningAfter(stamped)!;
  return {
    end_at: end,
    breaks: writeBreaks(breaks),
    stamps: addStamp(open, kind, stampedAt, { ...columnsOf(operation.source), proof: proof ?? null }),
    status: end === null ? 'open' : 'recorded',
    updated_at: at,
  };
}

function openedBy(
  { person }: StampFacts,
  { at, source, proof }: Operation,
  start: Instant,
  date: string,
): Decision['opened'] {
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

function clockAfter(stamped: Done, { at, source }: Operation): Decision['clock'] {
  const running = runningAfter(stamped);
  return {
    state: stateOf(running),
    since: running?.start ?? ('closes' in stamped ? stamped.closes.end : null),
    break_since: running === undefined ? null : (openBreak(running)?.start ?? null),
    ...columnsOf(source),
    updated_at: at,
  };
}

function runningAfter(stamped: Done): OpenEntry | undefined {
  return 'closes' in stamped ? undefined : 'opens' in stamped ? stamped.opens : stamped.changes;
}

function columnsOf({ kind, id, name }: Source) {
  return { source_kind: kind, source_id: id ?? null, source_name: name ?? null };
}
