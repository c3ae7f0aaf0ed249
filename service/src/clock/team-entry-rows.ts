import type { Reader } from '@clockproof/platform/database/database';
import { hour, type Instant } from '@clockproof/platform/time/instant';
import type { DepartmentId, PersonId } from '../store/ids.js';
import { type TenantScope, within } from '../store/scope.js';
import { among } from '../store/tables.js';
import type { VersionRow } from './correction-rows.js';
import type { EntryFilter, EntryRow } from './rows.js';

/** An entry with the person it belongs to. */
export interface TeamEntryRow extends EntryRow {
  readonly person_name: string;
  readonly department_id: DepartmentId | null;
  readonly department_name: string | null;
}

export interface TeamEntryFilter extends Omit<EntryFilter, 'openUntil'> {
  /** Open entries that began later reveal presence at work: left out if the company has switched that off. */
  readonly presentSince: Instant;
  /** People to leave out: the caller, and approvers in whose place the caller decides. */
  readonly exceptPeople: readonly PersonId[];
  /** Only entries that lack a clock-out at this instant: open ones older than the company allows (16 hours without a limit). */
  readonly withoutEndAt?: Instant | undefined;
}

/** Entries of active people that can be corrected, by day and id. */
export function listTeamEntryRows(
  reader: Reader,
  scope: TenantScope,
  { from, to, after, limit, presentSince, exceptPeople, withoutEndAt }: TeamEntryFilter,
): Promise<TeamEntryRow[]> {
  const { sql, parameters } = within(scope, {
    company: 'e.company_id',
    person: 'e.person_id',
    department: 'p.department_id',
  });
  const { list, parameters: exceptParameters } = among(exceptPeople);
  return reader.all<TeamEntryRow>(
    `SELECT e.*, p.first_name || ' ' || p.last_name AS person_name, p.department_id, d.name AS department_name
     FROM time_entries e JOIN people p ON p.id = e.person_id JOIN companies c ON c.id = e.company_id
       LEFT JOIN departments d ON d.id = p.department_id
     WHERE e.date >= :from AND e.date <= :to AND (e.date, e.id) > (:after, :afterId) AND p.active = 1 AND p.id NOT IN (${list}) ${sql}
       AND e.status IN ('open', 'clock_out_missing', 'recorded', 'approved')
       AND (e.status <> 'open' OR e.start_at <= :presentSince OR NOT EXISTS (
         SELECT 1 FROM evaluation_switches s WHERE s.company_id = e.company_id AND s.evaluation = 'presence' AND s.enabled = 0))
       ${withoutEndAt === undefined ? '' : `AND e.end_at IS NULL AND (e.status = 'clock_out_missing' OR e.start_at < :withoutEndAt - COALESCE(c.new_day_after_hours, 16) * ${hour})`}
     ORDER BY e.date, e.id LIMIT :limit`,
    {
      from,
      to,
      limit,
      after: after?.date ?? from,
      afterId: after?.id ?? 0,
      presentSince,
      withoutEndAt: withoutEndAt ?? 0,
      ...parameters,
      ...exceptParameters,
    },
  );
}

/** Versions from one person's changes in the time of people at one instant, by entry. */
export function listVersionsAt(
  reader: Reader,
  { by, at, people }: { readonly by: PersonId; readonly at: Instant; readonly people: readonly PersonId[] },
): Promise<VersionRow[]> {
  const { list, parameters } = among(people);
  return reader.all<VersionRow>(
    `SELECT * FROM entry_versions WHERE person_id IN (${list}) AND changed_by = :by AND at = :at ORDER BY entry_id, version`,
    { by, at, ...parameters },
  );
}
