/**
 * Clocking in and out and breaks: read everything once, decide in plain code, write everything at once. Stamps that
 * arrive while others are being written are read, decided and written together, which costs hardly more than one.
 */
import type { Batch, BatchWriter } from '@clockproof/platform/database/batch';
import { DatabaseUnavailable, type Reader } from '@clockproof/platform/database/database';
import { gather, type Waiting } from '@clockproof/platform/database/gather';
import { repeatedAnswer } from '../idempotency/idempotency.js';
import type { CompanyId, PersonId } from '../ids.js';
import { Refusal } from '../refusal.js';
import type { Signing, Store } from '../write/write.js';
import { batchOf, numberLock, type StampCause } from './stamp-batch.js';
import { type ClockResult, decide } from './stamp-decision.js';
import { mostTogether, readStampFacts, type StampFacts } from './stamp-rows.js';

export type { ClockResult, Source } from './stamp-decision.js';

export interface StampRequest extends Omit<StampCause, 'content'> {
  readonly personId: PersonId;
  readonly companyId: CompanyId;
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
  return 'together' in on ? queueOf(on)(request) : stampAlone(on, request);
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
    const [facts] = await readStampFacts(on, [request]);
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
      store,
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
