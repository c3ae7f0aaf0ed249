import type { Reader } from '@clockproof/platform/database/database';
import { formatInstant } from '@clockproof/platform/time/instant';
import type { components } from '../generated/app-types.js';
import { presentFlags } from '../people/company-flags.js';
import { type CompanyRow, countPeopleByDepartment, listApprovers, listDepartments } from '../people/rows.js';

type Schemas = components['schemas'];

export async function presentCompanySettings(reader: Reader, row: CompanyRow): Promise<Schemas['CompanySettings']> {
  const counts = await countPeopleByDepartment(reader, row.id);
  return {
    id: row.id,
    name: row.name,
    time_zone: row.time_zone,
    country: row.country,
    region: row.region ?? undefined,
    local_holidays: row.local_holidays ?? 'none',
    ...presentFlags(row),
    deduct_breaks: row.deducts_breaks_from !== null,
    colleagues_see: row.colleagues_see,
    short_rest_branch: row.short_rest_branch ?? 'none',
    new_day_after_hours: row.new_day_after_hours,
    idle_minutes: row.idle_minutes,
    people_count: counts.reduce((sum, row) => sum + row.people, 0),
    departments: await presentDepartments(reader, row.id),
    updated_at: formatInstant(row.updated_at),
  };
}

/** Departments by name. Approvers of the whole company are approvers of each. */
export async function presentDepartments(reader: Reader, companyId: number): Promise<Schemas['Department'][]> {
  const counts = new Map(
    (await countPeopleByDepartment(reader, companyId)).map((row) => [row.department_id, row.people]),
  );
  const approvers = await listApprovers(reader, companyId);
  return (await listDepartments(reader, { company: companyId }))
    .map(({ id, name }) => {
      const deciders = approvers.filter((approver) => approver.department_id === null || approver.department_id === id);
      return {
        id,
        name,
        people_count: counts.get(id) ?? 0,
        approvers: deciders
          .slice(0, 100)
          .map((approver) => ({ id: approver.id, name: `${approver.first_name} ${approver.last_name}` })),
      };
    })
    .sort((first, second) => first.name.localeCompare(second.name));
}
