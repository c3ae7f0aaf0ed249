import type { Reader } from '@clockproof/platform/database/database';
import { lastDayOf } from '@clockproof/platform/time/local-date';
import type { Tables } from '../generated/tables.js';
import { allCompanies } from '../store/every-company.js';
import type { AbsenceId, ApprovalId, PersonId } from '../store/ids.js';
import { type TenantScope, within } from '../store/scope.js';
import { among, insertReturning, update, type Writing } from '../store/tables.js';
import type { ApprovalRequest, Resolution } from './approvals.js';

export type ApprovalKind = ApprovalRow['kind'];
export type Outcome = Exclude<ApprovalRow['status'], 'waiting'>;

export type ApprovalRow = Tables['approvals'];

export async function insertRequest(
  tx: Writing,
  { kind, subjectId, companyId, personId, from, to, at }: ApprovalRequest,
): Promise<ApprovalRow> {
  return insertReturning(tx, 'approvals', {
    company_id: companyId,
    person_id: personId,
    kind,
    subject_id: subjectId,
    from_date: from,
    to_date: to,
    status: 'waiting',
    requested_at: at,
  });
}

export async function spanRequest(
  tx: Writing,
  { kind, subjectId, from, to }: Pick<ApprovalRequest, 'kind' | 'subjectId' | 'from' | 'to'>,
): Promise<void> {
  await update(tx, 'approvals', { kind, subject_id: subjectId, status: 'waiting' }, { from_date: from, to_date: to });
}

export function resolveWaiting(
  tx: Writing,
  { kind, subjectId, outcome, by, onBehalfOf, comment, subject, at }: Resolution,
): Promise<number> {
  return update(
    tx,
    'approvals',
    { kind, subject_id: subjectId, status: 'waiting' },
    {
      status: outcome,
      decided_by: by ?? null,
      decided_for: onBehalfOf ?? null,
      decided_at: at,
      comment: comment ?? null,
      subject: subject ?? null,
    },
  );
}

export function findApproval(reader: Reader, id: ApprovalId, scope: TenantScope): Promise<ApprovalRow | undefined> {
  const { sql, parameters } = within(scope, { company: 'company_id', person: 'person_id' });
  return reader.get<ApprovalRow>(`SELECT * FROM approvals WHERE id = :id ${sql}`, { id, ...parameters });
}

/** In any company: check then whether the caller may know it. */
export function findApprovalAnywhere(reader: Reader, id: ApprovalId): Promise<ApprovalRow | undefined> {
  return findApproval(reader, id, allCompanies);
}

/** The newest request about a subject, waiting or decided. */
export function latestApproval(
  reader: Reader,
  kind: ApprovalKind,
  subjectId: number,
): Promise<ApprovalRow | undefined> {
  return reader.get<ApprovalRow>(
    'SELECT * FROM approvals WHERE kind = :kind AND subject_id = :subjectId ORDER BY id DESC LIMIT 1',
    { kind, subjectId },
  );
}

/** The latest decision that an approver took about each of these absences, or about its cancellation. */
export async function latestAbsenceDecisions(
  reader: Reader,
  absenceIds: readonly AbsenceId[],
): Promise<ReadonlyMap<AbsenceId, ApprovalRow>> {
  if (absenceIds.length === 0) return new Map();
  const { list, parameters } = among(absenceIds);
  const rows = await reader.all<ApprovalRow>(
    `SELECT * FROM approvals WHERE kind IN ('absence', 'absence_cancellation') AND subject_id IN (${list}) AND decided_by IS NOT NULL ORDER BY id`,
    parameters,
  );
  // A later one takes the place of an earlier one.
  return new Map(rows.map((row) => [row.subject_id as AbsenceId, row]));
}

export interface ApprovalFilter {
  /** Waiting ones oldest first, decided ones latest first. */
  readonly state: 'waiting' | 'decided';
  readonly kind?: ApprovalKind | undefined;
  readonly month?: string | undefined;
  /** Not in the list: the caller's own requests, and those of approvers in whose place alone they could decide. */
  readonly exceptPeople: readonly PersonId[];
  /** Behind this request, in the order of the list. */
  readonly afterId?: number | undefined;
  readonly limit: number;
}

export function listApprovalRows(
  reader: Reader,
  scope: TenantScope,
  { state, kind, month, exceptPeople, afterId, limit }: ApprovalFilter,
): Promise<ApprovalRow[]> {
  const { sql, parameters } = within(scope, {
    company: 'a.company_id',
    person: 'a.person_id',
    department: 'p.department_id',
  });
  const except = Object.fromEntries(exceptPeople.map((id, index) => [`except_${index}`, id]));
  const [statuses, comparison, order] =
    state === 'waiting' ? ["= 'waiting'", '>', ''] : ["IN ('approved', 'rejected', 'withdrawn')", '<', 'DESC'];
  return reader.all<ApprovalRow>(
    `SELECT a.* FROM approvals a ${'departments' in scope ? 'JOIN people p ON p.id = a.person_id' : ''}
     WHERE a.status ${statuses} AND a.person_id NOT IN (${Object.keys(except)
       .map((name) => `:${name}`)
       .join(', ')})
      ${sql} ${afterId === undefined ? '' : `AND a.id ${comparison} :afterId`} ${kind === undefined ? '' : 'AND a.kind = :kind'}
      ${month === undefined ? '' : 'AND a.from_date <= :last AND a.to_date >= :first'}
     ORDER BY a.id ${order} LIMIT :limit`,
    {
      kind: kind ?? null,
      ...(month === undefined ? {} : { first: `${month}-01`, last: lastDayOf(month) }),
      ...except,
      afterId: afterId ?? null,
      limit,
      ...parameters,
    },
  );
}

/** The number of waiting requests of each person; people without one are left out. */
export async function countWaiting(
  reader: Reader,
  personIds: readonly PersonId[],
): Promise<ReadonlyMap<PersonId, number>> {
  if (personIds.length === 0) return new Map();
  const { list, parameters } = among(personIds);
  const rows = await reader.all<{ person_id: PersonId; waiting: number }>(
    `SELECT person_id, COUNT(*) AS waiting FROM approvals WHERE person_id IN (${list}) AND status = 'waiting' GROUP BY person_id`,
    parameters,
  );
  return new Map(rows.map((row) => [row.person_id, Number(row.waiting)]));
}
