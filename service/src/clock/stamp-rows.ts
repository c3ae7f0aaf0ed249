/** Everything that a stamp is decided from, in one read. */
import type { Reader, Row } from '@clockproof/platform/database/database';
import { day, hour, type Instant } from '@clockproof/platform/time/instant';
import { type LocalDate, localDateAt } from '@clockproof/platform/time/local-date';
import { utc } from '@clockproof/platform/time/zone';
import { maxSpanDays } from '../absences/rows.js';
import type { PersonRow } from '../people/rows.js';
import type { CompanyId, PersonId } from '../store/ids.js';
import { type Holidays, holidaysIn } from '../working-time/holidays.js';
import { listCompanyHolidays, type SpecialRuleRow } from '../working-time/rows.js';
import type { StampKind } from './clock-state.js';
import { forgottenEntry } from './forgotten.js';
import type { ClockRow, EntryRow } from './rows.js';

/** The columns of the person, their company and its rules that a stamp needs. */
export type StampPerson = Pick<
  PersonRow,
  (typeof personFields)[number] | (typeof companyFields)[number] | 'company_active'
>;

export interface StampFacts {
  readonly person: StampPerson;
  /** While out, when the last entry ended; null before the first stamp. */
  readonly since: ClockRow['since'];
  readonly open: EntryRow | undefined;
  /** Counting entries of the last day or so, counted back from the start of the open entry if there is one, by start. */
  readonly recent: readonly EntryRow[];
  /** The end of the last finished work before those. */
  readonly endBefore: Instant | undefined;
  /** Special rules for working days of the person, at any date. */
  readonly specialRules: readonly StampRule[];
  /** The company's holidays. */
  readonly holidays: Holidays;
  /** For clocking in: approved absences of whole days around now. */
  readonly absences: readonly AbsenceToday[];
  /** The latest closed month of the company (`YYYY-MM`): nothing is written up to its end. */
  readonly closedUntil: string | undefined;
}

export type StampRule = Pick<SpecialRuleRow, (typeof ruleFields)[number]>;

/** An absence with the company's settings of its kind; null if the built-in setting applies. */
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
}

const personFields = [
  'id',
  'company_id',
  'language',
  'active',
  'employment_start',
  'employment_end',
] as const satisfies readonly (keyof PersonRow)[];
const companyFields = [
  'time_zone',
  'country',
  'region',
  'local_holidays',
  'deducts_breaks_from',
  'short_rest_branch',
  'record_duty',
  'new_day_after_hours',
] as const satisfies readonly (keyof PersonRow)[];
const absenceFields = ['type', 'start_date', 'end_date'] as const;
const ruleFields = ['kind', 'valid_from', 'valid_to', 'evening_work'] as const;
const typeFields = ['overlap_class', 'label_de', 'label_en'] as const;

// A working day begins 24 hours before its last entry at most; its beginning depends on the entries of the day before.
const recentMs = 51 * hour;

const aliasColumns = (table: string, names: readonly string[], prefix: string) =>
  names.map((name) => `${table}.${name} AS ${prefix}${name}`).join(', ');

const factsStatement = `SELECT ${personFields.map((field) => `p.${field}`).join(', ')}, ${companyFields.map((field) => `c.${field}`).join(', ')},
  c.active AS company_active, s.since,
  ${aliasColumns('a', absenceFields, 'absence_')}, ${aliasColumns('y', typeFields, 'absence_')}, t.id AS rule_id, ${aliasColumns('t', ruleFields, 'rule_')},
  (SELECT l.end_at FROM time_entries l WHERE l.person_id = p.id AND l.start_at < COALESCE(o.start_at, :at) - ${recentMs}
    AND l.status IN ('recorded', 'approved') ORDER BY l.start_at DESC LIMIT 1) AS end_before,
  (SELECT MAX(m.month) FROM closed_months m WHERE m.company_id = p.company_id) AS closed_until
 FROM people p
 JOIN companies c ON c.id = p.company_id
 JOIN clock_states s ON s.person_id = p.id
 LEFT JOIN time_entries o ON o.person_id = p.id AND o.status = 'open'
 LEFT JOIN absences a ON a.person_id = p.id AND a.start_date >= :earliestStart AND a.start_date <= :latestStart AND a.end_date >= :earliestEnd
   AND a.half_day IS NULL AND a.status IN ('approved', 'cancellation_requested')
 LEFT JOIN special_rules t ON t.person_id = p.id AND t.kind <> 'minijob'
 LEFT JOIN absence_types y ON y.company_id = p.company_id AND y.key = a.type
 WHERE p.id = :personId AND p.company_id = :companyId`;

const recentStatement = `SELECT e.* FROM time_entries e WHERE e.person_id = :personId
  AND e.start_at >= COALESCE((SELECT o.start_at FROM time_entries o WHERE o.person_id = :personId AND o.status = 'open'), :at) - ${recentMs}
  AND e.status IN ('open', 'recorded', 'approved') ORDER BY e.start_at, e.id`;

/** @returns undefined if the company has no such person */
export async function readStampFacts(
  reader: Reader,
  { kind, personId, companyId, at }: StampQuestion,
): Promise<StampFacts | undefined> {
  const [rows, recent, ownHolidays] = await Promise.all([
    reader.all<Row>(factsStatement, {
      personId,
      companyId,
      at,
      // In every time zone, the company's local date is one of these days. Only clocking in warns of an absence; for
      // the others the span is empty.
      earliestStart: kind === 'in' ? localDateAt(at - maxSpanDays * day, utc) : '9999-12-31',
      latestStart: localDateAt(at + day, utc),
      earliestEnd: localDateAt(at - day, utc),
    }),
    reader.all<EntryRow>(recentStatement, { personId, at }),
    listCompanyHolidays(reader, companyId),
  ]);
  const [first] = rows;
  if (first === undefined) return undefined;
  // The join pairs every absence with every special rule. There is rarely more than one of each.
  const absences = new Map<unknown, AbsenceToday>();
  const rules = new Map<unknown, StampRule>();
  for (const row of rows) {
    if (row['rule_id'] !== null) rules.set(row['rule_id'], pick(row, 'rule_', ruleFields));
    if (row['absence_type'] !== null)
      absences.set(
        `${row['absence_type']} ${row['absence_start_date']}`,
        pick(row, 'absence_', [...absenceFields, ...typeFields]),
      );
  }
  const person = first as unknown as StampPerson;
  return {
    person,
    holidays: holidaysIn(person.country, person.region, person.local_holidays, ownHolidays),
    since: first['since'] as Instant | null,
    open: recent.find((entry) => entry.status === 'open'),
    recent,
    specialRules: [...rules.values()],
    absences: [...absences.values()],
    endBefore: (first['end_before'] as number | null) ?? undefined,
    closedUntil: (first['closed_until'] as string | null) ?? undefined,
  };
}

/** The person's open entry, if it is of an earlier working day. */
export async function readForgottenEntry(
  reader: Reader,
  { id: personId, company_id: companyId }: Pick<PersonRow, 'id' | 'company_id'>,
  at: Instant,
): Promise<EntryRow | undefined> {
  const facts = await readStampFacts(reader, { kind: 'out', personId, companyId, at });
  return facts && forgottenEntry(facts, at);
}

function pick<Picked>(row: Row, prefix: string, names: readonly string[]): Picked {
  return Object.fromEntries(names.map((name) => [name, row[prefix + name]])) as Picked;
}
