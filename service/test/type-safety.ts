/**
 * Lines that must not compile. Nothing runs here: the compiler refuses a line that is marked as an error and is none.
 */
import type { Instant } from '@clockproof/platform/time/instant';
import { type LocalDate, localDateAt, startOfDay, wallClockSpans } from '@clockproof/platform/time/local-date';
import { displayZone, readZone, utc, type ZoneName } from '@clockproof/platform/time/zone';
import { lockClock } from '../src/clock/rows.js';
import type { components as clientComponents } from '../src/generated/service-client-types.js';
import type { components } from '../src/generated/service-types.js';
import { findPerson, type PersonRow } from '../src/people/rows.js';
import { allCompanies } from '../src/store/every-company.js';
import type { CompanyId, ExtensionId, PersonId, TerminalId } from '../src/store/ids.js';
import { insert, insertReturning, type Transaction, update, upsert } from '../src/store/tables.js';
import type { Write } from '../src/store/write.js';
import { setPin } from '../src/terminals/badges/pin.js';
import { openIssuingWindow } from '../src/terminals/rows.js';
import { boundsOf } from '../src/working-time/clock-bands.js';

declare const person: PersonId;
declare const company: CompanyId;
declare const extension: ExtensionId;
declare const terminal: TerminalId;
declare const at: Instant;
declare const date: LocalDate;
declare const zone: ZoneName;
declare const personRow: PersonRow;
declare const tx: Transaction;
declare const write: Write;
declare const leave: components['schemas']['Leave'];
declare const removedLeave: components['schemas']['RemovedLeave'];
declare const clockRecord: components['schemas']['ClockRecord'];
declare function lock(person: PersonId, company: CompanyId, at: Instant): void;
declare function revoke(extension: ExtensionId, terminal: TerminalId, date: LocalDate): void;

export function ids(): void {
  lock(person, company, at);
  lock(1, 2, 3);
  // @ts-expect-error swapped ids
  lock(company, person, at);
  // @ts-expect-error an instant for an id
  lock(at, company, at);
  // @ts-expect-error an id for an instant
  lock(person, company, person);
  revoke(extension, terminal, date);
  revoke('ext_1', 'ter_1', '2026-11-22');
  // @ts-expect-error swapped ids
  revoke(terminal, extension, date);
  // @ts-expect-error an id for a date
  revoke(extension, terminal, extension);
}

export async function verbs(): Promise<void> {
  await setPin(write, person, company, 'hash');
  // @ts-expect-error swapped ids
  await setPin(write, company, person, 'hash');
  // @ts-expect-error swapped ids
  await lockClock(write, company);
  // @ts-expect-error an instant for an id
  await openIssuingWindow(tx, terminal, at, at);
  // @ts-expect-error an id for an instant
  await openIssuingWindow(tx, terminal, person, person);
  // @ts-expect-error a company is no person
  await findPerson(tx, company, allCompanies);
  // @ts-expect-error a person is no company
  await findPerson(tx, person, { company: person });
}

export async function rows(): Promise<void> {
  await insert(tx, 'departments', { company_id: company, name: 'Office' });
  // @ts-expect-error a person is no company
  await insert(tx, 'departments', { company_id: person, name: 'Office' });
  // @ts-expect-error a column without default is missing
  await insert(tx, 'departments', { name: 'Office' });
  // @ts-expect-error no such column
  await insert(tx, 'departments', { company_id: company, name: 'Office', floor: 3 });
  const widerRow = { company_id: company, name: 'Office', floor: 3 };
  // @ts-expect-error no such column, in a row from elsewhere
  await insert(tx, 'departments', widerRow);
  // @ts-expect-error no such table
  await insert(tx, 'rooms', { company_id: company });
  // @ts-expect-error not null
  await insert(tx, 'departments', { company_id: company, name: null });
  const department = await insertReturning(tx, 'departments', { company_id: company, name: 'Office' });
  // @ts-expect-error a department is no person
  lock(department.id, company, at);

  await update(write, 'people', { id: person }, { active: 0, department_id: null });
  // @ts-expect-error a switch is 0 or 1
  await update(write, 'people', { id: person }, { active: 2 });
  // @ts-expect-error a company is no person
  await update(write, 'people', { id: company }, { active: 0 });
  // @ts-expect-error no such column
  await update(write, 'people', { id: person }, { company_name: 'Old' });
  // @ts-expect-error NULL finds nothing
  await update(write, 'people', { department_id: null }, { active: 0 });
  // @ts-expect-error the store sets the place
  await update(write, 'people', { id: person }, { changed: 7 });
  // @ts-expect-error upkeep writes no row that readers follow
  await update(tx, 'people', { id: person }, { active: 0 });
  // @ts-expect-error nor a record
  await insert(tx, 'month_steps', {
    company_id: company,
    month: '2026-10',
    step: 'closed',
    at,
    person_id: null,
    reason: null,
  });
  await upsert(tx, 'pins', ['person_id'], { person_id: person, hash: 'h', updated_at: at });
  // @ts-expect-error the key is a column of the row
  await upsert(tx, 'pins', ['company_id'], { person_id: person, hash: 'h', updated_at: at });
}

