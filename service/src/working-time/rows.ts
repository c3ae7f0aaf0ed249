import type { Reader, Transaction } from '@clockproof/platform/database/database';
import type { LocalDate } from '@clockproof/platform/time/local-date';
import type { Tables } from '../generated/tables.js';
import type { CompanyId, PersonId, ScheduleId } from '../ids.js';
import { insertReturning } from '../tables.js';
import { type CompanyScope, within } from '../tenant/scope.js';
import type { Schedule, Schedules, Week } from './schedule.js';

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
  return { of: (personId) => ({ own: lists.get(personId) ?? [], company: lists.get(null) ?? [] }) };
}

/** Rows of one person, or those of the company where `personId` is null, by `valid_from`. */
export function listSchedules(reader: Reader, companyId: CompanyId, personId: PersonId | null): Promise<ScheduleRow[]> {
  return reader.all<ScheduleRow>(
    `SELECT * FROM schedules WHERE company_id = :companyId AND person_id ${personId === null ? 'IS NULL' : '= :personId'} ORDER BY valid_from`,
    { companyId, personId },
  );
}

/** Replaces the schedule that begins on the same day. */
export async function saveSchedule(
  tx: Transaction,
  row: {
    readonly companyId: CompanyId;
    readonly personId: PersonId | null;
    readonly validFrom: LocalDate;
    readonly week: Week;
  },
): Promise<ScheduleRow> {
  await tx.run(
    `DELETE FROM schedules WHERE company_id = :companyId AND person_id ${row.personId === null ? 'IS NULL' : '= :personId'} AND valid_from = :validFrom`,
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

export async function deleteSchedule(tx: Transaction, id: ScheduleId): Promise<void> {
  await tx.run('DELETE FROM schedules WHERE id = :id', { id });
}
