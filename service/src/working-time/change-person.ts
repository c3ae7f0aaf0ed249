/**
 * People as far as closed months are concerned: employment, tracking start and opening balance must not change closed
 * figures. Every change of a person's record comes through here.
 */

import type { Reader } from '@clockproof/platform/database/database';
import { calendar } from '@clockproof/platform/time/calendar';
import type { Instant } from '@clockproof/platform/time/instant';
import { addDays, type LocalDate, localDateAt } from '@clockproof/platform/time/local-date';
import type { ZoneName } from '@clockproof/platform/time/zone';
import {
  applyPersonChange,
  type NewPerson,
  type PersonAction,
  type PersonChange,
  recordPerson,
  savePersonChange,
} from '../people/people.js';
import { findPerson, type PersonRow } from '../people/rows.js';
import type { CompanyId } from '../store/ids.js';
import { invalidField, Refusal } from '../store/refusal.js';
import type { Write } from '../store/write.js';
import { firstOpenDay, refuseClosedSpan } from './closed-months.js';

const minDate = '0000-01-01';
const maxDate = '9999-12-31';

/** Adds a person, whose time is tracked from an open month on. @throws Refusal as `recordPerson` */
export async function addTrackedPerson(write: Write, person: NewPerson): Promise<number> {
  await write.lock({ installation: true, company: person.companyId });
  const openFrom = await firstOpenDay(write, person.companyId);
  return recordPerson(write, { ...person, openFrom });
}

/**
 * @param action the action of the change in the audit log
 * @throws Refusal `not_found`, `month_closed`, `value_taken`, `invalid_request`, `last_admin`
 */
export async function changePersonRecord(
  write: Write,
  id: number,
  companyId: CompanyId,
  change: PersonChange,
  action?: PersonAction,
): Promise<PersonRow> {
  // Addresses and numbers belong to one active person each, and one super admin is the last.
  const { email, personnel_number: number, active } = change;
  const affectsInstallation = [email, number, active].some((value) => value !== undefined);
  await write.lock({ ...(affectsInstallation ? { installation: true } : {}), people: [id] });
  const before = await findPerson(write, id, { company: companyId });
  if (before === undefined) throw new Refusal('not_found');
  if (change.tracking_start !== undefined) refuseFarTrackingStart(change.tracking_start, write.at, before.time_zone);
  await refuseClosedChange(write, before, applyPersonChange(before, change));
  return savePersonChange(write, before, change, action);
}

/** Years that a report of open months may have to walk through. */
const longestHistory = 10;

/** @throws Refusal `invalid_request` a typing error that would make every report of the company slow */
function refuseFarTrackingStart(trackingStart: LocalDate, at: Instant, timeZone: ZoneName): void {
  const year = Number(localDateAt(at, timeZone).slice(0, 4));
  const [first, last] = [`${year - longestHistory}-01-01`, `${year + 1}-12-31`];
  if (trackingStart < first || trackingStart < calendar.trackedFrom || trackingStart > last)
    throw invalidField('date', 'out_of_range', `The date lies between ${first} and ${last}.`);
}

async function refuseClosedChange(reader: Reader, before: PersonRow, after: PersonRow): Promise<void> {
  const span = (from: string, to: string) => refuseClosedSpan(reader, before.company_id, from, to);
  const [start, newStart] = [before.employment_start ?? minDate, after.employment_start ?? minDate];
  if (start !== newStart)
    await span(start < newStart ? start : newStart, addDays(start < newStart ? newStart : start, -1));
  const [end, newEnd] = [before.employment_end ?? maxDate, after.employment_end ?? maxDate];
  if (end !== newEnd) await span(addDays(end < newEnd ? end : newEnd, 1), end < newEnd ? newEnd : end);
  // An opening balance affects every later month.
  if (before.tracking_start !== after.tracking_start || before.opening_minutes !== after.opening_minutes)
    await span(before.tracking_start < after.tracking_start ? before.tracking_start : after.tracking_start, maxDate);
}
