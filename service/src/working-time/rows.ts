import type { Reader } from '@clockproof/platform/database/database';
import type { LocalDate } from '@clockproof/platform/time/local-date';
import type { Tables } from '../generated/tables.js';
import type { CompanyRow, PersonRow } from '../people/rows.js';
import type { CompanyHolidayId, CompanyId, PersonId, ScheduleId, SpecialRuleId } from '../store/ids.js';
import { type CompanyScope, within } from '../store/scope.js';
import { insertReturning, remove, removeWhere, update, type Writing } from '../store/tables.js';
import { type HolidayPlace, type Holidays, holidaysIn } from './holidays.js';
import type { Schedule, Schedules, Week } from './schedule.js';
import {
  type Circumstances,
  type CompanyFacts,
  type Confidentiality,
  circumstancesFor,
  circumstancesOf,
} from './special-rules.js';

export type ScheduleRow = Tables['schedules'];

/** The schedules relevant for one person. */
export async function readSchedules(
  reader: Reader,
  person: { readonly id: number; readonly company_id: CompanyId },
): Promise<Schedules> {
  const rows = await reader.all<ScheduleRow>(
    'SELECT * FROM schedules WHERE company_id = :companyId AND (person_id = :personId OR person_id IS NULL) ORDER BY valid_from',
    { companyId: person.company_id, personId: person.id },
  );
  return split(rows).of(person.id);
}

/** The schedules of everyone in a company, read in one query. */
export async function readCompanySchedules(
  reader: Reader,
  companyId: CompanyId,
): Promise<{ of(personId: PersonId): Schedules }> {
  return split(
    await reader.all<ScheduleRow>('SELECT * FROM schedules WHERE company_id = :companyId ORDER BY valid_from', {
      companyId,
    }),
  );
}

function split(rows: readonly ScheduleRow[]): { of(personId: PersonId): Schedules } {
  const lists = new Map<number | null, Schedule[]>();
  for (const row of rows) {
    const list = lists.get(row.person_id) ?? [];
    list.push({ validFrom: row.valid_from, week: JSON.parse(row.week) as Week });
    lists.set(row.person_id, list);
  }
  return { of: (personId) => ({ personSchedules: lists.get(personId) ?? [], company: lists.get(null) ?? [] }) };
}

/** Rows of one person, or those of the company if `personId` is null, by `valid_from`. */
export function listScheduleRows(
  reader: Reader,
  companyId: CompanyId,
  personId: PersonId | null,
): Promise<ScheduleRow[]> {
  return reader.all<ScheduleRow>(
    `SELECT * FROM schedules WHERE company_id = :companyId AND person_id ${personId === null ? 'IS NULL' : '= :personId'} ORDER BY valid_from`,
    { companyId, personId },
  );
}

/** Replaces the schedule that begins on the same day. */
export async function saveSchedule(
  tx: Writing,
  row: {
    readonly companyId: CompanyId;
    readonly personId: PersonId | null;
    readonly validFrom: LocalDate;
    readonly week: Week;
  },
): Promise<ScheduleRow> {
  await removeWhere(
    tx,
    'schedules',
    `company_id = :companyId AND person_id ${row.personId === null ? 'IS NULL' : '= :personId'} AND valid_from = :validFrom`,
    { companyId: row.companyId, personId: row.personId, validFrom: row.validFrom },
  );
  return insertReturning(tx, 'schedules', {
    company_id: row.companyId,
    person_id: row.personId,
    valid_from: row.validFrom,
    week: JSON.stringify(row.week),
  });
}

export function findSchedule(reader: Reader, id: ScheduleId, scope: CompanyScope): Promise<ScheduleRow | undefined> {
  const { sql, parameters } = within(scope, { company: 'company_id' });
  return reader.get<ScheduleRow>(`SELECT * FROM schedules WHERE id = :id ${sql}`, { id, ...parameters });
}

export async function deleteSchedule(tx: Writing, id: ScheduleId): Promise<void> {
  await remove(tx, 'schedules', { id });
}

export type CompanyHolidayRow = Tables['company_holidays'];

/** A company's additions to the public holidays, and its changes of them. */
export function listCompanyHolidays(reader: Reader, companyId: CompanyId): Promise<CompanyHolidayRow[]> {
  return reader.all<CompanyHolidayRow>(
    'SELECT * FROM company_holidays WHERE company_id = :companyId ORDER BY date, yearly',
    { companyId },
  );
}

/** The holidays of a company: those of its place, and its own. */
export async function readHolidays(
  reader: Reader,
  { id, country, region, local_holidays }: HolidayPlace & { readonly id: CompanyId },
): Promise<Holidays> {
  return holidaysIn(country, region, local_holidays, await listCompanyHolidays(reader, id));
}

export function insertCompanyHoliday(tx: Writing, row: Omit<CompanyHolidayRow, 'id'>): Promise<CompanyHolidayRow> {
  return insertReturning(tx, 'company_holidays', row);
}

export async function updateCompanyHoliday(tx: Writing, { id, ...row }: CompanyHolidayRow): Promise<void> {
  await update(tx, 'company_holidays', { id }, row);
}

export async function deleteCompanyHoliday(tx: Writing, id: CompanyHolidayId): Promise<void> {
  await remove(tx, 'company_holidays', { id });
}

export type SpecialRuleRow = Tables['special_rules'];

export function listSpecialRuleRows(reader: Reader, personId: PersonId): Promise<SpecialRuleRow[]> {
  return reader.all<SpecialRuleRow>('SELECT * FROM special_rules WHERE person_id = :personId ORDER BY valid_from, id', {
    personId,
  });
}

/** The circumstances that decide the rules for a person, as far as the reader may know. */
export async function readCircumstances(
  reader: Reader,
  person: Pick<PersonRow, 'id' | keyof CompanyFacts>,
  confidentiality: Confidentiality,
): Promise<Circumstances> {
  return circumstancesFor(circumstancesOf(person, await listSpecialRuleRows(reader, person.id)), confidentiality);
}

/** The same for everyone in a company, read in one query. */
export async function readCompanyCircumstances(
  reader: Reader,
  company: Pick<CompanyRow, 'id' | keyof CompanyFacts>,
  confidentiality: Confidentiality,
): Promise<{ of(personId: PersonId): Circumstances }> {
  const rows = await reader.all<SpecialRuleRow>(
    'SELECT * FROM special_rules WHERE company_id = :companyId ORDER BY valid_from, id',
    { companyId: company.id },
  );
  const lists = new Map<PersonId, SpecialRuleRow[]>();
  for (const row of rows) lists.set(row.person_id, [...(lists.get(row.person_id) ?? []), row]);
  const companyCircumstances = circumstancesOf(company, []);
  const people = new Map(
    [...lists].map(([id, list]) => [id, circumstancesFor(circumstancesOf(company, list), confidentiality)]),
  );
  return { of: (personId) => people.get(personId) ?? companyCircumstances };
}

/** Replaces the one of the same kind that begins on the same day. */
export async function saveSpecialRule(tx: Writing, row: Omit<SpecialRuleRow, 'id'>): Promise<SpecialRuleRow> {
  const { person_id, kind, valid_from } = row;
  await remove(tx, 'special_rules', { person_id, kind, valid_from });
  return insertReturning(tx, 'special_rules', row);
}

export function deleteSpecialRule(
  tx: Writing,
  { id, personId }: { readonly id: SpecialRuleId; readonly personId: PersonId },
): Promise<number> {
  return remove(tx, 'special_rules', { id, person_id: personId });
}
