/**
 * Corrections of recorded time: a person asks and an approver decides, or an approver corrects at once. Nothing is
 * lost: the entry keeps every version, the correction records the requester, the change and the reason. The rules of
 * stamping hold here too: closed months, employment, no two entries at one time.
 */

import type { Reader } from '@clockproof/platform/database/database';
import { calendar } from '@clockproof/platform/time/calendar';
import type { Instant } from '@clockproof/platform/time/instant';
import { type LocalDate, localDateAt } from '@clockproof/platform/time/local-date';
import { refuseToDecideRequest } from '../absences/deciders/authority.js';
import { openRequest } from '../absences/deciders/open-request.js';
import { requestDecision } from '../absences/record-transition.js';
import { resolveRequest } from '../inbox/approvals.js';
import { refuseOutsideEmployment } from '../people/employment.js';
import type { PersonRow } from '../people/rows.js';
import { allCompanies } from '../store/every-company.js';
import type { EntryId, PersonId } from '../store/ids.js';
import { invalidField, Refusal } from '../store/refusal.js';
import type { Write } from '../store/write.js';
import { refuseClosedMonth } from '../working-time/closed-months.js';
import { addEntry, changeEntry } from './change-entry.js';
import { notifyOfCorrection } from './correction-notice.js';
import {
  type CorrectionRow,
  findCorrection,
  insertCorrection,
  listWaitingCorrectionsOf,
  resolveCorrection,
} from './correction-rows.js';
import { type EntryTimes, validateEntryTimes } from './entry-times.js';
import {
  type ClockRow,
  type EntryRow,
  findEntry,
  lastEnd,
  lockClock,
  saveClock,
  saveLastEnd,
  workWithin,
} from './rows.js';
import { breakRulesOn, correctStamps, presentClock, presentEntry, readBreaks, writeBreaks } from './time-entry.js';
import { presentVersionOf, recordVersion, strikeOutCovered } from './versions.js';

/** The entry as it should have been. */
export type EntryDraft =
  /** A new entry (`entryId` undefined), or new times of an existing one. */
  | { readonly entryId?: EntryId | undefined; readonly times: EntryTimes }
  /** The entry is struck out. */
  | { readonly entryId: EntryId; readonly remove: true };

export interface CorrectionRequest {
  /** The person whose time is corrected. */
  readonly person: PersonRow;
  /** The person who requests or makes the correction. */
  readonly by: PersonRow;
  readonly draft: EntryDraft;
  readonly reason: string;
}

/**
 * A person asks for a correction of their own time. Nothing changes until an approver agrees.
 * @throws Refusal `invalid_request`, `not_found`, `month_closed`, `employment_ended`, `entry_overlap`
 */
export async function submitCorrection(
  write: Write,
  { person, by, draft, reason }: CorrectionRequest,
): Promise<CorrectionRow> {
  const { at } = write;
  await write.lock({ people: [person.id] });
  const { entry, dates } = await validateDraft(write, person, draft, at);
  const correction = await insertCorrection(write, {
    ...rowOf(person, draft),
    entry_version: entry === undefined ? null : await presentVersionOf(write, entry.id),
    reason,
    status: 'waiting',
    requested_by: by.id,
    requested_at: at,
    decided_by: null,
    decided_at: null,
    decision_reason: null,
  });
  await requestDecision(write, person, {
    kind: 'correction',
    subjectId: correction.id,
    companyId: person.company_id,
    personId: person.id,
    from: dates[0]!,
    to: dates.at(-1)!,
    at,
  });
  await write.audit({
    companyId: person.company_id,
    action: 'correction.requested',
    subject: `person ${person.id}`,
    details: { correction: correction.id, entry: entry?.id },
  });
  return correction;
}

/**
 * Somebody who decides the person's requests corrects their time at once. The person gets a notice. Requests about the
 * entry that still wait are rejected with the same reason: they were made about an earlier version.
 * @throws Refusal `own_request`, `not_found`, `invalid_request`, `month_closed`, `employment_ended`, `entry_overlap`
 */
