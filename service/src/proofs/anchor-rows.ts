import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import type { Tables } from '../generated/tables.js';
import { groupBy } from '../months/grouping.js';
import type { CompanyId } from '../store/ids.js';
import { type CompanyScope, within } from '../store/scope.js';
import { among, insertReturning, removeWhere, update, upsert, type Writing } from '../store/tables.js';
import type { CommitmentRow } from './rows.js';

export type AnchorRow = Tables['anchors'];
export type AnchorCheckRow = Tables['anchor_checks'];

/** A commitment with the token of its company; of the audit log, with that of the installation. */
export type CommitmentWithToken = CommitmentRow & {
  readonly company_id: CompanyId | null;
  readonly company_token: string;
};

export interface CommitmentFilter {
  readonly state?: CommitmentRow['state'] | undefined;
  readonly afterId: number;
  readonly limit: number;
}

/** Commitments of companies, oldest first. A caller who sees every company sees those of the audit log as well. */
export function listCommitmentRows(
  reader: Reader,
  scope: CompanyScope,
  { state, afterId, limit }: CommitmentFilter,
): Promise<CommitmentWithToken[]> {
  const { sql, parameters } = within(scope, { company: 'm.company_id' });
  const isWhole = scope.all === true && scope.none === undefined && scope.withLinks === undefined;
  return reader.all(
    `SELECT m.*, COALESCE(c.proof_token, i.proof_token) AS company_token
     FROM commitments m CROSS JOIN installation i LEFT JOIN companies c ON c.id = m.company_id
     WHERE m.id > :afterId ${state === undefined ? '' : 'AND m.state = :state'}
       AND (${isWhole ? 'm.company_id IS NULL OR ' : ''}m.company_id IS NOT NULL ${sql}) ORDER BY m.id LIMIT :limit`,
    { afterId, limit, ...(state === undefined ? {} : { state }), ...parameters },
  );
}

export async function findCommitmentRow(
  reader: Reader,
  scope: CompanyScope,
  id: number,
): Promise<CommitmentWithToken | undefined> {
  const [row] = await listCommitmentRows(reader, scope, { afterId: id - 1, limit: 1 });
  return row?.id === id ? row : undefined;
}

/** A transaction, and the latest verdict of each index on it, by index. */
export interface ReportedAnchor {
  readonly anchor: AnchorRow;
  readonly checks: readonly AnchorCheckRow[];
}

/** The transactions of each commitment, oldest first. */
export async function listReportedAnchors(
  reader: Reader,
  commitmentIds: readonly number[],
): Promise<ReadonlyMap<number, readonly ReportedAnchor[]>> {
  if (commitmentIds.length === 0) return new Map();
  const { list, parameters } = among(commitmentIds);
  const anchors = await reader.all<AnchorRow>(
    `SELECT * FROM anchors WHERE commitment_id IN (${list}) ORDER BY id`,
    parameters,
  );
  const checks = groupBy(
    await reader.all<AnchorCheckRow>(
      `SELECT k.* FROM anchor_checks k JOIN anchors a ON a.id = k.anchor_id
       WHERE a.commitment_id IN (${list}) ORDER BY k.anchor_id, k.index_url`,
      parameters,
    ),
    ({ anchor_id: id }) => id,
  );
  const reportedAnchors = anchors.map((anchor) => ({ anchor, checks: checks.get(anchor.id) ?? [] }));
  return groupBy(reportedAnchors, ({ anchor }) => anchor.commitment_id);
}

/** The transactions of a commitment, oldest first. */
export async function listAnchorsOf(reader: Reader, commitmentId: number): Promise<readonly ReportedAnchor[]> {
  return (await listReportedAnchors(reader, [commitmentId])).get(commitmentId) ?? [];
}

