/**
 * One stamp of one person at one instant, whichever door it comes through: API key, personal link, terminal, web. The
 * same refusals, the same rows.
 */
import type { Transaction } from '@clockproof/platform/database/database';
import { type Instant, minute } from '@clockproof/platform/time/instant';
import { localDateAt } from '@clockproof/platform/time/local-date';
import { type Actor, appendAudit } from '../audit/audit.js';
import { appendEvent, takeSequence } from '../events/events.js';
import { refuseClosedMonth } from '../months/months.js';
import { refuseUnemployed } from '../people/employment.js';
import { findPerson, type PersonRow } from '../people/rows.js';
import { Refusal } from '../refusal.js';
import type { Warning } from '../working-time/warnings.js';
import { readBreaks, writeBreaks } from './breaks.js';
import { type OpenEntry, type StampKind, stampClock, stateOf } from './clock-state.js';
import { presentClock, presentEntry } from './present.js';
import { breakRulesOn } from './reckoning.js';
import { type ClockRow, type EntryRow, findOpenEntry, insertEntry, lockClock, saveClock, updateEntry } from './rows.js';
import { prepareWarnings } from './stamp-warnings.js';

export interface Source {
  readonly kind: 'web' | 'extension' | 'personal_link' | 'terminal' | 'offline' | 'import';
  readonly id?: string;
  readonly name?: string;
}

export interface StampRequest {
  readonly person: PersonRow;
  readonly kind: StampKind;
  readonly at: Instant;
  readonly source: Source;
  readonly actor: Actor;
  readonly proof?: 'badge' | 'badge_pin';
}

export interface Stamp {
  readonly clock: ClockRow;
  readonly entry: EntryRow;
  /** Working-time rules broken by what is recorded now, in the person's language. They change nothing. */
  readonly warnings: readonly Warning[];
}

/**
 * Decides and records one stamp: entry, clock state, audit entry and event, or nothing at all.
 * @throws Refusal `already_clocked_in`, `not_clocked_in`, `already_on_break`, `not_on_break`, `month_closed`,
 * `employment_ended`
 */
export async function stamp(tx: Transaction, { person, kind, at, source, actor, proof }: StampRequest): Promise<Stamp> {
  const locked = await lockClock(tx, person.id, person.company_id, at);
  const open = locked.state === 'out' ? undefined : await findOpenEntry(tx, person.id);
  const now = open === undefined ? notBefore(locked.since, at) : at;
  const date = open?.date ?? localDateAt(now, person.time_zone);
  refuseUnemployed(person, date);
  const judge = await prepareWarnings(tx, person, date, kind);

  const stamped = stampClock(open && { start: open.start_at, breaks: readBreaks(open.breaks) }, kind, now);
  if ('refused' in stamped) throw new Refusal(stamped.refused);

  // From here to the end of the transaction other writers of events wait; nothing but the month to ask and the four
  // rows below is left to do.
  const changed = await takeSequence(tx);
  // Whoever ends an employment takes a place in the same order: what was true above is asked once more now that nobody
  // can change it.
  const still = await findPerson(tx, person.id, { company: person.company_id });
  if (still === undefined) throw new Refusal('not_found');
  refuseUnemployed(still, date);
  await refuseClosedMonth(tx, person.company_id, date);
  const touch = { updated_at: at, changed };
  let entry: EntryRow;
  let clock: OpenEntry | undefined;
  if ('opens' in stamped) {
    clock = stamped.opens;
    entry = await insertEntry(tx, {
      company_id: person.company_id,
      person_id: person.id,
      date,
      start_at: clock.start,
      end_at: null,
      breaks: '[]',
      status: 'open',
      source_kind: source.kind,
      source_id: source.id ?? null,
      source_name: source.name ?? null,
      proof: proof ?? null,
      comment: null,
      break_rules: breakRulesOn(person, date),
      created_at: at,
      ...touch,
    });
  } else if ('changes' in stamped) {
    clock = stamped.changes;
    entry = await updateEntry(tx, {
      id: open!.id,
      end_at: null,
      breaks: writeBreaks(clock.breaks),
      status: 'open',
      ...touch,
    });
  } else {
    entry = await updateEntry(tx, {
      id: open!.id,
      end_at: stamped.closes.end,
      breaks: writeBreaks(stamped.closes.breaks),
      status: 'recorded',
      ...touch,
    });
  }
  const row: ClockRow = {
    person_id: person.id,
    company_id: person.company_id,
    state: stateOf(clock),
    since: clock?.start ?? entry.end_at,
    break_since: clock?.breaks.find((one) => one.end === undefined)?.start ?? null,
    source_kind: source.kind,
    source_id: source.id ?? null,
    source_name: source.name ?? null,
    updated_at: at,
  };
  await saveClock(tx, row);
  await appendAudit(tx, {
    at,
    companyId: person.company_id,
    actor,
    action: `clock.${kind}`,
    subject: `person ${person.id}`,
    details: { entry: entry.id, ...(proof === undefined ? {} : { proof }) },
  });
  await appendEvent(tx, changed, {
    type: `clock.${kind}`,
    at,
    companyId: person.company_id,
    personId: person.id,
    data: { clock_state: presentClock(row), time_entry: presentEntry(entry) },
  });
  return { clock: row, entry, warnings: judge(entry, now) };
}

/** Clocks of replicas may differ by this much. */
const clockSkew = 5 * minute;

/**
 * While out, `since` is when the last entry ended. The next one does not begin before it where this clock is only a
 * little behind the one that recorded it.
 */
function notBefore(ended: Instant | null, at: Instant): Instant {
  return ended !== null && ended > at && ended - at <= clockSkew ? ended : at;
}