export async function correctWithNotice(write: Write, request: CorrectionRequest): Promise<CorrectionRow> {
  const { correction, dates } = await correctWithoutNotice(write, request);
  await notifyOfCorrection(write, request.person, { ...request, dates });
  return correction;
}

/** For several corrections of one person that are followed by one notice. @throws Refusal as {@link correctWithNotice} */
export async function correctWithoutNotice(
  write: Write,
  { person, by, draft, reason }: CorrectionRequest,
): Promise<{ readonly correction: CorrectionRow; readonly dates: readonly LocalDate[] }> {
  const { at } = write;
  const onBehalfOf = await refuseToDecideRequest(write, by, person, at);
  const { entry, replacedVersion, dates } = await apply(write, person, draft, { by, onBehalfOf, reason });
  for (const waitingCorrection of await listWaitingCorrectionsOf(write, entry.id))
    await resolve(write, waitingCorrection, person, { by, onBehalfOf, decision: 'rejected', comment: reason });
  const correction = await insertCorrection(write, {
    ...rowOf(person, draft),
    entry_id: entry.id,
    entry_version: replacedVersion,
    reason,
    status: 'approved',
    requested_by: by.id,
    requested_at: at,
    decided_by: by.id,
    decided_at: at,
    decision_reason: null,
  });
  return { correction, dates };
}

export interface CorrectionDecision {
  readonly id: number;
  readonly by: PersonRow;
  readonly decision: 'approved' | 'rejected';
  readonly comment?: string | undefined;
}

/**
 * An approver decides about a request. Approving is a write like any other and refused in a closed month; rejecting
 * changes nothing and is always possible.
 * @throws Refusal `not_found`, `own_request`, `already_decided`, `entry_changed`, `month_closed`, `employment_ended`,
 * `entry_overlap`
 */
export async function decideCorrection(
  write: Write,
  { id, by, decision, comment }: CorrectionDecision,
): Promise<CorrectionRow> {
  const {
    request: correction,
    person,
    onBehalfOf,
  } = await openRequest(
    write,
    by,
    () => findCorrection(write, id, allCompanies),
    ({ status }) => status === 'waiting',
  );
  if (decision === 'approved') await refuseOfEarlierVersion(write, correction);
  const change = { by, onBehalfOf, reason: correction.reason };
  const appliedChange = decision === 'approved' ? await apply(write, person, draftOf(correction), change) : undefined;
  return resolve(write, correction, person, { by, onBehalfOf, decision, comment, appliedChange });
}

/** A request that was made before the entry was changed must not undo that change. @throws Refusal `entry_changed` */
async function refuseOfEarlierVersion(
  reader: Reader,
  { entry_id: entryId, entry_version: version }: CorrectionRow,
): Promise<void> {
  if (entryId !== null && version !== (await presentVersionOf(reader, entryId))) throw new Refusal('entry_changed');
}

/** Stores a decision and notifies the person. */
async function resolve(
  write: Write,
  correction: CorrectionRow,
  person: PersonRow,
  {
    by,
    onBehalfOf,
    decision,
    comment,
    appliedChange,
  }: Omit<CorrectionDecision, 'id'> & {
    readonly onBehalfOf: PersonId | undefined;
    /** The changes made by an approval. */
    readonly appliedChange?: Awaited<ReturnType<typeof apply>> | undefined;
  },
): Promise<CorrectionRow> {
  const { at } = write;
  const { id } = correction;
  const entryId = appliedChange === undefined ? correction.entry_id : appliedChange.entry.id;
  const resolvedRow = await resolveCorrection(write, {
    id,
    status: decision,
    entry_id: entryId,
    entry_version: appliedChange === undefined ? correction.entry_version : appliedChange.replacedVersion,
    decided_by: by.id,
    decided_at: at,
    decision_reason: comment ?? null,
  });
  if (resolvedRow === undefined) throw new Refusal('already_decided');
  await resolveRequest(write, {
    kind: 'correction',
    subjectId: id,
    outcome: decision,
    by: by.id,
    onBehalfOf,
    comment,
    at,
  });
  await write.audit({
    companyId: person.company_id,
    action: `correction.${decision}`,
    subject: `person ${person.id}`,
    details: {
      correction: id,
      entry: entryId ?? undefined,
      on_behalf_of: onBehalfOf,
    },
  });
  return resolvedRow;
}

