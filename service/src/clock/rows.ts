import type { Reader } from '@clockproof/platform/database/database';
import type { NewRow } from '@clockproof/platform/database/table';
import { hour, type Instant, minute } from '@clockproof/platform/time/instant';
import type { LocalDate } from '@clockproof/platform/time/local-date';
import type { ZoneName } from '@clockproof/platform/time/zone';
import type { Tables } from '../generated/tables.js';
import { allCompanies } from '../store/every-company.js';
import type { CompanyId, DepartmentId, EntryId, PersonId } from '../store/ids.js';
import type { Changes } from '../store/position.js';
import { Refusal } from '../store/refusal.js';
import { type TenantScope, within } from '../store/scope.js';
import { among, insertReturning, update, updateReturning, type Writing } from '../store/tables.js';
import type { Write } from '../store/write.js';
import type { Permit } from '../working-time/evaluations.js';

export type EntryRow = Tables['time_entries'];

export type ClockRow = Omit<Tables['clock_states'], 'changed'>;

/** Entries that count as work: a pending one does not yet, a rejected one never. */
const countedStatuses = "('open', 'recorded', 'approved')";

/** The clock of a person and the lock on it: stamps and changes of one person's time run one after the other. */
export async function lockClock(write: Write, personId: PersonId): Promise<ClockRow> {
  await write.lock({ people: [personId] });
  const clock = await findClock(write, personId);
  // Erased in the meantime.
  if (clock === undefined) throw new Refusal('not_found');
  return clock;
}

/** Sets the end of the last work as the `since` of a person who is out. */
export async function saveLastEnd(tx: Writing, personId: PersonId): Promise<void> {
  await update(tx, 'clock_states', { person_id: personId }, { since: await lastEnd(tx, personId) });
}

export async function saveClock(tx: Writing, row: ClockRow): Promise<void> {
  const { person_id, state, since, break_since, source_kind, source_id, source_name, updated_at } = row;
  await update(
    tx,
    'clock_states',
    { person_id },
    { state, since, break_since, source_kind, source_id, source_name, updated_at },
  );
}

export function findClock(reader: Reader, personId: PersonId): Promise<ClockRow | undefined> {
  return reader.get<ClockRow>('SELECT * FROM clock_states WHERE person_id = :personId', { personId });
}

export function findOpenEntry(reader: Reader, personId: PersonId): Promise<EntryRow | undefined> {
  return reader.get<EntryRow>("SELECT * FROM time_entries WHERE person_id = :personId AND status = 'open'", {
    personId,
  });
}

export interface ForgottenEntry extends Pick<EntryRow, 'id' | 'person_id' | 'company_id' | 'date' | 'status'> {
  readonly time_zone: ZoneName;
}

/**
 * Entries of active people without a clock-out and without a reminder to their person: those that have been left for a
 * new day, and open ones that are older than their company allows (16 hours if it sets no limit).
 */
export function listEntriesWithoutReminder(reader: Reader, at: Instant): Promise<ForgottenEntry[]> {
  return reader.all<ForgottenEntry>(
    `SELECT e.id, e.person_id, e.company_id, e.date, e.status, c.time_zone
     FROM time_entries e JOIN people p ON p.id = e.person_id JOIN companies c ON c.id = e.company_id
     WHERE e.end_at IS NULL AND (e.status = 'clock_out_missing' OR e.start_at < :at - COALESCE(c.new_day_after_hours, 16) * ${hour})
       AND p.active = 1 AND c.active = 1 AND NOT EXISTS (
       SELECT 1 FROM notices n
       WHERE n.about = 'entry ' || e.id AND n.kind = 'clock_out_missing' AND n.person_id = e.person_id)
     ORDER BY e.id LIMIT 1000`,
    { at },
  );
}

/** People with an open entry and a last day before a date. */
export async function listClockedInAfterLastDay(reader: Reader, date: LocalDate): Promise<PersonId[]> {
  const rows = await reader.all<{ id: PersonId }>(
    `SELECT p.id FROM time_entries e JOIN people p ON p.id = e.person_id
     WHERE e.status = 'open' AND p.employment_end < :date ORDER BY p.id LIMIT 1000`,
    { date },
  );
  return rows.map(({ id }) => id);
}

