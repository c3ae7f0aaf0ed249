import type { Reader } from '@clockproof/platform/database/database';
import { type Instant, minute } from '@clockproof/platform/time/instant';
import type { LocalDate } from '@clockproof/platform/time/local-date';
import type { Tables } from '../generated/tables.js';
import { allCompanies } from '../store/every-company.js';
import type { AbsenceId, CompanyId, DepartmentId, ExtensionId, PersonId } from '../store/ids.js';
import type { Changes } from '../store/position.js';
import { type TenantScope, within } from '../store/scope.js';
import { among, insertReturning, remove, update, upsert, type Writing } from '../store/tables.js';
import type { Write } from '../store/write.js';
import { type AbsenceDraft, draftOf } from './draft.js';

export type HalfDay = NonNullable<Tables['absences']['half_day']>;

export type AbsenceRow = Tables['absences'];

/** An absence with the names for display. */
export interface NamedAbsence extends AbsenceRow {
  readonly user_name: string;
  readonly company_name: string;
  readonly language: string;
  readonly department_id: DepartmentId | null;
  readonly department_name: string | null;
  readonly author: string | null;
}

export type AbsenceTypeRow = Tables['absence_types'];

/**
 * The approval of a person's absences: `by_type`: the kind decides; `always`: by an approver; `never`: approved
 * immediately.
 */
export type ApprovalRule = Tables['absence_ledgers']['approval'];

export type EntitlementRow = Tables['vacation_entitlements'];

/** A booking with the name of its author, null once they were erased. */
export type VacationBookingRow = Tables['vacation_bookings'] & { readonly author: string | null };

export type VacationPolicyRow = Tables['vacation_policies'];

const live = "('waiting', 'approved', 'cancellation_requested')";

// ---- kinds

export function listTypeRows(reader: Reader, companyId: CompanyId): Promise<AbsenceTypeRow[]> {
  return reader.all<AbsenceTypeRow>('SELECT * FROM absence_types WHERE company_id = :companyId ORDER BY key', {
    companyId,
  });
}

export async function saveTypeRow(tx: Writing, row: AbsenceTypeRow): Promise<void> {
  await upsert(tx, 'absence_types', ['company_id', 'key'], row);
}

/** Whether a kind was ever used, or a wage type of the payroll counts it. */
export async function typeInUse(reader: Reader, companyId: CompanyId, key: string): Promise<boolean> {
  const absence = await reader.get(
    'SELECT 1 AS used FROM absences WHERE company_id = :companyId AND type = :key LIMIT 1',
    {
      companyId,
      key,
    },
  );
  if (absence !== undefined) return true;
  const payroll = await reader.get<Pick<Tables['payroll_settings'], 'wage_types'>>(
    'SELECT wage_types FROM payroll_settings WHERE company_id = :companyId',
    { companyId },
  );
  const wageTypes = JSON.parse(payroll?.wage_types ?? '[]') as { readonly absence_type?: string }[];
  return wageTypes.some(({ absence_type: type }) => type === key);
}

export async function deleteTypeRow(tx: Writing, companyId: CompanyId, key: string): Promise<void> {
  await remove(tx, 'absence_types', { company_id: companyId, key });
}

// ---- the person's ledger

/**
 * Locks a person's time until the transaction ends, so that two requests cannot both find a day free, and neither meets
 * a month that is being closed. @returns the rule by which the person's absences are approved
 */
export async function lockAbsences(write: Write, personId: PersonId): Promise<{ readonly approval: ApprovalRule }> {
  await write.lock({ people: [personId] });
  return { approval: await readApprovalRule(write, personId) };
}

export async function saveApprovalRule(tx: Writing, personId: PersonId, approval: ApprovalRule): Promise<void> {
  await upsert(tx, 'absence_ledgers', ['person_id'], { person_id: personId, approval });
}

