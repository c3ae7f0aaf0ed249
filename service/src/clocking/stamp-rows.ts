/** Everything a stamp is decided from, in one read. */
import type { Dialect, Reader, Row } from '@clockproof/platform/database/database';
import { day, hour, type Instant } from '@clockproof/platform/time/instant';
import type { LocalDate } from '@clockproof/platform/time/local-date';
import { maxSpanDays } from '../absences/rows.js';
import type { LogHead } from '../audit/audit.js';
import type { CompanyId, PersonId } from '../ids.js';
import { type PersonRow, personColumns, personTables } from '../people/rows.js';
import type { StampKind } from './clock-state.js';
import type { ClockRow, EntryRow } from './rows.js';

export interface StampFacts {
  readonly person: PersonRow;
  /** Undefined before the first stamp. */
  readonly clock: (ClockRow & { readonly revision: number }) | undefined;
  readonly open: EntryRow | undefined;
  /** Counting entries of the last day or so, counted back from the start of the open entry if there is one, by start. */
  readonly recent: readonly EntryRow[];
  /** When the last finished work before those ended. */
  readonly endBefore: Instant | undefined;
  /** When clocking in: approved absences of whole days around now. */
  readonly absences: readonly AbsenceToday[];
  /** The latest closed month of the company (`YYYY-MM`): nothing is written up to its end. */
  readonly closedUntil: string | undefined;
  /** The number of the next entry, where there is no open one and the database can tell in advance. */
  readonly newEntryId: number | undefined;
  /** The head of the audit log. */
  readonly logHead: LogHead;
  /** See `sequenceLock`. */
  readonly fence: number;
  /** What an earlier request with the same idempotency key was answered. */
  readonly remembered:
    | { readonly fingerprint: string; readonly answer: string | null; readonly at: Instant }
    | undefined;
}

/** With what the company says about the kind; null where it has not changed the built-in one. */
export interface AbsenceToday {
  readonly type: string;
  readonly start_date: LocalDate;
  readonly end_date: LocalDate;
  readonly overlap_class: 'away' | 'elsewhere' | null;
  readonly label_de: string | null;
  readonly label_en: string | null;
}

export interface StampQuestion {
  readonly kind: StampKind;
  readonly personId: PersonId;
  readonly companyId: CompanyId;
  readonly at: Instant;
  /** Whose idempotency key it is, and the key. */
  readonly repeat?: { readonly caller: string; readonly key: string } | undefined;
}

const entryFields = [
  'id',
  'company_id',
  'person_id',
  'date',
  'start_at',
  'end_at',
  'breaks',
  'stamps',
  'status',
  'source_kind',
  'source_id',
  'source_name',
  'proof',
  'comment',
  'break_rules',
  'created_at',
  'updated_at',
  'changed',
] as const satisfies readonly (keyof EntryRow)[];
const clockFields = [
  'person_id',
  'company_id',
  'state',
  'since',
  'break_since',
  'source_kind',
  'source_id',
  'source_name',
  'updated_at',
  'revision',
] as const;

const absenceFields = ['type', 'start_date', 'end_date'] as const;
const typeFields = ['overlap_class', 'label_de', 'label_en'] as const;

// No local day is longer than 25 hours; an instant of it may be recorded by a clock some minutes ahead.
const recently = 27 * hour;

const recentSince = `COALESCE((SELECT o.start_at FROM time_entries o WHERE o.person_id = :personId AND o.status = 'open'), :at) - ${recently}`;

