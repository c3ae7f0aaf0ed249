/**
 * One stamp of one person at one instant, through whichever channel it comes: API key, personal link, terminal, web. The
 * same refusals, the same rows.
 *
 * A stamp is read in one statement, decided in plain code and written in one batch. The batch writes nothing where the
 * clock has been stamped since, or where a write has allocated a number from the commit sequence that could have ended the
 * employment or closed the month; the stamp is then read and decided again.
 */
import {
  type BatchWriter,
  columnOf,
  jsonPieces,
  type Lock,
  oneMoreThan,
  type Step,
  textOf,
} from '@clockproof/platform/database/batch';
import { DatabaseUnavailable, type Reader } from '@clockproof/platform/database/database';
import { day, formatInstant, type Instant } from '@clockproof/platform/time/instant';
import { localDateAt, monthOf } from '@clockproof/platform/time/local-date';
import { type Actor, auditLock, auditSteps } from '../audit/audit.js';
import { commitSequence, eventSteps, sequenceLock } from '../events/events.js';
import type { components } from '../generated/service-types.js';
import { rememberStep, repeatedAnswer } from '../idempotency/idempotency.js';
import type { CompanyId, PersonId } from '../ids.js';
import { refuseUnemployed } from '../people/employment.js';
import type { PersonRow } from '../people/rows.js';
import { Refusal } from '../refusal.js';
import type { Signing } from '../write/write.js';
import { readBreaks, writeBreaks } from './breaks.js';
import { type OpenEntry, openBreak, type StampKind, stampClock, stampedAt, stateOf } from './clock-state.js';
import { presentClock, presentEntry } from './present.js';
import type { ClockRow, EntryRow } from './rows.js';
import { readStampFacts, type StampFacts } from './stamp-rows.js';
import { warningsOf } from './stamp-warnings.js';
import { addStamp } from './stamps.js';
import { breakRulesOn } from './worked-time.js';

export interface Source {
  readonly kind: 'web' | 'extension' | 'personal_link' | 'terminal' | 'offline' | 'import';
  readonly id?: string;
  readonly name?: string;
}

export interface StampRequest {
  readonly personId: PersonId;
  readonly companyId: CompanyId;
  readonly kind: StampKind;
  readonly at: Instant;
  readonly source: Source;
  readonly actor: Actor;
  readonly proof?: 'badge' | 'badge_pin';
  /** The caller's `Idempotency-Key`: the same stamp asked again gets the first answer. */
  readonly repeat?: { readonly caller: string; readonly key: string } | undefined;
}

export type ClockResult = components['schemas']['ClockResult'];

/** So often the ground may shift between reading and writing before the caller is asked to come back. */
const attempts = 100;

/**
 * Decides and records one stamp: entry, clock state, audit entry, event and remembered answer, or nothing at all. If the
 * process stops before the batch is written nothing has happened; after it everything stands.
 * @throws Refusal `not_found`, `already_clocked_in`, `not_clocked_in`, `already_on_break`, `not_on_break`,
 * `month_closed`, `employment_ended`, `idempotency_conflict`
 */
export async function stamp(on: Reader & BatchWriter & Signing, request: StampRequest): Promise<ClockResult> {
  const { personId, companyId, kind, at, repeat } = request;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const facts = await readStampFacts(on, { personId, companyId, kind, at, repeat });
    if (facts === undefined) throw new Refusal('not_found');
    const repeated = repeatedAnswer<ClockResult>(facts.remembered, contentOf(request), at);
    if (repeated !== undefined) return repeated;
    const decided = decide(facts, request, on.sign);
    const written = await on.batch(decided.batch);
    if (written !== undefined) return decided.answer(written['entry']?.['id'] as number | undefined);
  }
  throw new DatabaseUnavailable('busy');
}

function contentOf({ kind, personId }: StampRequest): string {
  return `clock.${kind} ${personId}`;
}

