import type { Reader } from '@clockproof/platform/database/database';
import { addDays } from '@clockproof/platform/time/local-date';
import { type AbsenceToday, absencesToday } from '../absences/absences-today.js';
import { isAway } from '../absences/clash.js';
import { approverScope } from '../absences/deciders/approver-scope.js';
import { grantsOf, readingAuthorityOf } from '../absences/deciders/authority.js';
import { presentAbsences } from '../absences/present.js';
import { listInPeriod, maxSpanDays, type NamedAbsence } from '../absences/rows.js';
import { type AbsenceType, absenceTypesOf } from '../absences/types.js';
import type { components } from '../generated/app-types.js';
import type { AppHandler } from '../http/handler.js';
import { pageOf } from '../http/page.js';
import { readPeriod } from '../http/period.js';
import type { RoleGrant } from '../people/roles.js';
import { listDepartments, type PersonRow } from '../people/rows.js';
import { defined } from '../store/defined.js';
import { Refusal } from '../store/refusal.js';
import type { TenantScope } from '../store/scope.js';
import { seenOfColleagues } from '../working-time/colleagues.js';
import { requirePermit } from '../working-time/evaluations.js';
import { hasProbablyLeft } from './forgotten-clock-outs.js';
import { listTeamClocks, type TeamClockRow } from './rows.js';
import { presentClock } from './time-entry.js';

type TeamAbsence = components['schemas']['TeamAbsence'];

/** Colleagues see absences. Only those who decide about the person see the reason. */
export const listTeamAbsences: AppHandler<'listTeamAbsences'> = async ({
  db,
  cursors,
  caller: { person },
  query: { from, to, department_id: departmentId, cursor, limit = 100 },
  at,
}) => {
  const period = readPeriod({ from, to })!;
  const grants = grantsOf(await readingAuthorityOf(db, person, at));
  const decidesFor = departmentsDecidedFor(grants, person);
  const seesColleagues = decidesFor === 'all' || (await seenOfColleagues(db, person)).absences;
  if (!seesColleagues && decidesFor.size === 0) throw new Refusal('forbidden');
  const ownDepartmentIds = !seesColleagues || person.department_id === null ? [] : [person.department_id];
  const visibleDepartmentIds = decidesFor === 'all' ? 'all' : new Set([...decidesFor, ...ownDepartmentIds]);
  if (
    departmentId !== undefined &&
    !(visibleDepartmentIds === 'all'
      ? (await listDepartments(db, { company: person.company_id })).some((department) => department.id === departmentId)
      : visibleDepartmentIds.has(departmentId))
  )
    throw new Refusal('not_found');
  const departments =
    departmentId !== undefined
      ? [departmentId]
      : visibleDepartmentIds === 'all'
        ? undefined
        : [...visibleDepartmentIds];

  const scope: TenantScope = {
    company: person.company_id,
    ...defined({
      departments,
      orPerson: departments === undefined || departmentId !== undefined ? undefined : person.id,
    }),
  };
  const binding = ['listTeamAbsences', person.id, period, scope];
  const after = cursor === undefined ? undefined : cursors.read<{ date: string; id: number }>(binding, cursor);
  const rows = await listInPeriod(db, scope, {
    states: 'live',
    ...period,
    earliest: addDays(from, 1 - maxSpanDays),
    after,
    limit: limit + 1,
  });
  const records = await presentAbsences(db, rows, { language: person.language });
  const types = await absenceTypesOf(db, person.company_id);
  const present = (row: NamedAbsence): TeamAbsence => {
    const { id, start_date, end_date, half_day, status, type_label } = records.get(row)!;
    const type = types.find(({ key }) => key === row.type);
    const mayKnowWhy =
      type?.visibleTo === 'everyone' ||
      decidesFor === 'all' ||
      row.person_id === person.id ||
      (row.department_id !== null && decidesFor.has(row.department_id));
    return {
      id,
      person: { id: row.person_id, name: row.user_name },
      department: row.department_id === null ? undefined : { id: row.department_id, name: row.department_name! },
      start_date,
      end_date,
      half_day,
      status: status as TeamAbsence['status'],
      // Without the name there is no colour either: it would give the kind away.
      ...(mayKnowWhy ? { type_label, away: isAway(types, row.type), ...colorOf(type) } : {}),
    };
  };
  return {
    status: 200,
    body: pageOf(rows, limit, present, (last) => cursors.write(binding, { date: last.start_date, id: last.id })),
  };
};