export async function events(): Promise<void> {
  const references = { companyId: company, personId: person };
  await write.event({ ...references, type: 'leave.approved', data: leave });
  await write.event({ ...references, type: 'leave.changed', data: leave, changed: ['days'] });
  await write.event({ ...references, type: 'clock.in', data: clockRecord });
  // @ts-expect-error no such type
  await write.event({ ...references, type: 'leave.lost', data: leave });
  // @ts-expect-error the record of another event
  await write.event({ ...references, type: 'clock.in', data: leave });
  // @ts-expect-error a clock state without the entry
  await write.event({ ...references, type: 'clock.in', data: { clock_state: clockRecord.clock_state } });
  // @ts-expect-error the rest of a removed absence
  await write.event({ ...references, type: 'leave.approved', data: removedLeave });
  // @ts-expect-error a change without the changed members
  await write.event({ ...references, type: 'leave.changed', data: leave });
  // @ts-expect-error only a change names changed members
  await write.event({ ...references, type: 'leave.approved', data: leave, changed: ['days'] });
  // @ts-expect-error the contract has no such member
  await write.event({ ...references, type: 'leave.removed', data: { ...removedLeave, comment: 'gone' } });
}

export function zones(): void {
  localDateAt(at, personRow.time_zone);
  localDateAt(at, utc);
  startOfDay(date, readZone('Europe/Berlin') ?? zone);
  // @ts-expect-error no zone
  localDateAt(at);
  // @ts-expect-error no zone
  startOfDay(date);
  // @ts-expect-error no zone
  wallClockSpans(date, 480, 540);
  // @ts-expect-error a text that may be no zone
  localDateAt(at, 'Europe/Berlin');
  // @ts-expect-error a text that may be no zone
  startOfDay(date, 'UTC');
  // @ts-expect-error a text that may be no zone
  wallClockSpans(date, 480, 540, 'Europe/Berlin');
  // @ts-expect-error read, but not checked
  localDateAt(at, readZone('Europe/Berlin'));
  // @ts-expect-error the clock that a person reads decides no date
  localDateAt(at, personRow.own_time_zone ?? personRow.time_zone);
  // @ts-expect-error the clock that a person reads decides no date
  boundsOf(date, displayZone(zone));
  // @ts-expect-error a date has no zone of its own
  localDateAt(at, date);
}

export async function storedZones(): Promise<void> {
  await update(write, 'companies', { id: company }, { time_zone: zone });
  // @ts-expect-error a text that may be no zone
  await update(write, 'companies', { id: company }, { time_zone: 'Europe/Berlin' });
  await update(write, 'people', { id: person }, { own_time_zone: displayZone(zone) });
  // @ts-expect-error a text that may be no zone
  await update(write, 'people', { id: person }, { own_time_zone: 'Europe/Lisbon' });
}

export async function auditDetails(): Promise<void> {
  await write.audit({ action: 'month.reopened', details: { reason: 'Forgotten shift' } });
  // @ts-expect-error details that are missing
  await write.audit({ action: 'month.reopened' });
  // @ts-expect-error details without their members
  await write.audit({ action: 'payroll_settings.set', details: {} });
  // @ts-expect-error details of another action
  await write.audit({ action: 'month.reopened', details: { reason: 'Forgotten shift', person } });
}

type Client = clientComponents['schemas'];

/** A client made by openapi-typescript: a page may hold types that the document does not know. */
export function readEvents(page: Client['EventList']): number[] {
  return page.data.flatMap((event) => {
    // @ts-expect-error it may be an event of a later version
    void event.data.clock_state.user_id;
    if (!isKnown(event)) return [];
    switch (event.type) {
      case 'clock.in':
        return [event.data.time_entry.user_id];
      case 'leave.changed':
        return [event.data.user_id, event.changed.length];
      default:
        return [];
    }
  });
}

function isKnown(event: Client['Event']): event is Client['KnownEvent'] {
  return event.type === 'clock.in' || event.type === 'leave.changed';
}

export const later: Client['Event'] = {
  id: 'evt_1',
  type: 'shift.published',
  timestamp: '2026-11-23T08:16:00Z',
  sequence: 1,
  epoch: '0a1b2c3d',
  data: { id: 7 },
};

/** Values that this version does not know compile in a client, and not in the service. */
export const laterSource: Client['Source'] = { kind: 'kiosk' };
export const laterProof: Client['Stamp'] = { action: 'in', at: '2026-11-23T08:16:00Z', proof: 'passkey' };
export const laterAuthor: Client['LeaveAuthor'] = { kind: 'roster', name: 'Schichtplan' };
// @ts-expect-error no source of this version
export const unknownSource: components['schemas']['Source'] = { kind: 'kiosk' };
// @ts-expect-error no proof of this version
export const unknownProof: components['schemas']['Stamp'] = { action: 'in', at: '', proof: 'passkey' };
// @ts-expect-error closed values stay closed
export const unknownAction: Client['Stamp'] = { action: 'lunch', at: '' };