/** @throws Refusal what the rules say to it */
function decide(facts: StampFacts, request: StampRequest, sign: Signing['sign']) {
  const { person, open, clock: before } = facts;
  const { kind, at, source, actor, proof, repeat } = request;
  const now = open === undefined ? notBefore(before?.since ?? null, at) : at;
  const date = open?.date ?? localDateAt(now, person.time_zone);
  refuseUnemployed(person, date);
  const running: OpenEntry | undefined = open && { start: open.start_at, breaks: readBreaks(open.breaks) };
  const stamped = stampClock(running, kind, now);
  if ('refused' in stamped) throw new Refusal(stamped.refused);
  if (facts.closedUntil !== undefined && monthOf(date) <= facts.closedUntil) throw new Refusal('month_closed');

  const { breaks, end } =
    'closes' in stamped
      ? stamped.closes
      : { breaks: ('opens' in stamped ? stamped.opens : stamped.changes).breaks, end: null };
  const clock: OpenEntry | undefined =
    'closes' in stamped ? undefined : 'opens' in stamped ? stamped.opens : stamped.changes;
  const through = { source_kind: source.kind, source_id: source.id ?? null, source_name: source.name ?? null };
  const changes = {
    end_at: end,
    breaks: writeBreaks(breaks),
    stamps: addStamp(open, kind, stampedAt(running, now), { ...through, proof: proof ?? null }),
    status: end === null ? ('open' as const) : ('recorded' as const),
    updated_at: at,
  };
  const opened = {
    company_id: person.company_id,
    person_id: person.id,
    date,
    start_at: open?.start_at ?? now,
    ...through,
    proof: proof ?? null,
    comment: null,
    break_rules: breakRulesOn(person, date),
    created_at: at,
  };
  const state: Omit<ClockRow, 'person_id' | 'company_id'> = {
    state: stateOf(clock),
    since: clock?.start ?? end,
    break_since: clock === undefined ? null : (openBreak(clock)?.start ?? null),
    ...through,
    updated_at: at,
  };
  // A new entry has a number already where the database can give one in advance. Otherwise a reference stands for it in
  // all that is written about the entry.
  const entryId = open?.id ?? facts.newEntryId ?? (columnOf('entry', 'id') as unknown as number);
  const entryAs = (id: number): EntryRow => ({ ...(open ?? opened), id, ...changes, changed: 0 });
  const warnings = warningsOf(facts, kind, now, entryAs(open?.id ?? 0));
  const answer = (id: number): ClockResult => ({
    clock_state: presentClock({ person_id: person.id, company_id: person.company_id, ...state }),
    time_entry: presentEntry(entryAs(id)),
    server_time: formatInstant(at),
    warnings,
  });
  const written = answer(entryId);
  const sealing = { sign, anchor: facts.logHead };
  const { clock_state, time_entry } = written;
  const subject = `person ${person.id}`;
  const companyId = person.company_id;

  const entryStep: Step =
    open === undefined
      ? {
          name: 'entry',
          insert: 'time_entries',
          row: {
            ...(facts.newEntryId === undefined ? {} : { id: facts.newEntryId }),
            ...opened,
            ...changes,
            changed: commitSequence,
          },
          returning: ['id'],
        }
      : { name: 'entry', update: 'time_entries', set: { ...changes, changed: commitSequence }, where: { id: open.id } };
  const steps: Step[] = [
    entryStep,
    clockStep(person, before, state),
    ...eventSteps({ type: `clock.${kind}`, at, companyId, personId: person.id, data: { clock_state, time_entry } }),
    ...auditSteps(
      {
        at,
        companyId,
        actor,
        action: `clock.${kind}`,
        subject,
        details: { entry: time_entry.id, ...(proof === undefined ? {} : { proof }) },
      },
      sealing,
      [{ table: 'time_entries', row: { ...entryAs(entryId) }, salt: person.record_salt }],
    ),
  ];
  if (repeat !== undefined) {
    steps.push(
      rememberStep(facts.remembered, { ...repeat, content: contentOf(request), at }, textOf(jsonPieces(written))),
    );
  }
  return {
    batch: { locks: [clockLock(person, before), sequenceLock(facts.fence), auditLock(sealing)], steps },
    answer: (id: number | undefined) => answer(open?.id ?? id!),
  };
}

/** Stamps of one person run one after the other. The first one makes the clock: of two, one finds it there. */
function clockLock({ id, company_id }: PersonRow, clock: StampFacts['clock']): Lock {
  return clock === undefined
    ? {
        name: 'clock',
        table: 'people',
        where: 'id = :clock_of AND company_id = :clock_at',
        parameters: { clock_of: id, clock_at: company_id },
        read: [],
      }
    : {
        name: 'clock',
        table: 'clock_states',
        where: 'person_id = :clock_of AND revision = :revision',
        parameters: { clock_of: id, revision: clock.revision },
        read: ['revision'],
      };
}

function clockStep(
  { id, company_id }: PersonRow,
  clock: StampFacts['clock'],
  state: Omit<ClockRow, 'person_id' | 'company_id' | 'revision'>,
): Step {
  const name = 'clock_moved';
  return clock === undefined
    ? { name, insert: 'clock_states', row: { person_id: id, company_id, ...state } }
    : {
        name,
        update: 'clock_states',
        set: { ...state, revision: oneMoreThan('clock', 'revision') },
        where: { person_id: id },
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
