/**
 * Clocking in and out and breaks: read everything once, decide in plain code, write everything at once. Stamps that
 * arrive while others are being written are read, decided and written together, which costs hardly more than one.
 */
import {
  type Batch,
  type BatchWriter,
  columnOf,
  jsonPieces,
  type Lock,
  oneMoreThan,
  type Step,
  textOf,
} from '@clockproof/platform/database/batch';
import { DatabaseUnavailable, type Reader } from '@clockproof/platform/database/database';
import { gather, type Waiting } from '@clockproof/platform/database/gather';
import { type Actor, auditLock, auditSteps, type Sign } from '../audit/audit.js';
import { commitSequence, eventSteps, sequenceLock } from '../events/events.js';
import type { Holder } from '../extensions/keys.js';
import { rememberStep, repeatedAnswer } from '../idempotency/idempotency.js';
import type { CompanyId, EntryId, PersonId } from '../ids.js';
import { Refusal } from '../refusal.js';
import type { Signing, Store } from '../write/write.js';
import { type ClockResult, type Decision, decide, type Operation } from './stamp-decision.js';
import { type AheadQuestion, FactsAhead, mostTogether, readStampFacts, type StampFacts } from './stamp-rows.js';

export type { ClockResult, Source } from './stamp-decision.js';

export interface StampRequest extends Omit<StampCause, 'content'> {
  readonly personId: PersonId;
  readonly companyId: CompanyId;
  /** What was read while the caller was looked up, and who that is: `ext_…` or `lnk_…`. */
  readonly ahead?: { readonly facts: FactsAhead; readonly caller: string } | undefined;
}

/** A stamp that waits for the others of its group. */
type WaitingStamp = Waiting<StampRequest, ClockResult>;

/** So often the ground may shift between reading and writing before the caller is asked to come back. */
const attempts = 100;
/** How long stamps wait for those before them; a person's clock may be locked for longer. */
const patienceMilliseconds = 200;
/** How long a group waits for clients whose stamps were in the one before; their next requests are on their way. */
const crowdMilliseconds = 4;

/**
 * Decides and records one stamp: entry, clock state, audit entry, event and remembered answer, or nothing at all. If the
 * process stops before the batch is written nothing has happened; after it everything stands.
 * @param on a transaction, or the database: there, stamps that wait are written together
 * @throws Refusal `not_found`, `already_clocked_in`, `not_clocked_in`, `already_on_break`, `too_many_breaks`, `not_on_break`,
 * `month_closed`, `employment_ended`, `idempotency_conflict`
 */
export function stamp(on: Store | (Reader & BatchWriter & Signing), request: StampRequest): Promise<ClockResult> {
  return 'together' in on ? counted(on, queueOf(on)(request)) : stampAlone(on, request);
}

/** Stamps under way. */
const underWay = new WeakMap<Store, number>();

function counted<Result>(store: Store, stamping: Promise<Result>): Promise<Result> {
  const count = (change: 1 | -1) => underWay.set(store, (underWay.get(store) ?? 0) + change);
  count(1);
  return stamping.finally(() => count(-1));
}

/**
 * Reads what a stamp will need while its caller is looked up, in the same message. Only for a stamp that comes alone:
 * those that come together are read together.
 */
export function readAhead(store: Store, holder: Holder, question: AheadQuestion): FactsAhead | undefined {
  if ((underWay.get(store) ?? 0) > 0) return undefined;
  const ahead = new FactsAhead(store, holder, question);
  void counted(store, ahead.read());
  return ahead;
}

const queues = new WeakMap<Store, (request: StampRequest) => Promise<ClockResult>>();

function queueOf(store: Store): (request: StampRequest) => Promise<ClockResult> {
  const queue =
    queues.get(store) ??
    gather((group: readonly WaitingStamp[]) => stampTogether(store, group), {
      most: mostTogether,
      patienceMilliseconds,
      crowdMilliseconds,
    });
  queues.set(store, queue);
  return queue;
}

