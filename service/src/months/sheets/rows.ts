import type { Reader } from '@clockproof/platform/database/database';
import type { LocalDate } from '@clockproof/platform/time/local-date';
import type { VersionRow } from '../../clock/correction-rows.js';
import type { EntryRow } from '../../clock/rows.js';
import type { Tables } from '../../generated/tables.js';
import type { CompanyId, PersonId } from '../../store/ids.js';
import { among, insert, type Writing } from '../../store/tables.js';

export type SignOffRow = Tables['month_sign_offs'];

/** All sign-offs of a person's month, oldest first. */
export function listSignOffs(reader: Reader, personId: PersonId, month: string): Promise<SignOffRow[]> {
  return reader.all<SignOffRow>(
    'SELECT * FROM month_sign_offs WHERE person_id = :personId AND month = :month ORDER BY id',
    { personId, month },
  );
}

/** Sign-offs by people for the given months that lack an approver's for the same state; by month. */
export async function listUnanswered(
  reader: Reader,
  personIds: readonly PersonId[],
  months: readonly [string, string],
): Promise<Pick<SignOffRow, 'person_id' | 'month' | 'digest'>[]> {
  if (personIds.length === 0) return [];
  const { list, parameters } = among(personIds);
  return reader.all(
    `SELECT DISTINCT s.person_id, s.month, s.digest FROM month_sign_offs s
     WHERE s.person_id IN (${list}) AND s.month IN (:first, :last) AND s.role = 'person'
       AND NOT EXISTS (SELECT 1 FROM month_sign_offs a WHERE a.person_id = s.person_id AND a.month = s.month AND a.digest = s.digest AND a.role = 'approver')
     ORDER BY s.month, s.person_id`,
    { first: months[0], last: months[1], ...parameters },
  );
}

export async function insertSignOff(tx: Writing, row: Omit<SignOffRow, 'id'>): Promise<void> {
  await insert(tx, 'month_sign_offs', row);
}

type Span = { readonly personId: PersonId; readonly from: LocalDate; readonly to: LocalDate };

/** A person's entries of a span in order of time, in every state. */
export function listEntriesOfSheet(reader: Reader, { personId, from, to }: Span): Promise<EntryRow[]> {
  return reader.all<EntryRow>(
    'SELECT * FROM time_entries WHERE person_id = :personId AND date >= :from AND date <= :to ORDER BY date, start_at, id',
    { personId, from, to },
  );
}

/** Changes of the entries of a span after they were recorded, oldest first. */
export function listChangesOfEntries(
  reader: Reader,
  { personId, from, to }: Span,
): Promise<
  (Pick<VersionRow, 'entry_id' | 'at' | 'changed_by' | 'source_name' | 'change' | 'reason'> & { date: LocalDate })[]
> {
  return reader.all(
    `SELECT v.entry_id, v.at, v.changed_by, v.source_name, v.change, v.reason, e.date FROM entry_versions v JOIN time_entries e ON e.id = v.entry_id
     WHERE e.person_id = :personId AND e.date >= :from AND e.date <= :to AND v.change <> 'recorded' ORDER BY v.at, v.entry_id, v.version`,
    { personId, from, to },
  );
}

/** The last re-openings of a month, oldest first. */
export async function listReopenings(
  reader: Reader,
  companyId: CompanyId,
  month: string,
): Promise<Pick<Tables['month_steps'], 'at' | 'person_id' | 'reason'>[]> {
  return reader.all(
    "SELECT at, person_id, reason FROM month_steps WHERE company_id = :companyId AND month = :month AND step = 'reopened' ORDER BY id",
    { companyId, month },
  );
}

/**
 * The root to which closing a person's month has committed, and the tokens and sender by which a verifier knows
 * company, person and anchor.
 */
export type RootOfSheet = Pick<Tables['commitments'], 'root' | 'revision'> & {
  readonly company_token: string;
  readonly person_token: string;
  /** The sender of the company's last anchor. */
  readonly sender: string | null;
};

/** Undefined while the month is open. */
export function findRootOfSheet(reader: Reader, personId: PersonId, month: string): Promise<RootOfSheet | undefined> {
  return reader.get<RootOfSheet>(
    `SELECT c.root, c.revision, o.proof_token AS company_token, p.proof_token AS person_token,
       (SELECT a.sender FROM anchors a JOIN commitments n ON n.id = a.commitment_id
        WHERE n.company_id = c.company_id AND n.state = 'anchored' ORDER BY a.id DESC LIMIT 1) AS sender
     FROM commitment_leaves l JOIN commitments c ON c.id = l.commitment_id
     JOIN closed_months m ON m.company_id = c.company_id AND m.month = c.period AND m.closed_at = c.made_at
     JOIN companies o ON o.id = c.company_id JOIN people p ON p.id = l.person_id
     WHERE l.person_id = :personId AND c.period = :month ORDER BY c.revision DESC LIMIT 1`,
    { personId, month },
  );
}