function colorOf(type: AbsenceType | undefined): Pick<TeamAbsence, 'color'> {
  return type === undefined || type.color === 'usual' ? {} : { color: type.color };
}

/** The departments of the person's own company in which they decide. */
function departmentsDecidedFor(grants: readonly RoleGrant[], { company_id }: PersonRow): 'all' | ReadonlySet<number> {
  const ids = new Set<number>();
  for (const grant of grants) {
    if (grant.role === 'super_admin') return 'all';
    if (grant.companyId !== company_id) continue;
    if (grant.role === 'company_admin' || grant.departmentIds === undefined) return 'all';
    for (const id of grant.departmentIds) ids.add(id);
  }
  return ids;
}

export const listTeamClockStates: AppHandler<'listTeamClockStates'> = async ({
  db,
  cursors,
  caller,
  query: { company_id: companyId, department_id: departmentId, cursor, limit = 100 },
  at,
}) => {
  const authority = await readingAuthorityOf(db, caller.person, at);
  const filter = { companyId, departmentId };
  const isDecider = grantsOf(authority).length > 0;
  const scope = isDecider
    ? await approverScope(db, caller, filter, authority)
    : await colleaguesScope(db, caller.person, filter);
  // A super admin without a company filter gets all companies except those that have switched it off.
  if (scope.company !== undefined) await requirePermit(db, scope.company, 'presence');
  const binding = ['listTeamClockStates', caller.person.id, scope];
  const afterId = cursor === undefined ? 0 : cursors.read<number>(binding, cursor);
  const rows = await listTeamClocks(db, scope, { afterId, limit: limit + 1 });
  const absencesByPerson = await absencesToday(db, scope, rows, caller, at);
  const present = (row: TeamClockRow): components['schemas']['TeamClockState'] => {
    const absence = absencesByPerson.get(row.person_id);
    return {
      ...presentClock(row),
      person: { id: row.person_id, name: row.person_name },
      time_zone: row.time_zone,
      probably_left: hasProbablyLeft(row, row.new_day_after_hours, at),
      department: row.department_id === null ? undefined : { id: row.department_id, name: row.department_name! },
      ...(absence === undefined ? {} : isDecider ? { absence } : withoutReason(absence)),
    };
  };
  return { status: 200, body: pageOf(rows, limit, present, (last) => cursors.write(binding, last.person_id)) };
};

/** Colleagues see an absence, but no reason. Work elsewhere is a reason, so it is left out. */
function withoutReason({ type_label: _, ...absence }: AbsenceToday): { absence?: AbsenceToday } {
  return absence.away ? { absence } : {};
}

/**
 * The person's own department; only themselves without one.
 * @throws Refusal `forbidden` the company does not show people who is there, `not_found` another company or department
 */
async function colleaguesScope(
  reader: Reader,
  person: PersonRow,
  { companyId, departmentId }: { readonly companyId?: number | undefined; readonly departmentId?: number | undefined },
): Promise<TenantScope> {
  if (!(await seenOfColleagues(reader, person)).presence) throw new Refusal('forbidden');
  const { company_id: company, department_id: department } = person;
  if ((companyId ?? company) !== company || (departmentId ?? department) !== department) throw new Refusal('not_found');
  return department === null ? { company, person: person.id } : { company, departments: [department] };
}
