/** People and their records for most tests; a test names only its own subject. */
import { requestDecision } from '../src/absences/record-transition.js';
import { addEntry } from '../src/clock/change-entry.js';
import { correctWithNotice } from '../src/clock/corrections.js';
import type { EntryTimes } from '../src/clock/entry-times.js';
import type { EntryRow, NewEntryRow } from '../src/clock/rows.js';
import { type AddedExtension, type NewExtension, recordExtension } from '../src/extensions/extensions.js';
import { scopes } from '../src/generated/contract.js';
import type { components } from '../src/generated/service-types.js';
import { type NewPerson, recordPerson } from '../src/people/people.js';
import { findPerson } from '../src/people/rows.js';
import { closeCompanyMonth, type MonthStep, reopenCompanyMonth } from '../src/proofs/close-month.js';
import { allCompanies } from '../src/store/every-company.js';
import type { PersonId } from '../src/store/ids.js';
import type { Write } from '../src/store/write.js';
import { insertClosedMonth } from '../src/working-time/closed-month-rows.js';
import type { World } from './world.js';
import { berlin } from './zones.js';

export type Newcomer = Partial<NewPerson>;

/** Adds an employee who reads English. The default name is Newt. */
export function hire(write: Write, person: Pick<NewPerson, 'companyId'> & Newcomer): Promise<PersonId> {
  return recordPerson(write, { firstName: 'Newt', lastName: 'Test', role: 'employee', language: 'en', ...person });
}

type Entry<Given extends keyof NewEntryRow> = Pick<NewEntryRow, Given> & Partial<NewEntryRow>;

/** Adds an entry without breaks, of the day on which it starts in UTC. The caller audits. */
export function recordEntry(
  write: Write,
  entry: Entry<'company_id' | 'person_id' | 'start_at' | 'end_at'>,
): Promise<EntryRow> {
  return addEntry(write, {
    date: new Date(entry.start_at).toISOString().slice(0, 10),
    breaks: '[]',
    status: entry.end_at === null ? 'clock_out_missing' : 'recorded',
    source_kind: 'web',
    source_id: null,
    source_name: null,
    proof: null,
    comment: null,
    created_at: entry.start_at,
    updated_at: entry.start_at,
    ...entry,
  });
}

/** As {@link recordEntry} with its audit record, in Nord; a pending entry waits for a decision. */
export function recordWork(world: World, work: Entry<'person_id' | 'start_at' | 'end_at'>): Promise<EntryRow> {
  return world.write(async (write) => {
    const entry = await recordEntry(write, { company_id: world.nord, ...work });
    const { id, company_id: companyId, person_id: personId, date } = entry;
    await write.audit({ companyId, action: 'clock.in', details: { entry: id } });
    if (entry.status === 'pending')
      await requestDecision(write, (await findPerson(write, personId, allCompanies))!, {
        kind: 'offline_stamp',
        subjectId: id,
        companyId,
        personId,
        from: date,
        to: date,
        at: write.at,
      });
    return entry;
  });
}

/** A stamp of a terminal without a connection: it waits for approval. */
export const offlineStamp = {
  status: 'pending',
  source_kind: 'offline',
  source_id: 'trm_1',
  source_name: 'Gate',
  proof: 'none',
} as const satisfies Partial<NewEntryRow>;

/**
 * Stamps for Ada, or for the person named, by an app that acts for everyone in their company. A refusal is an error.
 */
export async function sendStamp(
  world: World,
  verb: string,
  user_id = world.people.ada,
  { key }: { readonly key: string } = user_id === world.people.zoe ? world.souther : world.planner,
): Promise<components['schemas']['ClockResult']> {
  const { status, body } = await world.call('POST', `/api/v1/clock/${verb}`, { key, body: { user_id } });
  if (status !== 200) throw new Error(`clock/${verb}: ${status} ${JSON.stringify(body)}`);
  return body as never;
}

type AbsenceRequest = components['schemas']['AbsenceRequest'];

/** Requests a day of vacation for Ada by a company key; with a start alone, of that day. A refusal is an error. */
export async function sendAbsence(
  world: World,
  { start_date = '2026-12-01', end_date = start_date, ...more }: Partial<AbsenceRequest> = {},
  { key }: { readonly key: string } = world.planner,
): Promise<components['schemas']['Leave']> {
  const body = { user_id: world.people.ada, type: 'vacation', start_date, end_date, ...more };
  const answer = await world.call('POST', '/api/v1/absences', { key, body });
  if (answer.status !== 201) throw new Error(`absences: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body as never;
}

interface Correction extends Omit<EntryTimes, 'breaks'>, Partial<Pick<EntryTimes, 'breaks'>> {
  readonly person: PersonId;
  readonly by: PersonId;
  /** The corrected entry; without it the correction adds one. */
  readonly entryId?: number | undefined;
}

/** Another person corrects the time of a person, who gets a notice. */
export function correctTime(world: World, { person, by, entryId, ...times }: Correction): Promise<unknown> {
  return world.write(async (write) =>
    correctWithNotice(write, {
      person: (await findPerson(write, person, allCompanies))!,
      by: (await findPerson(write, by, allCompanies))!,
      draft: { entryId, times: { breaks: [], ...times } },
      reason: 'Forgot',
    }),
  );
}

/** Closes November 2026 in Nord, unless another month or company is given. */
export function closeMonth(world: World, step: Partial<MonthStep> = {}): Promise<void> {
  return world.write((write) => closeCompanyMonth(write, { companyId: world.nord, month: '2026-11', ...step }));
}

/** Re-opens November 2026 in Nord, unless another month or company is given. */
export function reopenMonth(world: World, step: Partial<Parameters<typeof reopenCompanyMonth>[1]> = {}): Promise<void> {
  return world.write((write) =>
    reopenCompanyMonth(write, { companyId: world.nord, month: '2026-11', reason: 'Ben forgot a day', ...step }),
  );
}

/** Notes that Nord has closed a month, although requests wait or the month is not over. Stores nothing else of it. */
export function markMonthClosed({ db, nord }: World, month: string): Promise<void> {
  return db.write((tx) =>
    insertClosedMonth(tx, {
      company_id: nord,
      month,
      closed_at: 1,
      closed_by: null,
      company_name: '',
      time_zone: berlin,
      payroll: '{}',
    }),
  );
}

/**
 * Adds an extension with every right, which acts for those who linked it; it calls the API unless another mode is
 * given.
 */
export function installExtension(
  world: World,
  extension: Pick<NewExtension, 'name'> & Partial<NewExtension>,
): Promise<AddedExtension> {
  return world.write((write) =>
    recordExtension(write, { mode: 'api', acting: 'personal_link', scopes, ...extension }, world.randomBytes),
  );
}