async function stampAlone(on: Reader & BatchWriter & Signing, request: StampRequest): Promise<ClockResult> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const { ahead } = request;
    const facts =
      (attempt === 0 && ahead !== undefined ? await ahead.facts.open(ahead.caller, request) : undefined) ??
      (await readStampFacts(on, [request]))[0];
    const decided = decideRequest(facts, request, on);
    if ('repeated' in decided) return decided.repeated;
    const written = await on.batch(decided.batch);
    if (written !== undefined) return decided.answer(written['entry']?.['id'] as number | undefined);
  }
  throw new DatabaseUnavailable('busy');
}

/**
 * One read and one write for the whole group. A refusal is answered from the read. Where the group cannot be written
 * because something changed meanwhile, each of its stamps is tried alone, so that none depends on another.
 * @returns second stamps of a person or with a key, which are decided once the first is written
 */
async function stampTogether(store: Store, group: readonly WaitingStamp[]): Promise<readonly WaitingStamp[]> {
  const alone = ({ request, resolve, reject }: WaitingStamp) => stampAlone(store, request).then(resolve, reject);
  if (group.length === 1) {
    await alone(group[0]!);
    return [];
  }
  const facts = numbered(
    await readStampFacts(
      store.line,
      group.map(({ request }) => request),
    ),
  );
  const batches: Batch[] = [];
  const answers: { readonly of: WaitingStamp; readonly answer: ClockResult }[] = [];
  const rest: WaitingStamp[] = [];
  const later: WaitingStamp[] = [];
  const stamped = new Set<PersonId>();
  const keys = new Set<string>();
  for (const [place, waiting] of group.entries()) {
    const { request, resolve, reject } = waiting;
    const key = JSON.stringify(request.repeat);
    if (stamped.has(request.personId) || keys.has(key)) {
      later.push(waiting);
      continue;
    }
    try {
      const decided = decideRequest(facts[place], request, store);
      if ('repeated' in decided) {
        resolve(decided.repeated);
        continue;
      }
      stamped.add(request.personId);
      if (request.repeat !== undefined) keys.add(key);
      if (decided.joins) {
        batches.push(decided.batch);
        answers.push({ of: waiting, answer: decided.answer() });
      } else rest.push(waiting);
    } catch (reason) {
      reject(reason);
    }
  }
  if (await wereWritten(store, batches)) for (const { of, answer } of answers) of.resolve(answer);
  else rest.push(...answers.map(({ of }) => of));
  await Promise.all(rest.map(alone));
  return later;
}

/** A group that fails has left nothing: each of its stamps is tried alone, and answers for its own failure. */
async function wereWritten(store: Store, batches: readonly Batch[]): Promise<boolean> {
  if (batches.length < 2) return false;
  try {
    return await store.together(batches);
  } catch (error) {
    // It may have been committed before the connection was lost.
    if (error instanceof DatabaseUnavailable) throw error;
    return false;
  }
}

/** Where entries get their numbers only when they are inserted, those of a group follow the last one. */
function numbered(group: readonly (StampFacts | undefined)[]): readonly (StampFacts | undefined)[] {
  let given = 0;
  return group.map((facts) =>
    facts === undefined || facts.open !== undefined || facts.lastEntryId === undefined
      ? facts
      : { ...facts, newEntryId: facts.lastEntryId + ++given },
  );
}

/** @throws Refusal */
function decideRequest(facts: StampFacts | undefined, request: StampRequest, on: Reader & Signing) {
  const { kind, personId, at } = request;
  if (facts === undefined) throw new Refusal('not_found');
  const content = `clock.${kind} ${personId}`;
  const repeated = repeatedAnswer<ClockResult>(facts.remembered, content, at);
  if (repeated !== undefined) return { repeated };
  const decision = decide(facts, request);
  const batch = batchOf(facts, { ...request, content }, decision, on.sign);
  const { lastIdentities } = on.dialect;
  const id = facts.open?.id ?? facts.newEntryId;
  return {
    batch:
      lastIdentities === undefined || facts.lastEntryId === undefined || facts.newEntryId === undefined
        ? batch
        : { ...batch, locks: [...batch.locks, numberLock(lastIdentities, facts.lastEntryId)] },
    answer: (inserted?: number) => decision.answer(id ?? inserted!),
    /** Everything it writes is known, so it can be written together with others. */
    joins: id !== undefined,
  };
}

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
