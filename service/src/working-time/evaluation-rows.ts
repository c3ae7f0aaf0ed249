import type { Parameters, Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import type { Tables } from '../generated/tables.js';
import type { CompanyId, PersonId } from '../store/ids.js';
import { ownActions } from '../store/own-changes.js';
import { upsert, type Writing } from '../store/tables.js';

export type EvaluationSwitchRow = Tables['evaluation_switches'];

export function listSwitches(reader: Reader, companyId: CompanyId): Promise<EvaluationSwitchRow[]> {
  return reader.all<EvaluationSwitchRow>('SELECT * FROM evaluation_switches WHERE company_id = :companyId', {
    companyId,
  });
}

export function findSwitch(
  reader: Reader,
  companyId: CompanyId,
  evaluation: EvaluationSwitchRow['evaluation'],
): Promise<EvaluationSwitchRow | undefined> {
  return reader.get<EvaluationSwitchRow>(
    'SELECT * FROM evaluation_switches WHERE company_id = :companyId AND evaluation = :evaluation',
    { companyId, evaluation },
  );
}

export async function saveSwitch(tx: Writing, row: EvaluationSwitchRow): Promise<void> {
  await upsert(tx, 'evaluation_switches', ['company_id', 'evaluation'], row);
}

/** Active people of a company who hold a role, each under every role they hold. */
export function countRoles(reader: Reader, companyId: CompanyId): Promise<{ role: string; count: number }[]> {
  return reader.all(
    `SELECT g.role, COUNT(DISTINCT g.person_id) AS count FROM role_grants g JOIN people p ON p.id = g.person_id
     WHERE p.company_id = :companyId AND p.active = 1 GROUP BY g.role`,
    { companyId },
  );
}

/** Entries of the audit log that mark a change of an admin's own record, newest first. `family` chooses the index. */
export function listOwnChanges(
  reader: Reader,
  { companyId, since, limit }: { readonly companyId: CompanyId; readonly since: Instant; readonly limit: number },
): Promise<{ at: Instant; action: string; actor_id: string }[]> {
  const list = ownActions.map((action) => `'${action}'`).join(', ');
  return reader.all(
    `SELECT at, action, actor_id FROM audit_entries WHERE company_id = :companyId AND action IN (${list})
     AND family <> 'clock' AND at >= :since AND details LIKE '%"own_record":true%' ORDER BY at DESC, sequence DESC LIMIT :limit`,
    { companyId, since, limit },
  );
}

/** Extensions that may read data of a company: its own, and those of the installation. */
export async function countExtensions(reader: Reader, companyId: CompanyId): Promise<number> {
  const row = await reader.get<{ count: number }>(
    'SELECT COUNT(*) AS count FROM extensions WHERE deleted_at IS NULL AND (company_id = :companyId OR company_id IS NULL)',
    { companyId },
  );
  return Number(row?.count ?? 0);
}

/** A condition over audit entries `e`: without younger stamps of others if the company has switched presence off. */
export function stampsShownTo(personId: PersonId, since: Instant): { sql: string; parameters: Parameters } {
  return {
    sql: `NOT (e.family = 'clock' AND e.at > :presentSince AND e.subject <> :self AND EXISTS (
      SELECT 1 FROM evaluation_switches s WHERE s.company_id = e.company_id AND s.evaluation = 'presence' AND s.enabled = 0))`,
    parameters: { presentSince: since, self: `person ${personId}` },
  };
}

/**
 * For each of the latest closed months, the number of people with entries that count, and of those among them under its
 * commitment.
 */
export async function countProven(
  reader: Reader,
  companyId: CompanyId,
): Promise<{ readonly month: string; readonly with_times: number; readonly with_proof: number }[]> {
  const rows = await reader.all<{ month: string; with_times: number; with_proof: number }>(
    `SELECT m.month, COUNT(DISTINCT e.person_id) AS with_times, COUNT(DISTINCT l.person_id) AS with_proof
     FROM (SELECT * FROM closed_months WHERE company_id = :companyId ORDER BY month DESC LIMIT 12) m
     LEFT JOIN time_entries e ON e.company_id = m.company_id AND e.date >= m.month || '-01' AND e.date <= m.month || '-31'
       AND e.status <> 'rejected'
     LEFT JOIN commitments c ON c.company_id = m.company_id AND c.period = m.month AND c.made_at = m.closed_at
     LEFT JOIN commitment_leaves l ON l.commitment_id = c.id AND l.person_id = e.person_id
     GROUP BY m.month ORDER BY m.month DESC`,
    { companyId },
  );
  return rows.map(({ month, ...counts }) => ({
    month,
    with_times: Number(counts.with_times),
    with_proof: Number(counts.with_proof),
  }));
}