export async function readApprovalRule(reader: Reader, personId: PersonId): Promise<ApprovalRule> {
  return (
    (
      await reader.get<{ approval: ApprovalRule }>('SELECT approval FROM absence_ledgers WHERE person_id = :personId', {
        personId,
      })
    )?.approval ?? 'by_type'
  );
}

// ---- absences

const absenceSelect = `SELECT a.*, p.first_name || ' ' || p.last_name AS user_name, c.name AS company_name, p.language, p.department_id, d.name AS department_name,
    COALESCE(a.author_name, w.first_name || ' ' || w.last_name) AS author
  FROM absences a JOIN people p ON p.id = a.person_id JOIN companies c ON c.id = a.company_id LEFT JOIN departments d ON d.id = p.department_id LEFT JOIN people w ON w.id = a.author_person_id`;

const absenceScope = { company: 'a.company_id', person: 'a.person_id', department: 'p.department_id' } as const;

export function findAbsence(reader: Reader, id: AbsenceId, scope: TenantScope): Promise<NamedAbsence | undefined> {
  const { sql, parameters } = within(scope, absenceScope);
  return reader.get<NamedAbsence>(`${absenceSelect} WHERE a.id = :id ${sql}`, { id, ...parameters });
}

/** Searches every company: the caller checks access to the result. */
export function findAbsenceAnywhere(reader: Reader, id: AbsenceId): Promise<NamedAbsence | undefined> {
  return findAbsence(reader, id, allCompanies);
}

export function findByExternalId(
  reader: Reader,
  extensionId: ExtensionId,
  personId: PersonId,
  externalId: string,
): Promise<NamedAbsence | undefined> {
  return reader.get<NamedAbsence>(
    `${absenceSelect} WHERE a.extension_id = :extensionId AND a.person_id = :personId AND a.external_id = :externalId`,
    { extensionId, personId, externalId },
  );
}

/** An absence covers at most this many days, so a search for a period need not look further back. */
export const maxSpanDays = 366;

/**
 * Live absences of a person that overlap a span of days. `earliest` is the first day on which an absence that reaches
 * `from` can begin.
 */
export function listTouching(
  reader: Reader,
  {
    personId,
    from,
    to,
    earliest,
  }: { readonly personId: PersonId; readonly from: string; readonly to: string; readonly earliest: string },
): Promise<AbsenceRow[]> {
  return reader.all<AbsenceRow>(
    `SELECT * FROM absences WHERE person_id = :personId AND start_date >= :earliest AND start_date <= :to AND end_date >= :from AND status IN ${live} ORDER BY start_date, id`,
    { personId, from, to, earliest },
  );
}

/** `listTouching` for many people, at least one. */
export function listTouchingOf(
  reader: Reader,
  personIds: readonly PersonId[],
  { from, to, earliest }: { readonly from: string; readonly to: string; readonly earliest: string },
): Promise<AbsenceRow[]> {
  const { list, parameters } = among(personIds);
  return reader.all<AbsenceRow>(
    `SELECT * FROM absences WHERE person_id IN (${list}) AND start_date >= :earliest AND start_date <= :to AND end_date >= :from AND status IN ${live} ORDER BY start_date, id`,
    { from, to, earliest, ...parameters },
  );
}

/** The people with a live absence on a day or later, by id. `earliest` as in `listTouching`. */
export async function listAbsentFrom(
  reader: Reader,
  companyId: CompanyId,
  { from, earliest }: { readonly from: string; readonly earliest: string },
): Promise<PersonId[]> {
  const rows = await reader.all<{ person_id: PersonId }>(
    `SELECT DISTINCT person_id FROM absences WHERE company_id = :companyId AND start_date >= :earliest AND end_date >= :from AND status IN ${live} ORDER BY person_id`,
    { companyId, from, earliest },
  );
  return rows.map(({ person_id }) => person_id);
}

export type NewAbsence = Omit<AbsenceRow, 'id' | 'changed'>;

