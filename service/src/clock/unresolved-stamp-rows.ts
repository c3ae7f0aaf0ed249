import type { Reader } from '@clockproof/platform/database/database';
import type { Tables } from '../generated/tables.js';
import { allCompanies } from '../store/every-company.js';
import type { CompanyId, PersonId, TerminalId, UnresolvedStampId } from '../store/ids.js';
import { type TenantScope, within } from '../store/scope.js';
import { insertReturning, updateWhereReturning, type Writing } from '../store/tables.js';

export type UnresolvedStampRow = Tables['unresolved_stamps'];

type Undecided = 'id' | 'status' | 'taken_for' | 'entry_id' | 'decided_by' | 'decided_at' | 'comment';

export function insertUnresolvedStamp(
  tx: Writing,
  row: Omit<UnresolvedStampRow, Undecided>,
): Promise<UnresolvedStampRow> {
  return insertReturning(tx, 'unresolved_stamps', { ...row, status: 'waiting' });
}

/** Waiting stamps of a company whose person is known. */
export function listWaitingStamps(
  reader: Reader,
  companyId: CompanyId,
): Promise<Pick<UnresolvedStampRow, 'id' | 'stamped_at'>[]> {
  return reader.all(
    "SELECT id, stamped_at FROM unresolved_stamps WHERE company_id = :companyId AND status = 'waiting' AND date IS NOT NULL",
    { companyId },
  );
}

/** @returns undefined if it was decided before; of two decisions at the same time, one finds it */
export async function decideWaitingStamp(
  tx: Writing,
  id: UnresolvedStampId,
  decision: Pick<UnresolvedStampRow, 'decided_by' | 'decided_at'> &
    (
      | { readonly status: 'taken'; readonly taken_for: PersonId }
      | { readonly status: 'rejected'; readonly comment: string }
    ),
): Promise<UnresolvedStampRow | undefined> {
  const [row] = await updateWhereReturning(tx, 'unresolved_stamps', decision, "id = :id AND status = 'waiting'", {
    id,
  });
  return row;
}

export function findUnresolvedStamp(
  reader: Reader,
  id: UnresolvedStampId,
  scope: TenantScope,
): Promise<UnresolvedStampRow | undefined> {
  const { sql, parameters } = within(scope, { company: 'company_id', person: 'person_id' });
  return reader.get<UnresolvedStampRow>(`SELECT * FROM unresolved_stamps WHERE id = :id ${sql}`, { id, ...parameters });
}

/** Searches every company: the caller checks access to the result. */
export function findUnresolvedStampAnywhere(
  reader: Reader,
  id: UnresolvedStampId,
): Promise<UnresolvedStampRow | undefined> {
  return findUnresolvedStamp(reader, id, allCompanies);
}

/** The stamp of this content that the terminal sent before. */
export function findStampByContent(
  reader: Reader,
  terminalId: TerminalId,
  contentHash: string,
): Promise<UnresolvedStampRow | undefined> {
  return reader.get<UnresolvedStampRow>(
    'SELECT * FROM unresolved_stamps WHERE terminal_id = :terminalId AND content_hash = :contentHash',
    { terminalId, contentHash },
  );
}

/** Whether another stamp of the person awaits a decision. Without a person: a stamp of an unknown person. */
export async function hasWaitingStamp(
  reader: Reader,
  companyId: CompanyId,
  personId: PersonId | null,
): Promise<boolean> {
  const row = await reader.get<{ id: number }>(
    `SELECT id FROM unresolved_stamps WHERE company_id = :companyId AND status = 'waiting'
      AND ${personId === null ? 'person_id IS NULL' : 'person_id = :personId'} LIMIT 1`,
    { companyId, personId },
  );
  return row !== undefined;
}

/** The number of stamps of a terminal that await a decision. */
export async function countWaitingStamps(
  reader: Reader,
  companyId: CompanyId,
  terminalId: TerminalId,
): Promise<number> {
  return (await reader.get<{ waiting: number }>(
    "SELECT count(*) AS waiting FROM unresolved_stamps WHERE company_id = :companyId AND status = 'waiting' AND terminal_id = :terminalId",
    { companyId, terminalId },
  ))!.waiting;
}

/** The number of stamps of known people in a month that await a decision. */
export async function countWaitingStampsInMonth(reader: Reader, companyId: CompanyId, month: string): Promise<number> {
  return (await reader.get<{ waiting: number }>(
    "SELECT count(*) AS waiting FROM unresolved_stamps WHERE company_id = :companyId AND status = 'waiting' AND date >= :first AND date <= :last",
    { companyId, first: `${month}-01`, last: `${month}-31` },
  ))!.waiting;
}

export interface UnresolvedStampFilter {
  /** Waiting ones oldest first, decided ones latest first. */
  readonly state: 'waiting' | 'decided';
  /** People to leave out: the caller, and approvers in whose place alone the caller could decide. */
  readonly exceptPeople: readonly PersonId[];
  /** The page begins after this stamp. */
  readonly afterId?: UnresolvedStampId | undefined;
  readonly limit: number;
}

export function listUnresolvedStampRows(
  reader: Reader,
  scope: TenantScope,
  { state, exceptPeople, afterId, limit }: UnresolvedStampFilter,
): Promise<UnresolvedStampRow[]> {
  const { sql, parameters } = within(scope, {
    company: 's.company_id',
    person: 's.person_id',
    department: 'p.department_id',
  });
  const except = Object.fromEntries(exceptPeople.map((id, index) => [`except_${index}`, id]));
  const [statuses, comparison, order] =
    state === 'waiting' ? ["= 'waiting'", '>', ''] : ["IN ('taken', 'rejected')", '<', 'DESC'];
  return reader.all<UnresolvedStampRow>(
    `SELECT s.* FROM unresolved_stamps s ${'departments' in scope ? 'JOIN people p ON p.id = s.person_id' : ''}
     WHERE s.status ${statuses} AND (s.person_id IS NULL OR s.person_id NOT IN (${Object.keys(except)
       .map((name) => `:${name}`)
       .join(', ')}))
      ${sql} ${afterId === undefined ? '' : `AND s.id ${comparison} :afterId`}
     ORDER BY s.id ${order} LIMIT :limit`,
    { ...except, afterId: afterId ?? null, limit, ...parameters },
  );
}

/** Stamps of a person's badges, and stamps that were assigned to the person, latest first. */
export function listStampsOf(
  reader: Reader,
  personId: PersonId,
  { beforeId, limit }: { readonly beforeId: UnresolvedStampId | undefined; readonly limit: number },
): Promise<UnresolvedStampRow[]> {
  return reader.all<UnresolvedStampRow>(
    `SELECT * FROM unresolved_stamps WHERE (person_id = :personId OR taken_for = :personId)
      ${beforeId === undefined ? '' : 'AND id < :beforeId'} ORDER BY id DESC LIMIT :limit`,
    { personId, beforeId: beforeId ?? null, limit },
  );
}