/** The person takes a request back. @throws Refusal `not_found`, `already_decided` */
export async function retractCorrection(
  write: Write,
  { id, by }: { readonly id: number; readonly by: PersonRow },
): Promise<CorrectionRow> {
  const { at } = write;
  // Like deciding: of two concurrent calls, the second finds it resolved.
  await write.lock({ people: [by.id] });
  const correction = await findCorrection(write, id, { company: by.company_id, person: by.id });
  if (correction === undefined) throw new Refusal('not_found');
  const resolvedRow = await resolveCorrection(write, {
    id,
    status: 'withdrawn',
    entry_id: correction.entry_id,
    entry_version: correction.entry_version,
    decided_by: null,
    decided_at: at,
    decision_reason: null,
  });
  if (resolvedRow === undefined) throw new Refusal('already_decided');
  await resolveRequest(write, { kind: 'correction', subjectId: id, outcome: 'withdrawn', at });
  await write.audit({
    companyId: by.company_id,
    action: 'correction.withdrawn',
    subject: `person ${by.id}`,
    details: { correction: id },
  });
  return resolvedRow;
}

interface Change {
  readonly by: PersonRow;
  /** The approver in whose place the change is made. */
  readonly onBehalfOf: PersonId | undefined;
  readonly reason: string;
}

/** Carries a correction out: entry, version, clock state if it was the open entry, audit entry. */
async function apply(
  write: Write,
  person: PersonRow,
  draft: EntryDraft,
  { by, onBehalfOf, reason }: Change,
): Promise<{
  readonly entry: EntryRow;
  /** Its version before; null if it was added. */
  readonly replacedVersion: number | null;
  readonly dates: readonly LocalDate[];
}> {
  const { at } = write;
  // The same lock as a stamp's: a stamp of this person and a correction run one after the other.
  const clock = await lockClock(write, person.id);
  const { entry: before, date, dates } = await validateDraft(write, person, draft, at);
  const replacedVersion = before === undefined ? null : await presentVersionOf(write, before.id);
  let after: EntryRow;
  if ('remove' in draft) {
    // An open entry has no end yet; struck out, it ends at the last time that it is known to go on.
    const times = {
      start_at: before!.start_at,
      end_at: before!.end_at ?? lastKnown(before!),
      breaks: writeBreaks(
        readBreaks(before!.breaks).map((interval) => ({ start: interval.start, end: interval.end ?? interval.start })),
      ),
    };
    after = await changeEntry(write, {
      ...before!,
      ...times,
      stamps: correctStamps(before, times),
      status: 'rejected',
      updated_at: at,
    });
  } else {
    const draftTimes = {
      start_at: draft.times.start,
      end_at: draft.times.end,
      breaks: writeBreaks(draft.times.breaks),
    };
    const times = {
      date,
      ...draftTimes,
      stamps: correctStamps(before, draftTimes),
      status: 'approved',
      break_rules: before?.date === date ? before.break_rules : breakRulesOn(person, date),
      updated_at: at,
    } as const;
    after =
      before === undefined
        ? await addEntry(write, {
            company_id: person.company_id,
            person_id: person.id,
            ...times,
            source_kind: 'web',
            source_id: null,
            source_name: null,
            proof: null,
            comment: null,
            created_at: at,
          })
        : await changeEntry(write, { id: before.id, ...times });
  }
  const change = 'remove' in draft ? 'struck_out' : 'corrected';
  await recordVersion(write, { before, after, change, by: by.id, reason, at });
  if (change === 'corrected') await strikeOutCovered(write, after, { by: by.id, reason });
  if (before?.status === 'open') {
    await endClock(write, clock, after);
  } else if (clock.state === 'out') {
    await saveLastEnd(write, person.id);
  }
  await write.audit({
    companyId: person.company_id,
    action: `entry.${change}`,
    subject: `person ${person.id}`,
    details: { entry: after.id, on_behalf_of: onBehalfOf },
  });
  return { entry: after, replacedVersion, dates };
}