export async function insertAbsence(tx: Writing, row: NewAbsence): Promise<NamedAbsence> {
  const { id } = await insertReturning(tx, 'absences', row);
  return (await findAbsence(tx, id, { company: row.company_id }))!;
}

export type ChangedAbsence = AbsenceDraft &
  Pick<AbsenceRow, 'id' | 'half_days' | 'status' | 'returned_vacation' | 'updated_at'>;

export async function updateAbsence(tx: Writing, row: ChangedAbsence): Promise<NamedAbsence> {
  const { id, half_days, status, returned_vacation, updated_at } = row;
  await update(tx, 'absences', { id }, { ...draftOf(row), half_days, status, returned_vacation, updated_at });
  return (await findAbsence(tx, id, allCompanies))!;
}

export async function clearExternalId(tx: Writing, id: AbsenceId, updatedAt: Instant): Promise<void> {
  await update(tx, 'absences', { id }, { updated_at: updatedAt, external_id: null });
}

/** Every absence of a person, in any state. */
export async function listAbsenceIds(reader: Reader, personId: PersonId): Promise<AbsenceId[]> {
  const rows = await reader.all<{ id: AbsenceId }>('SELECT id FROM absences WHERE person_id = :personId ORDER BY id', {
    personId,
  });
  return rows.map(({ id }) => id);
}

/** A live absence of half a day. */
export type LiveHalf = Pick<AbsenceRow, 'id' | 'person_id' | 'start_date' | 'half_day' | 'status'>;

/**
 * Live halves of one person, or of everyone in a company on the days of a span: first those that count, then waiting
 * ones.
 */
export function listLiveHalves(
  reader: Reader,
  filter:
    | { readonly person: PersonId }
    | { readonly company: CompanyId; readonly from: LocalDate; readonly to: LocalDate },
): Promise<LiveHalf[]> {
  const condition =
    'person' in filter ? 'person_id = :person' : 'company_id = :company AND start_date >= :from AND start_date <= :to';
  return reader.all<LiveHalf>(
    `SELECT id, person_id, start_date, half_day, status FROM absences WHERE ${condition} AND half_day IS NOT NULL
     AND status IN ${live} ORDER BY CASE status WHEN 'waiting' THEN 1 ELSE 0 END, id`,
    filter,
  );
}

export interface PeriodFilter {
  /** `counting`: approved, or with a cancellation requested; `live`: waiting too. */
  readonly states: 'counting' | 'live' | 'every';
  readonly from: string;
  readonly to: string;
  readonly earliest: string;
  readonly after: { readonly date: string; readonly id: number } | undefined;
  readonly limit: number;
}

const statesOf = {
  counting: "AND a.status IN ('approved', 'cancellation_requested')",
  live: `AND a.status IN ${live}`,
  every: '',
} as const;

/** Absences that overlap a period, by first day and id. */
export function listInPeriod(
  reader: Reader,
  scope: TenantScope,
  { states, from, to, earliest, after, limit }: PeriodFilter,
): Promise<NamedAbsence[]> {
  const { sql, parameters } = within(scope, absenceScope);
  return reader.all<NamedAbsence>(
    `${absenceSelect} WHERE a.start_date >= :start AND a.start_date <= :to AND (a.start_date, a.id) > (:start, :afterId) AND a.end_date >= :from ${sql} ${statesOf[states]}
     ORDER BY a.start_date, a.id LIMIT :limit`,
    { from, to, start: after?.date ?? earliest, afterId: after?.id ?? 0, limit, ...parameters },
  );
}

/** Absences in every state that changed after a place and up to another one, by place and id. */
export function listAbsencesChanged(
  reader: Reader,
  scope: TenantScope,
  { after, upTo, since, limit }: Changes,
): Promise<NamedAbsence[]> {
  const { sql, parameters } = within(scope, absenceScope);
  return reader.all<NamedAbsence>(
    `${absenceSelect} WHERE (a.changed, a.id) > (:changed, :id) AND a.changed <= :upTo AND a.updated_at >= :since ${sql}
     ORDER BY a.changed, a.id LIMIT :limit`,
    { ...after, upTo, since, limit, ...parameters },
  );
}

