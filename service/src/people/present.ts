/** People and companies in the contract's form. */
import { formatInstant } from '@clockproof/platform/time/instant';
import type { components } from '../generated/service-types.js';
import type { CompanyRow, DepartmentRow, PersonRow } from './rows.js';

type Schemas = components['schemas'];

export function presentPerson(row: PersonRow): Schemas['User'] {
  return {
    id: row.id,
    company_id: row.company_id,
    personnel_number: row.personnel_number ?? undefined,
    first_name: row.first_name,
    last_name: row.last_name,
    display_name: `${row.first_name} ${row.last_name}`,
    email: row.email ?? undefined,
    department: row.department_id === null ? undefined : { id: row.department_id, name: row.department_name! },
    time_zone: row.own_time_zone ?? row.time_zone,
    language: row.language,
    active: row.active === 1,
    employment_start: row.employment_start ?? undefined,
    employment_end: row.employment_end ?? undefined,
    updated_at: formatInstant(row.updated_at),
  };
}

export function presentCompany(row: CompanyRow, departments: readonly DepartmentRow[]): Schemas['Company'] {
  return {
    id: row.id,
    name: row.name,
    time_zone: row.time_zone,
    country: row.country,
    region: row.region ?? undefined,
    departments: departments
      .filter((department) => department.company_id === row.id)
      .map((department) => ({ id: department.id, name: department.name })),
    active: row.active === 1,
    proof_token: row.proof_token,
    updated_at: formatInstant(row.updated_at),
  };
}