/** Correcting the open entry ends it: the person is out from now on, and apps that follow the clock get an event. */
export async function endClock(write: Write, clock: ClockRow, entry: EntryRow): Promise<void> {
  const { at } = write;
  const nextClock: ClockRow = {
    ...clock,
    state: 'out',
    since: await lastEnd(write, entry.person_id),
    break_since: null,
    source_kind: 'web',
    source_id: null,
    source_name: null,
    updated_at: at,
  };
  await saveClock(write, nextClock);
  await write.event({
    type: 'clock.out',
    companyId: entry.company_id,
    personId: entry.person_id,
    data: { clock_state: presentClock(nextClock), time_entry: presentEntry(entry) },
  });
}

/**
 * Whether a draft can be granted now. Checked when it is made and again when it is granted.
 * @returns the entry it is about, the day it would be on, and the days it touches, in order
 */
export async function validateDraft(
  reader: Reader,
  person: PersonRow,
  draft: EntryDraft,
  at: Instant,
): Promise<{ readonly entry: EntryRow | undefined; readonly date: LocalDate; readonly dates: readonly LocalDate[] }> {
  if ('times' in draft) validateEntryTimes(draft.times, at);
  const entry =
    draft.entryId === undefined ? undefined : await findEntry(reader, draft.entryId, { company: person.company_id });
  // A pending entry is decided as it is. A rejected or struck-out entry needs a new request.
  if (
    draft.entryId !== undefined &&
    (entry?.person_id !== person.id || entry.status === 'pending' || entry.status === 'rejected')
  )
    throw new Refusal('not_found');
  const date = 'times' in draft ? localDateAt(draft.times.start, person.time_zone) : entry!.date;
  if (date < calendar.trackedFrom) throw invalidField('start', 'out_of_range', 'Working time is tracked from 2000 on.');
  const dates = [...new Set([date, ...(entry === undefined ? [] : [entry.date])])].sort();
  for (const affectedDate of dates) {
    // An entry stamped by mistake can be struck out, and an entry without an end can be ended on its day.
    const mayLieOutsideEmployment = 'remove' in draft || (entry?.end_at === null && affectedDate === entry.date);
    if (!mayLieOutsideEmployment) refuseOutsideEmployment(person, affectedDate);
    await refuseClosedMonth(reader, person.company_id, affectedDate);
  }
  if (
    'times' in draft &&
    (await workWithin(reader, {
      personId: person.id,
      start: draft.times.start,
      end: draft.times.end,
      except: entry?.id ?? null,
    }))
  )
    throw new Refusal('entry_overlap');
  return { entry, date, dates };
}

/** The last recorded instant of an open entry. */
export function lastKnown(entry: EntryRow): Instant {
  const last = readBreaks(entry.breaks).at(-1);
  return last?.end ?? last?.start ?? entry.start_at;
}

function rowOf(
  person: PersonRow,
  draft: EntryDraft,
): Pick<CorrectionRow, 'company_id' | 'person_id' | 'entry_id' | 'remove' | 'start_at' | 'end_at' | 'breaks'> {
  const keyColumns = { company_id: person.company_id, person_id: person.id, entry_id: draft.entryId ?? null };
  return 'remove' in draft
    ? { ...keyColumns, remove: 1, start_at: null, end_at: null, breaks: null }
    : {
        ...keyColumns,
        remove: 0,
        start_at: draft.times.start,
        end_at: draft.times.end,
        breaks: writeBreaks(draft.times.breaks),
      };
}

function draftOf(row: CorrectionRow): EntryDraft {
  if (row.remove === 1) return { entryId: row.entry_id!, remove: true };
  const breaks = readBreaks(row.breaks!).map((interval) => ({ start: interval.start, end: interval.end! }));
  return { entryId: row.entry_id ?? undefined, times: { start: row.start_at!, end: row.end_at!, breaks } };
}
