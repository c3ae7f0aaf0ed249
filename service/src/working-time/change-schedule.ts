/**
 * Schedules of people and of companies change from a day on; closed months keep the schedule they were calculated with.
 */

import type { Reader } from '@clockproof/platform/database/database';
import { addDays, type LocalDate } from '@clockproof/platform/time/local-date';
import { keepValues } from '../people/personal-values.js';
import type { CompanyId, PersonId } from '../store/ids.js';
import { Refusal } from '../store/refusal.js';
import type { Write } from '../store/write.js';
import { refuseClosedSpan } from './closed-months.js';
import { deleteSchedule, findSchedule, listScheduleRows, type ScheduleRow, saveSchedule } from './rows.js';
import type { Week } from './schedule.js';

export interface NewSchedule {
  readonly companyId: CompanyId;
  /** Null for the company's schedule, which applies to people without their own. */
  readonly personId: PersonId | null;
  /** First day on which it applies; replaces a schedule that begins on the same day. */
  readonly validFrom: LocalDate;
  readonly week: Week;
}

/** @throws Refusal `month_closed` it would apply to a day of a closed month */
export async function addSchedule(
  write: Write,
  { companyId, personId, validFrom, week }: NewSchedule,
): Promise<ScheduleRow> {
  await lockDays(write, companyId, personId);
  await refuseClosedFrom(write, companyId, personId, validFrom);
  const row = await saveSchedule(write, { companyId, personId, validFrom, week });
  await write.audit({
    companyId,
    action: 'schedule.set',
    subject: subjectOf(companyId, personId),
    details: await detailsOf(write, personId, { valid_from: validFrom, week }),
  });
  return row;
}

export interface ScheduleRemoval {
  readonly companyId: CompanyId;
  readonly personId: PersonId | null;
  readonly id: number;
}

/**
 * The previous schedule, or the company's, applies instead. @returns the first day affected @throws Refusal
 * `not_found`, `month_closed`
 */
export async function removeSchedule(write: Write, { companyId, personId, id }: ScheduleRemoval): Promise<LocalDate> {
  await lockDays(write, companyId, personId);
  const row = await findSchedule(write, id, { company: companyId });
  if (row === undefined || row.person_id !== personId) throw new Refusal('not_found');
  await refuseClosedFrom(write, companyId, personId, row.valid_from);
  await deleteSchedule(write, id);
  await write.audit({
    companyId,
    action: 'schedule.removed',
    subject: subjectOf(companyId, personId),
    details: await detailsOf(write, personId, { valid_from: row.valid_from }),
  });
  return row.valid_from;
}

async function detailsOf<Values extends Readonly<Record<string, unknown>>>(
  write: Write,
  personId: PersonId | null,
  values: Values,
) {
  return personId === null ? values : keepValues(write, personId, values);
}

/** The days of absences are counted by the schedule: a company's concerns the absences of everyone. */
async function lockDays(write: Write, companyId: CompanyId, personId: PersonId | null): Promise<void> {
  await write.lock(personId === null ? { company: companyId, everyone: companyId } : { people: [personId] });
}

async function refuseClosedFrom(
  reader: Reader,
  companyId: CompanyId,
  personId: PersonId | null,
  validFrom: LocalDate,
): Promise<void> {
  const next = (await listScheduleRows(reader, companyId, personId)).find(
    (schedule) => schedule.valid_from > validFrom,
  );
  await refuseClosedSpan(
    reader,
    companyId,
    validFrom,
    next === undefined ? '9999-12-31' : addDays(next.valid_from, -1),
  );
}

function subjectOf(companyId: CompanyId, personId: PersonId | null): string {
  return personId === null ? `company ${companyId}` : `person ${personId}`;
}
