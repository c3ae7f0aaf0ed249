/**
 * Offline stamps that could not become an entry. The door said "Saved", so each is kept with its reason and shown to
 * its person and to those who decide, until one of them has taken it, given it to somebody else, or rejected it.
 */
import type { Reader } from '@clockproof/platform/database/database';
import { type LocalDate, localDateAt } from '@clockproof/platform/time/local-date';
import { authorityOf, grantsOf, refuseToDecideRequest } from '../absences/deciders/authority.js';
import { decidersOf } from '../absences/record-transition.js';
import { isInApproverScope } from '../inbox/approvals.js';
import { markStampRead, notify } from '../inbox/notices.js';
import { findPerson, type PersonRow } from '../people/rows.js';
import type { PersonId, UnresolvedStampId } from '../store/ids.js';
import { invalidField, Refusal } from '../store/refusal.js';
import { update } from '../store/tables.js';
import type { Write } from '../store/write.js';
import { recordOfflineStamp } from './offline-stamps.js';
import {
  decideWaitingStamp,
  findUnresolvedStampAnywhere,
  hasWaitingStamp,
  insertUnresolvedStamp,
  type UnresolvedStampRow,
} from './unresolved-stamp-rows.js';

export type UnresolvedStampFacts = Omit<
  UnresolvedStampRow,
  | 'id'
  | 'person_id'
  | 'date'
  | 'received_at'
  | 'status'
  | 'taken_for'
  | 'entry_id'
  | 'decided_by'
  | 'decided_at'
  | 'comment'
>;

/**
 * Keeps a stamp and notifies its person and those who decide: one notice for several, until all are decided. If the
 * process dies before the commit, the device sends the stamp again.
 * @param person the holder of the badge at the time of the stamp, if there was one
 */
export async function keepUnresolvedStamp(
  write: Write,
  facts: UnresolvedStampFacts,
  person: PersonRow | undefined,
): Promise<void> {
  const { company_id: companyId, terminal_id: terminal, number, reason, stamped_at: stampedAt } = facts;
  const date = person === undefined || stampedAt === null ? null : localDateAt(stampedAt, person.time_zone);
  const isNotified = await hasWaitingStamp(write, companyId, person?.id ?? null);
  const { id } = await insertUnresolvedStamp(write, {
    ...facts,
    person_id: person?.id ?? null,
    date,
    received_at: write.at,
  });
  await write.audit({
    companyId,
    action: 'offline_stamp.unresolved',
    subject: person === undefined ? `terminal ${terminal}` : `person ${person.id}`,
    details: { stamp: id, number, reason, person: person?.id },
  });
  if (isNotified) return;
  if (person !== undefined && date !== null)
    await notify(write, [person.id], { kind: 'stamp_unresolved', stamp: id, day: date });
  const scopedPerson = person ?? { id: undefined, company_id: companyId, department_id: null };
  await notify(write, await decidersOf(write, scopedPerson, write.at), { kind: 'stamp_undecided', stamp: id });
}

/**
 * Makes the stamp a part of an entry that awaits approval, as if the service had accepted it.
 * @param personId the person of the stamp; by default the person whose badge was used
 * @throws Refusal `not_found`, `own_request`, `already_decided`, `stamp_not_takeable`, `invalid_request` the person of
 * the stamp is unknown
 */
export async function acceptUnresolvedStamp(
  write: Write,
  {
    id,
    by,
    personId,
  }: { readonly id: UnresolvedStampId; readonly by: PersonRow; readonly personId: PersonId | undefined },
): Promise<UnresolvedStampRow> {
  const before = await findDecidable(write, id, by);
  const { company_id: companyId, action: kind, stamped_at: stampedAt } = before;
  const receiver = personId ?? before.person_id;
  if (receiver === null) throw invalidField('user_id', 'required', 'Say whose stamp it is.');
  const person = await findPerson(write, receiver, { company: companyId });
  if (person === undefined) throw new Refusal('not_found');
  const onBehalfOf = await refuseToDecideRequest(write, by, person, write.at);
  if (kind === null || stampedAt === null || stampedAt > write.at) throw new Refusal('stamp_not_takeable');
  await write.lock({ people: [person.id, ...(before.person_id === null ? [] : [before.person_id])] });
  const takenRow = await decideWaitingStamp(write, id, {
    status: 'taken',
    taken_for: person.id,
    decided_by: by.id,
    decided_at: write.at,
  });
  if (takenRow === undefined) throw new Refusal('already_decided');
  const terminal = { id: takenRow.terminal_id, name: takenRow.terminal_name };
  const { id: entry } = await recordOfflineStamp(write, person, { kind, stampedAt, terminal });
  await update(write, 'unresolved_stamps', { id }, { entry_id: entry });
  await markStampRead(write, id);
  if (before.person_id !== null && before.person_id !== person.id)
    await notifyOfRejection(write, before.person_id, before.date);
  await write.audit({
    companyId,
    action: 'offline_stamp.taken',
    subject: `person ${person.id}`,
    details: {
      stamp: id,
      entry,
      person: before.person_id ?? undefined,
      on_behalf_of: onBehalfOf,
    },
  });
  return { ...takenRow, entry_id: entry };
}

/** @throws Refusal `not_found`, `own_request`, `already_decided` of any of the stamps; then none is rejected */
export async function dismissUnresolvedStamps(
  write: Write,
  {
    ids,
    by,
    comment,
  }: { readonly ids: readonly UnresolvedStampId[]; readonly by: PersonRow; readonly comment: string },
): Promise<void> {
  const stamps: UnresolvedStampRow[] = [];
  for (const id of ids) stamps.push(await findDecidable(write, id, by));
  await write.lock({ people: stamps.flatMap(({ person_id: person }) => (person === null ? [] : [person])) });
  for (const { id, company_id: companyId, person_id: person, date } of stamps) {
    const rejectedRow = await decideWaitingStamp(write, id, {
      status: 'rejected',
      comment,
      decided_by: by.id,
      decided_at: write.at,
    });
    if (rejectedRow === undefined) throw new Refusal('already_decided');
    await markStampRead(write, id);
    if (person !== null) await notifyOfRejection(write, person, date);
    await write.audit({
      companyId,
      action: 'offline_stamp.rejected',
      subject: person === null ? `terminal ${rejectedRow.terminal_id}` : `person ${person}`,
      details: { stamp: id, person: person ?? undefined },
    });
  }
}

async function notifyOfRejection(write: Write, person: PersonId, day: LocalDate | null): Promise<void> {
  if (day === null) return;
  const outcome = { request: 'unresolved_stamp', outcome: 'rejected', from: day, to: day } as const;
  await notify(write, [person], { kind: 'request_decided', ...outcome });
}

/** @throws Refusal `not_found`, `own_request`, `already_decided` */
async function findDecidable(write: Write, id: UnresolvedStampId, by: PersonRow): Promise<UnresolvedStampRow> {
  const stamp = await findUnresolvedStampAnywhere(write, id);
  if (stamp === undefined) throw new Refusal('not_found');
  const person = await personOf(write, stamp);
  if (person !== undefined) await refuseToDecideRequest(write, by, person, write.at);
  else if (!isInApproverScope(grantsOf(await authorityOf(write, by, write.at)), { ...stamp, department_id: null }))
    throw new Refusal('not_found');
  if (stamp.status !== 'waiting') throw new Refusal('already_decided');
  return stamp;
}

async function personOf(reader: Reader, stamp: UnresolvedStampRow): Promise<PersonRow | undefined> {
  return stamp.person_id === null ? undefined : findPerson(reader, stamp.person_id, { company: stamp.company_id });
}