/** The addresses whose anchors of a company's months are confirmed, the latest first. */
export async function listSenders(reader: Reader, companyId: CompanyId): Promise<string[]> {
  const rows = await reader.all<{ sender: string }>(
    `SELECT a.sender, max(a.id) AS latest FROM anchors a JOIN commitments m ON m.id = a.commitment_id
     WHERE m.company_id = :companyId AND m.state = 'anchored' GROUP BY a.sender ORDER BY latest DESC LIMIT 20`,
    { companyId },
  );
  return rows.map(({ sender }) => sender);
}

/** The newest commitment to each of a company's months from one to another. */
export function listNewestCommitments(
  reader: Reader,
  span: { readonly companyId: CompanyId; readonly from: string; readonly to: string },
): Promise<Pick<CommitmentRow, 'period' | 'revision' | 'state' | 'made_at'>[]> {
  return reader.all(
    `SELECT period, revision, state, made_at FROM commitments m
     WHERE company_id = :companyId AND period >= :from AND period <= :to
       AND revision = (SELECT max(o.revision) FROM commitments o WHERE o.company_id = m.company_id AND o.period = m.period)`,
    span,
  );
}

/** Overdue commitments without a notice, of companies for which an extension may report anchors. */
export function listOverdueWithoutNotice(
  reader: Reader,
  madeBefore: Instant,
): Promise<{ readonly id: number; readonly company_id: CompanyId | null }[]> {
  return reader.all(
    `SELECT m.id, m.company_id FROM commitments m LEFT JOIN companies c ON c.id = m.company_id
     WHERE m.state IN ('made', 'reported') AND m.made_at < :madeBefore AND m.overdue_told_at IS NULL
       AND (m.company_id IS NULL OR c.active = 1)
       AND EXISTS (SELECT 1 FROM extensions e WHERE e.deleted_at IS NULL AND (e.company_id IS NULL OR e.company_id = m.company_id)
         AND e.scopes LIKE '%"write:anchors"%')
     ORDER BY m.id`,
    { madeBefore },
  );
}

export function insertAnchor(tx: Writing, anchor: Omit<AnchorRow, 'id'>): Promise<AnchorRow> {
  return insertReturning(tx, 'anchors', anchor);
}

/** Replaces the facts of a transaction in which no index has found the root. Its verdicts were about the old ones. */
export async function correctAnchor(
  tx: Writing,
  id: number,
  facts: Pick<AnchorRow, 'sender' | 'package' | 'chain' | 'reported_at'>,
): Promise<void> {
  await update(tx, 'anchors', { id }, facts);
  await removeWhere(tx, 'anchor_checks', 'anchor_id = :id', { id });
}

/** Whether an earlier revision of the same month has no transaction yet. */
export async function hasEarlierRevisionWaiting(
  reader: Reader,
  { company_id: companyId, period, revision }: Pick<CommitmentRow, 'company_id' | 'period' | 'revision'>,
): Promise<boolean> {
  if (companyId === null) return false;
  const row = await reader.get(
    `SELECT 1 AS one FROM commitments WHERE company_id = :companyId AND period = :period AND revision < :revision
       AND state = 'made' LIMIT 1`,
    { companyId, period, revision },
  );
  return row !== undefined;
}

/** Replaces the verdict of an index. */
export function keepAnchorCheck(tx: Writing, check: AnchorCheckRow): Promise<void> {
  return upsert(tx, 'anchor_checks', ['anchor_id', 'index_url'], check);
}

/** Removes the verdicts `unknown` of indexes other than these. */
export async function removeUnknownOfOthers(tx: Writing, anchorId: number, indexes: readonly string[]): Promise<void> {
  const { list, parameters } = among(indexes);
  await removeWhere(
    tx,
    'anchor_checks',
    `anchor_id = :anchorId AND verdict = 'unknown' AND index_url NOT IN (${list})`,
    {
      anchorId,
      ...parameters,
    },
  );
}

export async function updateCommitment(
  tx: Writing,
  id: number,
  patch: Partial<Pick<CommitmentRow, 'state' | 'claimed_until' | 'overdue_told_at'>>,
): Promise<void> {
  await update(tx, 'commitments', { id }, patch);
}
