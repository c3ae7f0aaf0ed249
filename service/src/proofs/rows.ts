import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import type { LocalDate } from '@clockproof/platform/time/local-date';
import type { EntryRow } from '../clock/rows.js';
import type { Tables } from '../generated/tables.js';
import type { SignOffRow } from '../months/sheets/rows.js';
import { defined } from '../store/defined.js';
import type { CompanyId, PersonId } from '../store/ids.js';
import { insertFrom, insertReturning, updateWhere, type Writing } from '../store/tables.js';

export type CommitmentRow = Tables['commitments'];
export type LeafRow = Tables['commitment_leaves'];

/** A closed month of a company, and its first and last day. */
export interface MonthSpan {
  readonly companyId: CompanyId;
  readonly month: string;
  readonly first: string;
  readonly last: string;
}

const leafColumns = ['commitment_id', 'slot', 'leaf', 'person_id', 'parts'] as const;

export async function insertCommitment(
  tx: Writing,
  commitment: Omit<CommitmentRow, 'id'>,
  leaves: readonly Omit<LeafRow, 'commitment_id'>[],
): Promise<CommitmentRow> {
  const row = await insertReturning(tx, 'commitments', commitment);
  // In one statement: closing 1,000 people holds their stamps until it is done.
  const rows = leaves.map((leaf): LeafRow => ({ commitment_id: row.id, ...leaf }));
  await insertFrom(
    tx,
    'commitment_leaves',
    leafColumns,
    `SELECT ${leafColumns.join(', ')} FROM ${tx.dialect.jsonRows('commitment_leaves', leafColumns, ':rows')} r`,
    { rows: JSON.stringify(rows) },
  );
  return row;
}

/** The newest revision of a company's month. */
export function findCommitment(
  reader: Reader,
  { companyId, month }: Pick<MonthSpan, 'companyId' | 'month'>,
): Promise<CommitmentRow | undefined> {
  return reader.get<CommitmentRow>(
    'SELECT * FROM commitments WHERE company_id = :companyId AND period = :month ORDER BY revision DESC LIMIT 1',
    { companyId, month },
  );
}

/** Every revision of a company's month, oldest first. */
export function listRevisions(
  reader: Reader,
  { companyId, month }: Pick<MonthSpan, 'companyId' | 'month'>,
): Promise<CommitmentRow[]> {
  return reader.all<CommitmentRow>(
    'SELECT * FROM commitments WHERE company_id = :companyId AND period = :month ORDER BY revision',
    { companyId, month },
  );
}

export type PersonOfProofs = Pick<Tables['people'], 'company_id' | 'tracking_start' | 'employment_end'> &
  Pick<Tables['companies'], 'time_zone'> & { readonly company_token: string; readonly person_token: string };

/** The tokens by which a verifier knows company and person, and the person's time in the company. */
export function findTokens(reader: Reader, personId: PersonId): Promise<PersonOfProofs | undefined> {
  return reader.get(
    `SELECT p.company_id, c.proof_token AS company_token, p.proof_token AS person_token, p.tracking_start,
       p.employment_end, c.time_zone
     FROM people p JOIN companies c ON c.id = p.company_id WHERE p.id = :personId`,
    { personId },
  );
}

export type ProofRow = Pick<CommitmentRow, 'period' | 'revision' | 'root' | 'made_at' | 'state'> & {
  /** Indexes that confirm it. */
  readonly confirmed_by: number;
  /** The report of the first transaction that every index confirms. */
  readonly reported_at: Instant | null;
  /** The month is closed with it. */
  readonly is_current: 0 | 1;
};

/** The commitments that have a leaf of the person, newest first. */
export function listProofsOfPerson(reader: Reader, personId: PersonId): Promise<ProofRow[]> {
  return reader.all<ProofRow>(
    `SELECT c.period, c.revision, c.root, c.made_at, c.state,
       (SELECT count(DISTINCT k.index_url) FROM anchor_checks k JOIN anchors a ON a.id = k.anchor_id
        WHERE a.commitment_id = c.id AND k.verdict = 'match') AS confirmed_by,
       (SELECT min(a.reported_at) FROM anchors a WHERE a.commitment_id = c.id
         AND EXISTS (SELECT 1 FROM anchor_checks k WHERE k.anchor_id = a.id AND k.verdict = 'match')
         AND NOT EXISTS (SELECT 1 FROM anchor_checks k WHERE k.anchor_id = a.id AND k.verdict <> 'match')) AS reported_at,
       CASE WHEN EXISTS (SELECT 1 FROM closed_months m WHERE m.company_id = c.company_id AND m.month = c.period)
         AND NOT EXISTS (SELECT 1 FROM commitments n
           WHERE n.company_id = c.company_id AND n.period = c.period AND n.revision > c.revision)
         THEN 1 ELSE 0 END AS is_current
     FROM commitment_leaves l JOIN commitments c ON c.id = l.commitment_id
     WHERE l.person_id = :personId ORDER BY c.period DESC, c.revision DESC`,
    { personId },
  );
}

