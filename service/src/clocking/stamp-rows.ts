/** Everything that stamps are decided from, in one read for all that wait together. */
import type { Dialect, Reader, Row, Value } from '@clockproof/platform/database/database';
import { day, formatInstant, hour, type Instant } from '@clockproof/platform/time/instant';
import type { LocalDate } from '@clockproof/platform/time/local-date';
import { maxSpanDays } from '../absences/rows.js';
import type { LogHead } from '../audit/audit.js';
import type { SequenceHead } from '../events/rows.js';
import type { Holder } from '../extensions/keys.js';
import type { CompanyId, PersonId } from '../ids.js';
import type { PersonRow } from '../people/rows.js';
import type { SpecialRuleRow } from '../working-time/rows.js';
import type { StampKind } from './clock-state.js';
import type { ClockRow, EntryRow } from './rows.js';

/** What a stamp needs of the person, their company and its rules. */
export type StampPerson = Pick<
  PersonRow,
  (typeof personFields)[number] | (typeof companyFields)[number] | 'company_active'
>;

export interface StampFacts {
  readonly person: StampPerson;
  /** Undefined before the first stamp. */
  readonly clock: (Pick<ClockRow, 'person_id' | 'since'> & { readonly revision: number }) | undefined;
  readonly open: EntryRow | undefined;
  /** Counting entries of the last day or so, counted back from the start of the open entry if there is one, by start. */
  readonly recent: readonly EntryRow[];
  /** When the last finished work before those ended. */
  readonly endBefore: Instant | undefined;
  /** Special rules for working days of the person, whenever they apply. */
  readonly specialRules: readonly StampRule[];
  /** When clocking in: approved absences of whole days around now. */
  readonly absences: readonly AbsenceToday[];
  /** The latest closed month of the company (`YYYY-MM`): nothing is written up to its end. */
  readonly closedUntil: string | undefined;
  /** The number of the next entry, where there is no open one and the database can tell in advance. */
  readonly newEntryId: number | undefined;
  /** Where it cannot: the last number given. */
  readonly lastEntryId: number | undefined;
  /** The head of the audit log. */
  readonly logHead: LogHead;
  /** The commit sequence, see `sequenceLock`. */
  readonly sequence: SequenceHead;
  /** What an earlier request with the same idempotency key was answered. */
  readonly remembered:
    | { readonly fingerprint: string; readonly answer: string | null; readonly at: Instant }
    | undefined;
}

export type StampRule = Pick<SpecialRuleRow, (typeof ruleFields)[number]>;

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

const personFields = [
  'id',
  'company_id',
  'language',
  'active',
  'employment_start',
  'employment_end',
  'record_salt',
] as const satisfies readonly (keyof PersonRow)[];
const companyFields = [
  'time_zone',
  'country',
  'region',
  'deducts_breaks_from',
  'short_rest_branch',
  'record_duty',
] as const satisfies readonly (keyof PersonRow)[];
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
const clockFields = ['person_id', 'since', 'revision'] as const;
const absenceFields = ['type', 'start_date', 'end_date'] as const;
const ruleFields = ['kind', 'valid_from', 'valid_to', 'evening_work'] as const;
const typeFields = ['overlap_class', 'label_de', 'label_en'] as const;

const prefixed = (table: string, names: readonly string[], prefix: string) =>
  names.map((name) => `${table}.${name} AS ${prefix}${name}`).join(', ');

// No local day is longer than 25 hours; an instant of it may be recorded by a clock some minutes ahead.
const recently = 27 * hour;

/** How many questions a statement has room for: few statements serve all sizes. */
const sizes = [1, 4, 16] as const;
/** Most questions that one read answers. */
export const mostTogether = sizes.at(-1)!;

const statements = new Map<string, string>();

function remembered(name: string, compose: () => string): string {
  const known = statements.get(name) ?? compose();
  statements.set(name, known);
  return known;
}

/** A statement with room for so many questions; one without a person has no answer. */
function statementFor(dialect: Dialect, size: number): string {
  return remembered(`${dialect.name} ${size}`, () => {
    const questions = Array.from({ length: size }, (_, place) => {
      const { whole, text } = bindingsOf(dialect, place);
      return `(${place}, ${whole('person')}, ${whole('at')}, ${text('earliest_start')}, ${text('latest_start')}, ${text('earliest_end')}, ${text('caller')}, ${text('key')})`;
    });
    return statement(dialect, `VALUES ${questions.join(', ')}`);
  });
}

