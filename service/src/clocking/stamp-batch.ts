/** Everything that a decided stamp writes, as one batch: entry, clock, event, audit entry and remembered answer. */
import {
  type Batch,
  columnOf,
  jsonPieces,
  type Lock,
  oneMoreThan,
  type Step,
  textOf,
} from '@clockproof/platform/database/batch';
import { type Actor, auditLock, auditSteps, type Sign } from '../audit/audit.js';
import { commitSequence, eventSteps, sequenceLock } from '../events/events.js';
import { rememberStep } from '../idempotency/idempotency.js';
import type { EntryId } from '../ids.js';
import type { Decision, Operation } from './stamp-decision.js';
import type { StampFacts } from './stamp-rows.js';

export interface StampCause extends Operation {
  readonly actor: Actor;
  /** The caller's `Idempotency-Key`, and what the request is. */
  readonly repeat?: { readonly caller: string; readonly key: string } | undefined;
  readonly content: string;
}

/** @param sign absent without DATA_KEY */
export function batchOf(facts: StampFacts, cause: StampCause, decision: Decision, sign: Sign | undefined): Batch {
  const { person, open, clock } = facts;
  const { kind, at, actor, proof, repeat, content } = cause;
  // A new entry has a number already where the database can give one in advance. Otherwise a reference stands for it in
  // all that is written about the entry.
  const id = open?.id ?? facts.newEntryId ?? (columnOf('entry', 'id') as unknown as EntryId);
  const answer = decision.answer(id);
  const { clock_state, time_entry } = answer;
  const companyId = person.company_id;
  const sealing = { sign, anchor: facts.logHead };
  const steps = [
    entryStep(facts, decision),
    clockStep(facts, decision.clock),
    ...eventSteps({ type: `clock.${kind}`, at, companyId, personId: person.id, data: { clock_state, time_entry } }),
    ...auditSteps(
      {
        at,
        companyId,
        actor,
        action: `clock.${kind}`,
        subject: `person ${person.id}`,
        details: { entry: id, ...(proof === undefined ? {} : { proof }) },
      },
      sealing,
      [{ table: 'time_entries', row: { ...decision.entry(id) }, salt: person.record_salt }],
    ),
  ];
  if (repeat !== undefined)
    steps.push(rememberStep(facts.remembered, { ...repeat, content, at }, textOf(jsonPieces(answer))));
  const own = [clockLock(person.id, companyId, clock), ...keyLock(facts.remembered, repeat)];
  return { locks: [...own, sequenceLock(facts.sequence), auditLock(sealing)], steps };
}

/** Stamps of one person run one after the other. The first one makes the clock: of two, one finds it there. */
function clockLock(personId: number, companyId: number, clock: StampFacts['clock']): Lock {
  return clock === undefined
    ? {
        name: 'clock',
        table: 'people',
        where: 'id = :clock_of AND company_id = :clock_at',
        parameters: { clock_of: personId, clock_at: companyId },
        read: [],
        exact: { key: { id: personId }, was: { company_id: companyId } },
      }
    : {
        name: 'clock',
        table: 'clock_states',
        where: 'person_id = :clock_of AND revision = :revision',
        parameters: { clock_of: personId, revision: clock.revision },
        read: ['revision'],
        exact: { key: { person_id: personId }, was: { revision: clock.revision } },
      };
}

/** Of requests that use an expired key again, one replaces its answer. */
function keyLock(remembered: StampFacts['remembered'], repeat: StampCause['repeat']): Lock[] {
  if (remembered === undefined || repeat === undefined) return [];
  const { caller, key } = repeat;
  return [
    {
      name: 'known_key',
      table: 'idempotency_keys',
      where: 'caller = :key_of AND key = :key AND at = :key_at',
      parameters: { key_of: caller, key, key_at: remembered.at },
      read: [],
      exact: { key: { caller, key }, was: { at: remembered.at } },
    },
  ];
}

/**
 * For stamps that are written together where the database numbers an entry only when it is inserted: nobody has
 * inserted one since its last number was read.
 */
export function numberLock(table: string, lastEntryId: EntryId): Lock {
  const was = { seq: lastEntryId };
  return {
    name: 'number',
    table,
    where: "name = 'time_entries' AND seq = :last_entry",
    parameters: { last_entry: lastEntryId },
    read: ['seq'],
    exact: { key: { name: 'time_entries' }, was, moving: true },
  };
}

function entryStep({ open, newEntryId }: StampFacts, { opened, changes }: Decision): Step {
  return open === undefined
    ? {
        name: 'entry',
        insert: 'time_entries',
        row: {
          ...(newEntryId === undefined ? {} : { id: newEntryId }),
          ...(opened as Required<NonNullable<typeof opened>>),
          ...changes,
          changed: commitSequence,
        },
        returning: ['id'],
      }
    : { name: 'entry', update: 'time_entries', set: { ...changes, changed: commitSequence }, where: { id: open.id } };
}

function clockStep({ person: { id, company_id }, clock }: StampFacts, state: Decision['clock']): Step {
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