/** The months of a person that were closed more than once, as committed to, by period and revision. */
export function listRevisedMonths(
  reader: Reader,
  personId: PersonId,
): Promise<(Pick<CommitmentRow, 'period' | 'revision'> & Pick<LeafRow, 'parts'>)[]> {
  return reader.all(
    `SELECT c.period, c.revision, l.parts FROM commitment_leaves l JOIN commitments c ON c.id = l.commitment_id
     WHERE l.person_id = :personId AND EXISTS (SELECT 1 FROM commitments o
       WHERE o.company_id = c.company_id AND o.period = c.period AND o.revision <> c.revision)
     ORDER BY c.period, c.revision`,
    { personId },
  );
}

/** The leaf of a person in a month, of the newest revision or of a given one. */
export function findLeafOfPerson(
  reader: Reader,
  {
    personId,
    period,
    revision,
  }: { readonly personId: PersonId; readonly period: string; readonly revision?: number | undefined },
): Promise<
  | (LeafRow &
      Pick<CommitmentRow, 'revision' | 'root' | 'seed' | 'upper_nodes'> & {
        readonly company_id: CompanyId;
        readonly company_token: string;
        readonly record_salt: string;
      })
  | undefined
> {
  return reader.get(
    `SELECT l.*, c.revision, c.root, c.seed, c.upper_nodes, c.company_id, o.proof_token AS company_token, p.record_salt
     FROM commitment_leaves l JOIN commitments c ON c.id = l.commitment_id JOIN companies o ON o.id = c.company_id
     JOIN people p ON p.id = l.person_id
     WHERE l.person_id = :personId AND c.period = :period ${revision === undefined ? '' : 'AND c.revision = :revision'}
     ORDER BY c.revision DESC LIMIT 1`,
    { personId, period, ...defined({ revision }) },
  );
}

/** Active people with a proof whose last day lies in a span, and who have no notice to keep their proofs. */
export function listLeaversWithoutNotice(
  reader: Reader,
  first: LocalDate,
  last: LocalDate,
): Promise<{ readonly id: PersonId }[]> {
  return reader.all(
    `SELECT p.id FROM people p JOIN companies c ON c.id = p.company_id
     WHERE p.active = 1 AND c.active = 1 AND p.employment_end >= :first AND p.employment_end <= :last
       AND EXISTS (SELECT 1 FROM commitment_leaves l WHERE l.person_id = p.id)
       AND NOT EXISTS (SELECT 1 FROM notices n
         WHERE n.about = 'last day ' || p.employment_end AND n.kind = 'proofs_to_keep' AND n.person_id = p.id)
     ORDER BY p.id LIMIT 1000`,
    { first, last },
  );
}

/** Leaves of a commitment from a slot to another, by slot. @param end excluded */
export function listLeaves(
  reader: Reader,
  slots: { readonly commitmentId: number; readonly first: number; readonly end: number },
): Promise<Pick<LeafRow, 'slot' | 'leaf'>[]> {
  return reader.all(
    `SELECT slot, leaf FROM commitment_leaves WHERE commitment_id = :commitmentId AND slot >= :first AND slot < :end
     ORDER BY slot`,
    slots,
  );
}

/** A person of a closed month, with the columns that closing stored. */
export type ClosedPersonRow = Pick<
  Tables['month_balances'],
  'person_id' | 'days' | 'target_minutes' | 'worked_minutes' | 'difference_minutes'
> &
  Pick<Tables['closed_month_people'], 'first_name' | 'last_name' | 'personnel_number'> &
  Pick<Tables['people'], 'record_salt' | 'proof_token'>;

/** The commitment to the audit log of a day. @param period `log-2026-11-27` */
export function findLogCommitment(reader: Reader, period: string): Promise<CommitmentRow | undefined> {
  return reader.get<CommitmentRow>('SELECT * FROM commitments WHERE company_id IS NULL AND period = :period', {
    period,
  });
}

/** Commitments to the audit log whose root no head has, by period. */
export function listLogCommitmentsWithoutHead(reader: Reader): Promise<Pick<CommitmentRow, 'period'>[]> {
  return reader.all(
    `SELECT period FROM commitments WHERE company_id IS NULL AND root NOT IN (SELECT root FROM audit_heads) ORDER BY period`,
  );
}

/** Whether the service has committed to a root for a month of a company. */
export async function hasCommitment(
  reader: Reader,
  key: { readonly companyId: number; readonly period: string; readonly root: string },
): Promise<boolean> {
  const row = await reader.get(
    'SELECT 1 AS one FROM commitments WHERE company_id = :companyId AND period = :period AND root = :root',
    key,
  );
  return row !== undefined;
}