/** The question of somebody who is not known yet: who it is, the statement finds out. */
function aheadStatement(dialect: Dialect, holder: string): string {
  return remembered(`${dialect.name} ${holder}`, () => {
    const { whole, text } = bindingsOf(dialect, 0);
    return statement(
      dialect,
      `SELECT 0, h.person, ${whole('at')}, ${text('earliest_start')}, ${text('latest_start')}, ${text('earliest_end')}, h.caller, ${text('key')} FROM (${holder}) h`,
    );
  });
}

function bindingsOf({ integer }: Dialect, place: number) {
  return {
    whole: (column: string) => `CAST(:${column}_${place} AS ${integer})`,
    text: (column: string) => `CAST(:${column}_${place} AS TEXT)`,
  };
}

const statement = (
  { nextIdentity, lastIdentities }: Dialect,
  questions: string,
) => `WITH q (place, person, at, earliest_start, latest_start, earliest_end, caller, repeated) AS (${questions})
 SELECT q.place, q.caller AS asked_by, ${personFields.map((field) => `p.${field}`).join(', ')}, ${companyFields.map((field) => `c.${field}`).join(', ')}, c.active AS company_active,
  ${prefixed('s', clockFields, 'clock_')}, ${prefixed('e', entryFields, 'entry_')},
  ${prefixed('a', absenceFields, 'absence_')}, ${prefixed('y', typeFields, 'absence_')},
  t.id AS rule_id, ${prefixed('t', ruleFields, 'rule_')},
  h.sequence, h.optimistic, g.sequence AS log_sequence, g.hash AS log_hash,
  ${nextIdentity === undefined ? 'NULL' : `CASE WHEN o.id IS NULL THEN ${nextIdentity('time_entries')} END`} AS new_entry_id,
  ${lastIdentities === undefined ? 'NULL' : `(SELECT i.seq FROM ${lastIdentities} i WHERE i.name = 'time_entries')`} AS last_entry_id,
  (SELECT l.end_at FROM time_entries l WHERE l.person_id = p.id AND l.start_at < COALESCE(o.start_at, q.at) - ${recently} AND l.status IN ('recorded', 'approved')
    ORDER BY l.start_at DESC LIMIT 1) AS end_before,
  (SELECT MAX(m.month) FROM closed_months m WHERE m.company_id = p.company_id) AS closed_until,
  k.fingerprint AS remembered_fingerprint, k.answer AS remembered_answer, k.at AS remembered_at
 FROM q
 JOIN people p ON p.id = q.person
 JOIN companies c ON c.id = p.company_id
 JOIN event_head h ON h.one = 1
 JOIN audit_head g ON g.one = 1
 LEFT JOIN clock_states s ON s.person_id = p.id
 LEFT JOIN idempotency_keys k ON k.caller = q.caller AND k.key = q.repeated
 LEFT JOIN time_entries o ON o.person_id = p.id AND o.status = 'open'
 LEFT JOIN time_entries e ON e.person_id = p.id AND e.start_at >= COALESCE(o.start_at, q.at) - ${recently} AND e.status IN ('open', 'recorded', 'approved')
 LEFT JOIN absences a ON a.person_id = p.id AND a.start_date >= q.earliest_start AND a.start_date <= q.latest_start AND a.end_date >= q.earliest_end
   AND a.half_day IS NULL AND a.status IN ('approved', 'cancellation_requested')
 LEFT JOIN special_rules t ON t.person_id = p.id AND t.kind <> 'minijob'
 LEFT JOIN absence_types y ON y.company_id = p.company_id AND y.key = a.type`;

/** @returns an answer per question, in the same order; undefined where the company has no such person */
export async function readStampFacts(
  reader: Reader,
  questions: readonly StampQuestion[],
): Promise<(StampFacts | undefined)[]> {
  const size = sizes.find((size) => size >= questions.length) ?? mostTogether;
  const parameters: Record<string, Value> = {};
  for (let place = 0; place < size; place++) {
    const question = questions[place];
    bind(parameters, place, question);
    parameters[`person_${place}`] = question?.personId ?? null;
    parameters[`caller_${place}`] = question?.repeat?.caller ?? null;
  }
  const rows = await reader.all<Row>(statementFor(reader.dialect, size), parameters);
  const answers = questions.map((): Row[] => []);
  for (const row of rows) {
    const place = row['place'] as number;
    // Compared here: in the statement, it makes PostgreSQL look through the company's people.
    if (row['company_id'] === questions[place]!.companyId) answers[place]!.push(row);
  }
  return answers.map(factsIn);
}

