/** Clocking in and out and breaks. */
import { formatInstant } from '@clockproof/platform/time/instant';
import type { LocalDate } from '@clockproof/platform/time/local-date';
import type { CompanyId, EntryId, PersonId } from '../store/ids.js';
import { Refusal } from '../store/refusal.js';
import { insert, nextId, update } from '../store/tables.js';
import type { Write } from '../store/write.js';
import { leaveWithoutEnd } from './leave-without-end.js';
import { lastDayBefore, resolveOpenEntry } from './resolve-open-entry.js';
import { findClock } from './rows.js';
import { type ClockResult, type Decision, decide, type Operation } from './stamp-decision.js';
import { readStampFacts, type StampFacts } from './stamp-rows.js';
import { presentClock, presentEntry } from './time-entry.js';

export type { ClockResult, Source } from './stamp-decision.js';

export interface StampRequest extends Omit<Operation, 'at'> {
  readonly personId: PersonId;
  readonly companyId: CompanyId;
}

/**
 * Decides and records one stamp: entry, clock state, event and audit entry, or nothing at all. If
 * the process stops before the commit nothing has happened; after it everything stands.
 * @throws Refusal `not_found`, `already_clocked_in`, `not_clocked_in`, `already_on_break`, `too_many_breaks`,
 * `not_on_break`, `month_closed`, `employment_ended`
 */
export async function stamp(write: Write, request: StampRequest): Promise<ClockResult> {
  const { kind, personId, companyId, proof } = request;
  // The facts are read under the lock. An end of employment or a closing either came before and is seen, or comes after
  // and counts this stamp.
  const [, facts, newId] = await Promise.all([
    write.lock({ people: [personId] }),
    readStampFacts(write, { kind, personId, companyId, at: write.at }),
    kind === 'in' ? nextId(write, 'time_entries') : undefined,
  ]);
  if (facts === undefined) throw new Refusal('not_found');
  const lastDay = lastDayBefore(write.at, facts.person);
  if (facts.open !== undefined && lastDay !== undefined) {
    if (kind !== 'out') throw new Refusal('employment_ended');
    return endAfterLastDay(write, facts.person, lastDay);
  }
  const decision = decide(facts, { ...request, at: write.at });
  if (decision.forgotten !== undefined) await leaveWithoutEnd(write, decision.forgotten);
  const entryId = decision.entryId ?? newId!;
  const answer = decision.answer(entryId);
  const { clock_state, time_entry } = answer;
  await Promise.all([
    saveEntry(write, decision, entryId),
    update(write, 'clock_states', { person_id: personId }, decision.clock),
    write.event({ type: `clock.${kind}`, companyId, personId, data: { clock_state, time_entry } }),
  ]);
  await write.audit({
    companyId,
    action: `clock.${kind}`,
    subject: `person ${personId}`,
    details: { entry: entryId, proof },
  });
  return answer;
}

/** The clock has ended with the last day, whenever that was set. */
async function endAfterLastDay(write: Write, person: StampFacts['person'], lastDay: LocalDate): Promise<ClockResult> {
  const { entry } = (await resolveOpenEntry(write, person, { lastDay, by: person.id }))!;
  return {
    clock_state: presentClock((await findClock(write, person.id))!),
    time_entry: presentEntry(entry),
    server_time: formatInstant(write.at),
    warnings: [],
  };
}

function saveEntry(write: Write, { newEntry, changes }: Decision, id: EntryId): Promise<unknown> {
  if (newEntry === undefined) return update(write, 'time_entries', { id }, changes);
  return insert(write, 'time_entries', { id, ...newEntry, ...changes });
}