/** The tokens under which the months of every company are anchored. */
export function listCompanyTokens(reader: Reader): Promise<{ readonly id: CompanyId; readonly proof_token: string }[]> {
  return reader.all('SELECT id, proof_token FROM companies ORDER BY id');
}

/** The tokens of everybody of a company under the roots of its months. */
export function listPersonTokens(
  reader: Reader,
  companyId: CompanyId,
): Promise<{ readonly id: PersonId; readonly proof_token: string }[]> {
  return reader.all('SELECT id, proof_token FROM people WHERE company_id = :companyId', { companyId });
}

/** Every commitment to a month, by company, period and revision. */
export function listMonthCommitments(
  reader: Reader,
): Promise<(CommitmentRow & { readonly company_id: CompanyId; readonly company_token: string })[]> {
  return reader.all(
    `SELECT c.*, o.proof_token AS company_token FROM commitments c JOIN companies o ON o.id = c.company_id
     WHERE c.kind = 'month' ORDER BY c.company_id, c.period, c.revision`,
  );
}

/** Closed months whose closing has made no commitment. */
export function listMonthsWithoutCommitment(
  reader: Reader,
): Promise<{ readonly company_id: CompanyId; readonly month: string }[]> {
  return reader.all(
    `SELECT m.company_id, m.month FROM closed_months m
     WHERE NOT EXISTS (SELECT 1 FROM commitments c WHERE c.company_id = m.company_id AND c.period = m.month AND c.made_at = m.closed_at)
     ORDER BY m.company_id, m.month`,
  );
}

/** All leaves of a commitment, by slot, each with salt and token of its person. */
export function listCommittedLeaves(
  reader: Reader,
  commitmentId: number,
): Promise<(LeafRow & { readonly record_salt: string | null; readonly proof_token: string | null })[]> {
  return reader.all(
    `SELECT l.*, p.record_salt, p.proof_token FROM commitment_leaves l LEFT JOIN people p ON p.id = l.person_id
     WHERE l.commitment_id = :commitmentId ORDER BY l.slot`,
    { commitmentId },
  );
}

/** Everybody of a closed month, by id. */
export function listClosedPeople(
  reader: Reader,
  { companyId, month }: Pick<MonthSpan, 'companyId' | 'month'>,
): Promise<ClosedPersonRow[]> {
  return reader.all(
    `SELECT b.person_id, b.days, b.target_minutes, b.worked_minutes, b.difference_minutes, n.first_name, n.last_name, n.personnel_number, p.record_salt, p.proof_token
     FROM month_balances b JOIN people p ON p.id = b.person_id
     JOIN closed_month_people n ON n.company_id = b.company_id AND n.month = b.month AND n.person_id = b.person_id
     WHERE b.company_id = :companyId AND b.month = :month ORDER BY b.person_id`,
    { companyId, month },
  );
}

/** The entries of a company's month that count, in order of time. */
export function listEntriesOfMonth(reader: Reader, { companyId, first, last }: MonthSpan): Promise<EntryRow[]> {
  return reader.all<EntryRow>(
    `SELECT * FROM time_entries WHERE company_id = :companyId AND date >= :first AND date <= :last AND status <> 'rejected'
     ORDER BY person_id, date, start_at, id`,
    { companyId, first, last },
  );
}

/** Bookings of a company's month, by date. */
export function listBookingsOfMonth(
  reader: Reader,
  { companyId, first, last }: MonthSpan,
): Promise<Pick<Tables['time_bookings'], 'person_id' | 'date' | 'kind' | 'minutes'>[]> {
  return reader.all(
    `SELECT person_id, date, kind, minutes FROM time_bookings
     WHERE company_id = :companyId AND date >= :first AND date <= :last ORDER BY date, id`,
    { companyId, first, last },
  );
}

/** Sign-offs of a company's month, oldest first. */
export function listSignOffsOfMonth(
  reader: Reader,
  { companyId, month }: MonthSpan,
): Promise<Pick<SignOffRow, 'person_id' | 'role' | 'at' | 'digest'>[]> {
  return reader.all(
    `SELECT person_id, role, at, digest FROM month_sign_offs WHERE company_id = :companyId AND month = :month ORDER BY id`,
    { companyId, month },
  );
}

/** Closings and re-openings of a company's month, oldest first. */
export function listSteps(
  reader: Reader,
  { companyId, month }: Pick<MonthSpan, 'companyId' | 'month'>,
): Promise<Pick<Tables['month_steps'], 'step' | 'at' | 'reason'>[]> {
  return reader.all(
    'SELECT step, at, reason FROM month_steps WHERE company_id = :companyId AND month = :month ORDER BY id',
    { companyId, month },
  );
}

/** Leaves the leaf of an erased person, and nothing else of them: everybody else's path still leads to the root. */
export async function forgetMonths(tx: Writing, personId: PersonId): Promise<void> {
  await updateWhere(tx, 'commitment_leaves', { person_id: null, parts: null }, 'person_id = :personId', { personId });
}