/** Every entry of a person, in any state. */
export async function listEntryIds(reader: Reader, personId: PersonId): Promise<EntryId[]> {
  const rows = await reader.all<{ id: EntryId }>(
    'SELECT id FROM time_entries WHERE person_id = :personId ORDER BY id',
    {
      personId,
    },
  );
  return rows.map(({ id }) => id);
}

/** A company's entries in every state from a date on. */
export function listEntriesFrom(reader: Reader, companyId: CompanyId, date: LocalDate): Promise<EntryRow[]> {
  return reader.all<EntryRow>(
    'SELECT * FROM time_entries WHERE company_id = :companyId AND date >= :date ORDER BY id',
    { companyId, date },
  );
}

/** Entries of a person without an end, the newest first. */
export function listEntriesWithoutEnd(reader: Reader, personId: PersonId): Promise<EntryRow[]> {
  return reader.all<EntryRow>(
    `SELECT * FROM time_entries WHERE person_id = :personId AND end_at IS NULL
     ORDER BY start_at DESC, id DESC LIMIT 100`,
    { personId },
  );
}

/** The entry of the person's last work, which may be open. */
export function findLatestEntry(reader: Reader, personId: PersonId): Promise<EntryRow | undefined> {
  return reader.get<EntryRow>(
    `SELECT * FROM time_entries WHERE person_id = :personId AND status IN ${countedStatuses} ORDER BY start_at DESC, id DESC LIMIT 1`,
    { personId },
  );
}

/** Pending entries of a person that begin in a span of time, latest first. */
export function listPendingEntries(
  reader: Reader,
  personId: PersonId,
  { from, to }: { readonly from: Instant; readonly to: Instant },
): Promise<EntryRow[]> {
  return reader.all<EntryRow>(
    "SELECT * FROM time_entries WHERE person_id = :personId AND status = 'pending' AND start_at >= :from AND start_at <= :to ORDER BY start_at DESC, id DESC",
    { personId, from, to },
  );
}

/** `break_rules` as `breakRulesOn` says; absent: nothing is deducted. */
export type NewEntryRow = NewRow<Omit<EntryRow, 'changed'>, 'id'>;

/** The row alone: `addEntry` adds the event. */
export async function insertEntry(tx: Writing, row: NewEntryRow): Promise<EntryRow> {
  return insertReturning(tx, 'time_entries', row);
}

const entryScope = { company: 'company_id', person: 'person_id' } as const;

/** An entry of a person, in any state. */
export function findEntry(reader: Reader, id: EntryId, scope: TenantScope): Promise<EntryRow | undefined> {
  const { sql, parameters } = within(scope, entryScope);
  return reader.get<EntryRow>(`SELECT * FROM time_entries WHERE id = :id ${sql}`, { id, ...parameters });
}

/** Searches every company: the caller checks access to the result. */
export function findEntryAnywhere(reader: Reader, id: EntryId): Promise<EntryRow | undefined> {
  return findEntry(reader, id, allCompanies);
}

export type MovedEntry = Pick<
  EntryRow,
  'id' | 'date' | 'start_at' | 'end_at' | 'breaks' | 'stamps' | 'status' | 'break_rules' | 'updated_at'
>;

/** The row alone: `changeEntry` adds the event. */
export async function moveEntry(tx: Writing, entry: MovedEntry): Promise<EntryRow> {
  const { id, date, start_at, end_at, breaks, stamps, status, break_rules, updated_at } = entry;
  const [movedRow] = await updateReturning(
    tx,
    'time_entries',
    { id },
    { date, start_at, end_at, breaks, stamps, status, break_rules, updated_at },
  );
  return movedRow!;
}

/** An entry shorter than a minute: the person clocked in by mistake and out again. It blocks no other entry. */
const noMinute = `end_at - start_at < ${minute}`;

/**
 * Whether counting work of the person, apart from one entry, touches a span of time. Such entries never overlap, so of
 * those that begin before the span ends, the last one also ends last: it alone decides. Entries without a minute do not
 * count.
 */