// ---- vacation

export function findEntitlement(reader: Reader, personId: PersonId, year: number): Promise<EntitlementRow | undefined> {
  return reader.get<EntitlementRow>(
    'SELECT * FROM vacation_entitlements WHERE person_id = :personId AND year = :year',
    { personId, year },
  );
}

/** The entitlements of many people, at least one. */
export function listEntitlementsOf(
  reader: Reader,
  personIds: readonly PersonId[],
  year: number,
): Promise<EntitlementRow[]> {
  const { list, parameters } = among(personIds);
  return reader.all<EntitlementRow>(
    `SELECT * FROM vacation_entitlements WHERE person_id IN (${list}) AND year = :year`,
    {
      year,
      ...parameters,
    },
  );
}

/** Newest year first. */
export function listEntitlementRows(reader: Reader, personId: PersonId): Promise<EntitlementRow[]> {
  return reader.all<EntitlementRow>(
    'SELECT * FROM vacation_entitlements WHERE person_id = :personId ORDER BY year DESC',
    { personId },
  );
}

export function findVacationPolicy(reader: Reader, companyId: CompanyId): Promise<VacationPolicyRow | undefined> {
  return reader.get<VacationPolicyRow>('SELECT * FROM vacation_policies WHERE company_id = :companyId', { companyId });
}

export async function saveEntitlementRow(tx: Writing, row: EntitlementRow): Promise<void> {
  await upsert(tx, 'vacation_entitlements', ['person_id', 'year'], row);
}

export async function insertVacationBooking(
  tx: Writing,
  row: Omit<VacationBookingRow, 'id' | 'author'>,
): Promise<Tables['vacation_bookings']> {
  return insertReturning(tx, 'vacation_bookings', row);
}

/** The bookings of a year, by date, with the names of those who booked them. */
export function listVacationBookings(reader: Reader, personId: PersonId, year: number): Promise<VacationBookingRow[]> {
  return reader.all<VacationBookingRow>(
    `SELECT b.*, p.first_name || ' ' || p.last_name AS author FROM vacation_bookings b LEFT JOIN people p ON p.id = b.booked_by
     WHERE b.person_id = :personId AND b.date >= :from AND b.date <= :to ORDER BY b.date, b.id`,
    { personId, from: `${year}-01-01`, to: `${year}-12-31` },
  );
}

/** The bookings of a year of many people, at least one. */
export function listVacationBookingsOf(
  reader: Reader,
  personIds: readonly PersonId[],
  year: number,
): Promise<Tables['vacation_bookings'][]> {
  const { list, parameters } = among(personIds);
  return reader.all<Tables['vacation_bookings']>(
    `SELECT * FROM vacation_bookings WHERE person_id IN (${list}) AND date >= :from AND date <= :to ORDER BY date, id`,
    { from: `${year}-01-01`, to: `${year}-12-31`, ...parameters },
  );
}

export async function saveVacationPolicyRow(tx: Writing, row: VacationPolicyRow): Promise<void> {
  await upsert(tx, 'vacation_policies', ['company_id'], row);
}

/** Days of a span on which the person has recorded work. */
export async function daysWithWork(
  reader: Reader,
  { personId, from, to }: { readonly personId: PersonId; readonly from: LocalDate; readonly to: LocalDate },
): Promise<LocalDate[]> {
  const rows = await reader.all<{ date: LocalDate }>(
    `SELECT DISTINCT date FROM time_entries WHERE person_id = :personId AND date >= :from AND date <= :to
     AND status IN ('open', 'clock_out_missing', 'recorded', 'approved') AND (end_at IS NULL OR end_at - start_at >= ${minute}) ORDER BY date`,
    { personId, from, to },
  );
  return rows.map((row) => row.date);
}
