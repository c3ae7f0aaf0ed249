import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import type { Tables } from '../generated/tables.js';
import type { CompanyId } from '../store/ids.js';
import { type CompanyScope, within } from '../store/scope.js';
import { insertReturning, removeWhere, update, upsert, type Writing } from '../store/tables.js';
import type { AnchorVerdicts } from './commitment-state.js';
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

/** Commitments of companies, oldest first. Who sees every company sees those of the audit log as well. */
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

/** The anchors of a commitment, oldest first. */
export function listAnchors(reader: Reader, commitmentId: number): Promise<AnchorRow[]> {
  return reader.all<AnchorRow>('SELECT * FROM anchors WHERE commitment_id = :commitmentId ORDER BY id', {
    commitmentId,
  });
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

/** The newest commitment to each of a company's months, by month. */
export function listNewestCommitments(
  reader: Reader,
  companyId: CompanyId,
): Promise<Pick<CommitmentRow, 'period' | 'revision' | 'state' | 'made_at'>[]> {
  return reader.all(
    `SELECT period, revision, state, made_at FROM commitments m WHERE company_id = :companyId
     AND revision = (SELECT max(o.revision) FROM commitments o WHERE o.company_id = m.company_id AND o.period = m.period)`,
    { companyId },
  );
}

/**
 * Commitments to closed months that should have been on the ledger by now and of which nobody was told, where an
 * extension may report anchors.
 */
export function listOverdueWithoutNotice(
  reader: Reader,
  madeBefore: Instant,
): Promise<{ readonly id: number; readonly company_id: CompanyId }[]> {
  return reader.all(
    `SELECT m.id, m.company_id FROM commitments m JOIN companies c ON c.id = m.company_id
     WHERE m.state IN ('made', 'reported') AND m.made_at < :madeBefore AND c.active = 1
       AND EXISTS (SELECT 1 FROM extensions e WHERE e.deleted_at IS NULL AND (e.company_id IS NULL OR e.company_id = m.company_id)
         AND e.scopes LIKE '%"write:anchors"%')
       AND NOT EXISTS (SELECT 1 FROM notices n WHERE n.about = 'commitment ' || m.id AND n.kind = 'proof_overdue')
     ORDER BY m.id`,
    { madeBefore },
  );
}

export function findAnchor(reader: Reader, commitmentId: number, tx: string): Promise<AnchorRow | undefined> {
  return reader.get<AnchorRow>('SELECT * FROM anchors WHERE commitment_id = :commitmentId AND tx = :tx', {
    commitmentId,
    tx,
  });
}

/** The latest verdicts on the anchors of a commitment, by index. */
export function listAnchorChecks(reader: Reader, commitmentId: number): Promise<AnchorCheckRow[]> {
  return reader.all<AnchorCheckRow>(
    `SELECT k.* FROM anchor_checks k JOIN anchors a ON a.id = k.anchor_id
     WHERE a.commitment_id = :commitmentId ORDER BY k.anchor_id, k.index_url`,
    { commitmentId },
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

/** The verdicts on the anchors of a commitment, oldest anchor first. */
export async function listVerdicts(
  reader: Reader,
  commitmentId: number,
): Promise<{ readonly anchor: AnchorRow; readonly verdicts: AnchorVerdicts }[]> {
  const checks = await listAnchorChecks(reader, commitmentId);
  return (await listAnchors(reader, commitmentId)).map((anchor) => ({
    anchor,
    verdicts: new Map(
      checks.flatMap((check) => (check.anchor_id === anchor.id ? [[check.index_url, check.verdict] as const] : [])),
    ),
  }));
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

export async function updateCommitment(
  tx: Writing,
  id: number,
  patch: Partial<Pick<CommitmentRow, 'state' | 'claimed_until'>>,
): Promise<void> {
  await update(tx, 'commitments', { id }, patch);
}