export async function workWithin(
  reader: Reader,
  {
    personId,
    start,
    end,
    except,
    replacedId = 0,
  }: {
    readonly personId: PersonId;
    readonly start: number;
    readonly end: number;
    readonly except: number | null;
    /** An entry that does not count either, because the new one replaces it. */
    readonly replacedId?: number | undefined;
  },
): Promise<boolean> {
  const last = await reader.get<{ end_at: number | null }>(
    `SELECT end_at FROM time_entries WHERE person_id = :personId AND start_at < :end AND status IN ${countedStatuses} AND id <> :except AND id <> :replaced AND (end_at IS NULL OR NOT ${noMinute})
     ORDER BY start_at DESC, COALESCE(end_at, ${Number.MAX_SAFE_INTEGER}) DESC LIMIT 1`,
    { personId, end, except: except ?? 0, replaced: replacedId },
  );
  return last !== undefined && (last.end_at === null || last.end_at > start);
}

/** Counting entries without a minute that begin inside a span of time. */
export function listEmptyEntries(
  reader: Reader,
  {
    personId,
    start,
    end,
    except,
  }: { readonly personId: PersonId; readonly start: Instant; readonly end: Instant; readonly except: EntryId },
): Promise<EntryRow[]> {
  return reader.all<EntryRow>(
    `SELECT * FROM time_entries WHERE person_id = :personId AND start_at >= :earliest AND start_at < :end
       AND (end_at > :start OR start_at = :start) AND ${noMinute} AND status IN ('recorded', 'approved') AND id <> :except ORDER BY start_at, id`,
    { personId, earliest: start - minute, start, end, except },
  );
}

/**
 * Entries of a month that are open, lack a clock-out or are pending.
 * @param openUntil leaves out those that are open and began later
 */
export async function countUnfinishedInMonth(
  reader: Reader,
  companyId: CompanyId,
  month: string,
  openUntil?: Instant,
): Promise<number> {
  return (await reader.get<{ entries: number }>(
    `SELECT count(*) AS entries FROM time_entries WHERE company_id = :companyId AND date >= :first AND date <= :last AND status IN ('open', 'clock_out_missing', 'pending')
     AND (status <> 'open' OR start_at <= :openUntil)`,
    { companyId, first: `${month}-01`, last: `${month}-31`, openUntil: openUntil ?? Number.MAX_SAFE_INTEGER },
  ))!.entries;
}

/** Number of finished entries of a person after a day. */
export async function countWorkAfter(reader: Reader, personId: PersonId, date: string): Promise<number> {
  return (await reader.get<{ entries: number }>(
    "SELECT count(*) AS entries FROM time_entries WHERE person_id = :personId AND date > :date AND status IN ('recorded', 'approved')",
    { personId, date },
  ))!.entries;
}

/** The end of the person's last work. */
export async function lastEnd(reader: Reader, personId: PersonId): Promise<number | null> {
  return (
    (
      await reader.get<{ end_at: number }>(
        "SELECT end_at FROM time_entries WHERE person_id = :personId AND status IN ('recorded', 'approved') ORDER BY start_at DESC LIMIT 1",
        { personId },
      )
    )?.end_at ?? null
  );
}

export interface EntryFilter {
  readonly from: string;
  readonly to: string;
  readonly after: { readonly date: string; readonly id: number } | undefined;
  readonly limit: number;
  /** Leaves out entries that are open and began later. */
  readonly openUntil?: Instant | undefined;
}

/** Entries of a span of days, by day and id. */
export function listEntries(
  reader: Reader,
  scope: TenantScope,
  { from, to, after, limit, openUntil }: EntryFilter,
): Promise<EntryRow[]> {
  const { sql, parameters } = within(scope, entryScope);
  return reader.all<EntryRow>(
    `SELECT * FROM time_entries WHERE date >= :from AND date <= :to AND (date, id) > (:from, :afterId) ${sql}
     ${openUntil === undefined ? '' : "AND (status <> 'open' OR start_at <= :openUntil)"} ORDER BY date, id LIMIT :limit`,
    { from: after?.date ?? from, to, limit, afterId: after?.id ?? 0, openUntil: openUntil ?? 0, ...parameters },
  );
}