/** Binds what a question asks, apart from who asks it about whom. */
function bind(parameters: Record<string, Value>, place: number, question: AheadQuestion | undefined): void {
  // Wherever the company is, its local date is one of these days. Only clocking in warns of an absence; for the
  // others the span is empty.
  parameters[`earliest_start_${place}`] =
    question?.kind === 'in' ? dateOf(question.at - maxSpanDays * day) : '9999-12-31';
  parameters[`latest_start_${place}`] = question === undefined ? null : dateOf(question.at + day);
  parameters[`earliest_end_${place}`] = question === undefined ? null : dateOf(question.at - day);
  parameters[`at_${place}`] = question?.at ?? null;
  parameters[`key_${place}`] = question?.repeat?.key ?? null;
}

/** What is known of a stamp before its caller is. */
export interface AheadQuestion extends Pick<StampQuestion, 'kind' | 'at'> {
  readonly repeat?: { readonly key: string } | undefined;
}

/**
 * What a stamp is decided from, read before it was known who calls. A credential that does not hold reads nothing, and
 * the facts open only for the caller, company and person that authentication found.
 */
export class FactsAhead {
  readonly #question: AheadQuestion;
  readonly #rows: Promise<Row[]>;

  constructor(reader: Reader, holder: Holder, question: AheadQuestion) {
    const parameters: Record<string, Value> = { ...holder.parameters };
    bind(parameters, 0, question);
    this.#question = question;
    // What cannot be read now is read in its turn.
    this.#rows = reader.all<Row>(aheadStatement(reader.dialect, holder.sql), parameters).catch(() => []);
  }

  /** Resolves when they have been read. */
  async read(): Promise<void> {
    await this.#rows;
  }

  /** @returns undefined where they are not what this caller asks for */
  async open(
    caller: string,
    { kind, at, personId, companyId, repeat }: StampQuestion,
  ): Promise<StampFacts | undefined> {
    const asked = this.#question;
    if (kind !== asked.kind || at !== asked.at || repeat?.key !== asked.repeat?.key) return undefined;
    const rows = await this.#rows;
    return factsIn(
      rows.filter((row) => row['asked_by'] === caller && row['id'] === personId && row['company_id'] === companyId),
    );
  }
}

/** Every entry of a person meets every absence and special rule; nearly always there is none or one of them. */
function factsIn(rows: readonly Row[]): StampFacts | undefined {
  const [first] = rows;
  if (first === undefined) return undefined;
  const entries = new Map<unknown, EntryRow>();
  const absences = new Map<unknown, AbsenceToday>();
  const rules = new Map<unknown, StampRule>();
  for (const row of rows) {
    const id = row['entry_id'];
    if (id !== null && !entries.has(id)) entries.set(id, pick(row, 'entry_', entryFields));
    if (row['rule_id'] !== null) rules.set(row['rule_id'], pick(row, 'rule_', ruleFields));
    if (row['absence_type'] === null) continue;
    absences.set(
      `${row['absence_type']} ${row['absence_start_date']}`,
      pick(row, 'absence_', [...absenceFields, ...typeFields]),
    );
  }
  const recent = [...entries.values()].sort((a, b) => a.start_at - b.start_at || a.id - b.id);
  return {
    person: first as unknown as StampPerson,
    clock: first['clock_person_id'] === null ? undefined : pick(first, 'clock_', clockFields),
    open: recent.find((entry) => entry.status === 'open'),
    recent,
    specialRules: [...rules.values()],
    absences: [...absences.values()],
    endBefore: (first['end_before'] as number | null) ?? undefined,
    closedUntil: (first['closed_until'] as string | null) ?? undefined,
    newEntryId: (first['new_entry_id'] as number | null) ?? undefined,
    lastEntryId: (first['last_entry_id'] as number | null) ?? undefined,
    logHead: { sequence: first['log_sequence'] as number, hash: first['log_hash'] as string },
    sequence: { sequence: first['sequence'] as number, optimistic: first['optimistic'] as number },
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

function dateOf(at: Instant): LocalDate {
  return formatInstant(at).slice(0, 10);
}