const statement = (dialect: Dialect) => `SELECT ${personColumns},
  ${clockFields.map((name) => `s.${name} AS clock_${name}`).join(', ')},
  ${entryFields.map((name) => `e.${name} AS entry_${name}`).join(', ')},
  ${absenceFields.map((name) => `a.${name} AS absence_${name}`).join(', ')},
  ${typeFields.map((name) => `y.${name} AS absence_${name}`).join(', ')},
  h.sequence - h.optimistic AS fence, g.sequence AS log_sequence, g.hash AS log_hash,
  ${
    dialect.nextIdentity === undefined
      ? 'NULL'
      : `CASE WHEN EXISTS (SELECT 1 FROM time_entries o WHERE o.person_id = p.id AND o.status = 'open') THEN NULL ELSE (SELECT ${dialect.nextIdentity('time_entries')}) END`
  } AS new_entry_id,
  (SELECT l.end_at FROM time_entries l WHERE l.person_id = p.id AND l.start_at < ${recentSince} AND l.status IN ('recorded', 'approved')
    ORDER BY l.start_at DESC LIMIT 1) AS end_before,
  (SELECT MAX(m.month) FROM closed_months m WHERE m.company_id = p.company_id) AS closed_until,
  k.fingerprint AS remembered_fingerprint, k.answer AS remembered_answer, k.at AS remembered_at
 FROM ${personTables}
 JOIN event_head h ON h.one = 1
 JOIN audit_head g ON g.one = 1
 LEFT JOIN clock_states s ON s.person_id = p.id
 LEFT JOIN idempotency_keys k ON k.caller = :repeat_caller AND k.key = :repeat_key
 LEFT JOIN time_entries e ON e.person_id = p.id AND e.start_at >= ${recentSince} AND e.status IN ('open', 'recorded', 'approved')
 LEFT JOIN absences a ON a.person_id = p.id AND a.start_date >= :earliest_start AND a.start_date <= :latest_start AND a.end_date >= :earliest_end
   AND a.half_day IS NULL AND a.status IN ('approved', 'cancellation_requested')
 LEFT JOIN absence_types y ON y.company_id = p.company_id AND y.key = a.type
 WHERE p.id = :personId AND p.company_id = :companyId`;

/** @returns undefined where the company has no such person */
export async function readStampFacts(reader: Reader, question: StampQuestion): Promise<StampFacts | undefined> {
  const { personId, companyId, at, kind, repeat } = question;
  const rows = await reader.all<Row>(statement(reader.dialect), {
    personId,
    companyId,
    at,
    // Wherever the company is, its local date is one of these days. Only clocking in warns of an absence; for the
    // others the span is empty.
    earliest_start: kind === 'in' ? dateOf(at - maxSpanDays * day) : '9999-12-31',
    latest_start: dateOf(at + day),
    earliest_end: dateOf(at - day),
    repeat_caller: repeat?.caller ?? null,
    repeat_key: repeat?.key ?? null,
  });
  const [first] = rows;
  if (first === undefined) return undefined;
  // Every entry meets every absence; nearly always there is none or one of them.
  const entries = new Map(rows.map((row) => [row['entry_id'], pick<EntryRow>(row, 'entry_', entryFields)]));
  entries.delete(null);
  const absences = new Map(
    rows
      .filter((row) => row['absence_type'] !== null)
      .map((row) => [`${row['absence_type']} ${row['absence_start_date']}`, absenceOf(row)]),
  );
  return {
    person: first as unknown as PersonRow,
    clock: first['clock_person_id'] === null ? undefined : pick(first, 'clock_', clockFields),
    open: [...entries.values()].find((entry) => entry.status === 'open'),
    recent: [...entries.values()].sort((a, b) => a.start_at - b.start_at || a.id - b.id),
    absences: [...absences.values()],
    endBefore: (first['end_before'] as number | null) ?? undefined,
    closedUntil: (first['closed_until'] as string | null) ?? undefined,
    newEntryId: (first['new_entry_id'] as number | null) ?? undefined,
    logHead: { sequence: first['log_sequence'] as number, hash: first['log_hash'] as string },
    fence: first['fence'] as number,
    remembered:
      first['remembered_fingerprint'] === null
        ? undefined
        : {
            fingerprint: first['remembered_fingerprint'] as string,
            answer: first['remembered_answer'] as string | null,
            at: first['remembered_at'] as number,
          },
  };
}

function pick<Picked>(row: Row, prefix: string, names: readonly string[]): Picked {
  const picked: Row = {};
  for (const name of names) picked[name] = row[prefix + name];
  return picked as Picked;
}

function absenceOf(row: Row): AbsenceToday {
  return pick<AbsenceToday>(row, 'absence_', [...absenceFields, ...typeFields]);
}

function dateOf(at: Instant): LocalDate {
  return new Date(at).toISOString().slice(0, 10);
}
