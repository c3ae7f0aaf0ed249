import type { Reader, Transaction } from '@clockproof/platform/database/database';
import type { Tables } from '../generated/tables.js';
import type { ApprovalId, PersonId } from '../ids.js';
import { insertReturning, update } from '../tables.js';
import { type TenantScope, within } from '../tenant/scope.js';
import type { Request, Resolution } from './approvals.js';

export type ApprovalKind = ApprovalRow['kind'];
export type Outcome = Exclude<ApprovalRow['status'], 'waiting'>;

export type ApprovalRow = Tables['approvals'];

export async function insertRequest(
  tx: Transaction,
  { kind, subjectId, companyId, personId, from, to, at }: Request,
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
  tx: Transaction,
  { kind, subjectId, from, to }: Pick<Request, 'kind' | 'subjectId' | 'from' | 'to'>,
): Promise<void> {
  await update(tx, 'approvals', { kind, subject_id: subjectId, status: 'waiting' }, { from_date: from, to_date: to });
}

export function resolveWaiting(
  tx: Transaction,
  { kind, subjectId, outcome, by, comment, at }: Resolution,
): Promise<number> {
  return update(
    tx,
    'approvals',
    { kind, subject_id: subjectId, status: 'waiting' },
    { status: outcome, decided_by: by ?? null, decided_at: at, comment: comment ?? null },
  );
}

export function findApproval(reader: Reader, id: ApprovalId, scope: TenantScope): Promise<ApprovalRow | undefined> {
  const { sql, parameters } = within(scope, { company: 'company_id', person: 'person_id' });
  return reader.get<ApprovalRow>(`SELECT * FROM approvals WHERE id = :id ${sql}`, { id, ...parameters });
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

export interface ApprovalFilter {
  /** Waiting ones oldest first, decided ones latest first. */
  readonly state: 'waiting' | 'decided';
  readonly kind?: ApprovalKind | undefined;
  /** Own requests are not in the list, because no one decides their own. */
  readonly exceptPersonId: PersonId;
  /** Behind this request, in the order of the list. */
  readonly afterId?: number | undefined;
  readonly limit: number;
}

export function listApprovalRows(
  reader: Reader,
  scope: TenantScope,
  { state, kind, exceptPersonId, afterId, limit }: ApprovalFilter,
): Promise<ApprovalRow[]> {
  const { sql, parameters } = within(scope, {
    company: 'a.company_id',
    person: 'a.person_id',
    department: 'p.department_id',
  });
  const [statuses, beyond, order] =
    state === 'waiting' ? ["= 'waiting'", '>', ''] : ["IN ('approved', 'rejected', 'withdrawn')", '<', 'DESC'];
  return reader.all<ApprovalRow>(
    `SELECT a.* FROM approvals a ${'departments' in scope ? 'JOIN people p ON p.id = a.person_id' : ''}
     WHERE a.status ${statuses} AND a.person_id <> :exceptPersonId
      ${sql} ${afterId === undefined ? '' : `AND a.id ${beyond} :afterId`} ${kind === undefined ? '' : 'AND a.kind = :kind'}
     ORDER BY a.id ${order} LIMIT :limit`,
    { kind: kind ?? null, exceptPersonId, afterId: afterId ?? null, limit, ...parameters },
  );
}