/** Entries changed after a place and up to another one, by place and id. */
export function listEntriesChanged(
  reader: Reader,
  scope: TenantScope,
  { after, upTo, since, limit }: Changes,
): Promise<EntryRow[]> {
  const { sql, parameters } = within(scope, entryScope);
  return reader.all<EntryRow>(
    `SELECT * FROM time_entries WHERE (changed, id) > (:changed, :id) AND changed <= :upTo AND updated_at >= :since ${sql}
     ORDER BY changed, id LIMIT :limit`,
    { ...after, upTo, since, limit, ...parameters },
  );
}

export interface ClockStateFilter {
  readonly state: string | undefined;
  readonly afterId: number;
  readonly limit: number;
}

/** Every person has a clock. Before the first stamp its state is `out`. */
export function listClocks(
  reader: Reader,
  scope: TenantScope,
  { state, afterId, limit }: ClockStateFilter,
): Promise<ClockRow[]> {
  const { sql, parameters } = within(scope, { company: 'p.company_id', person: 'p.id', department: 'p.department_id' });
  return reader.all<ClockRow>(
    `SELECT p.id AS person_id, p.company_id, COALESCE(s.state, 'out') AS state, s.since, s.break_since, s.source_kind, s.source_id, s.source_name,
       COALESCE(s.updated_at, p.updated_at) AS updated_at
     FROM people p LEFT JOIN clock_states s ON s.person_id = p.id
     WHERE p.id > :afterId AND p.active = 1 ${sql}
      ${state === undefined ? '' : "AND COALESCE(s.state, 'out') = :state"}
     ORDER BY p.id LIMIT :limit`,
    { afterId, limit, ...parameters, state: state ?? null },
  );
}

/** A clock with the person it belongs to. */
export interface TeamClockRow extends ClockRow {
  readonly person_name: string;
  readonly time_zone: ZoneName;
  readonly new_day_after_hours: number | null;
  readonly department_id: DepartmentId | null;
  readonly department_name: string | null;
}

/** The clocks of some people of the company, by person. */
export async function readClocksOf(
  reader: Reader,
  { companyId }: Permit<'presence'>,
  ids: readonly PersonId[],
): Promise<ReadonlyMap<PersonId, ClockRow>> {
  if (ids.length === 0) return new Map();
  const { list, parameters } = among(ids);
  const rows = await reader.all<ClockRow>(
    `SELECT p.id AS person_id, p.company_id, COALESCE(s.state, 'out') AS state, s.since, s.break_since, s.source_kind, s.source_id, s.source_name,
       COALESCE(s.updated_at, p.updated_at) AS updated_at
     FROM people p LEFT JOIN clock_states s ON s.person_id = p.id WHERE p.company_id = :companyId AND p.id IN (${list})`,
    { companyId, ...parameters },
  );
  return new Map(rows.map((row) => [row.person_id, row]));
}

/** The clocks of active people, for those who decide about them. */
export function listTeamClocks(
  reader: Reader,
  scope: TenantScope,
  { afterId, limit }: Omit<ClockStateFilter, 'state'>,
): Promise<TeamClockRow[]> {
  const { sql, parameters } = within(scope, { company: 'p.company_id', person: 'p.id', department: 'p.department_id' });
  return reader.all<TeamClockRow>(
    `SELECT p.id AS person_id, p.company_id, p.first_name || ' ' || p.last_name AS person_name, c.time_zone, c.new_day_after_hours, p.department_id, d.name AS department_name,
       COALESCE(s.state, 'out') AS state, s.since, s.break_since, s.source_kind, s.source_id, s.source_name,
       COALESCE(s.updated_at, p.updated_at) AS updated_at
     FROM people p JOIN companies c ON c.id = p.company_id LEFT JOIN clock_states s ON s.person_id = p.id
       LEFT JOIN departments d ON d.id = p.department_id
     WHERE p.id > :afterId AND p.active = 1 ${sql}
       AND NOT EXISTS (SELECT 1 FROM evaluation_switches e WHERE e.company_id = p.company_id AND e.evaluation = 'presence' AND e.enabled = 0)
     ORDER BY p.id LIMIT :limit`,
    { afterId, limit, ...parameters },
  );
}
