import type { Reader } from '@clockproof/platform/database/database';
import type { Handler } from '@clockproof/platform/http/operation';
import { formatInstant } from '@clockproof/platform/time/instant';
import type { components, operations } from '../../generated/app-types.js';
import { administeredScope, companyFor } from '../../lifecycle/administered.js';
import { addCompany, changeCompany } from '../../lifecycle/companies.js';
import { endExpiredLinks } from '../../oauth/links.js';
import { actorOf } from '../../people/actor.js';
import {
  type CompanyRow,
  countPeopleByDepartment,
  listApprovers,
  listCompanies,
  listDepartments,
} from '../../people/rows.js';
import { holidaysIn } from '../../working-time/holidays.js';
import { pageOf } from '../shared/page.js';
import type { PersonCaller } from './caller.js';
import type { AppNeeds } from './needs.js';

export function listAllCompanies({
  db,
  cursors,
}: Pick<AppNeeds, 'db' | 'cursors'>): Handler<operations['listAllCompanies'], PersonCaller> {
  return async ({ caller, query: { cursor, limit = 100 } }) => {
    const binding = ['listAllCompanies', caller.person.id];
    const afterId = cursor === undefined ? 0 : cursors.read<number>(binding, cursor);
    const page = pageOf(
      await listCompanies(db, administeredScope(caller), { afterId, limit: limit + 1 }),
      limit,
      (row) => row,
      (last) => cursors.write(binding, last.id),
    );
    return {
      status: 200,
      body: { ...page, data: await Promise.all(page.data.map((row) => presentCompanySettings(db, row))) },
    };
  };
}

export function createCompany({ db }: Pick<AppNeeds, 'db'>): Handler<operations['createCompany'], PersonCaller> {
  return async ({ caller, body: { name, time_zone: timeZone, country, region, deduct_breaks: deductBreaks }, at }) => {
    const company = {
      name,
      timeZone,
      country,
      ...(region === undefined ? {} : { region }),
      deductBreaks: deductBreaks === true,
    };
    const added = await db.write({ actor: actorOf(caller.person), at }, async (write) =>
      presentCompanySettings(write, await addCompany(write, caller, company)),
    );
    return { status: 201, body: added };
  };
}

export function showCompany({ db }: Pick<AppNeeds, 'db'>): Handler<operations['showCompany'], PersonCaller> {
  return async ({ caller, path: { id } }) => ({
    status: 200,
    body: await presentCompanySettings(db, await companyFor(db, caller, id)),
  });
}

export function updateCompany({ db }: Pick<AppNeeds, 'db'>): Handler<operations['updateCompany'], PersonCaller> {
  return async ({ caller, path: { id }, body, at }) => {
    const {
      name,
      time_zone: timeZone,
      country,
      region,
      deduct_breaks: deductBreaks,
      colleagues_see: colleaguesSee,
      short_rest_branch: shortRestBranch,
      record_duty: recordDuty,
      active,
    } = body;
    const change = {
      ...(name === undefined ? {} : { name }),
      ...(timeZone === undefined ? {} : { timeZone }),
      ...(country === undefined ? {} : { country }),
      ...(region === undefined ? {} : { region }),
      ...(deductBreaks === undefined ? {} : { deductBreaks }),
      ...(colleaguesSee === undefined ? {} : { colleaguesSee }),
      ...(shortRestBranch === undefined
        ? {}
        : { shortRestBranch: shortRestBranch === 'none' ? null : shortRestBranch }),
      ...(recordDuty === undefined ? {} : { recordDuty }),
      ...(active === undefined ? {} : { active }),
    };
    const settings = await db.write({ actor: actorOf(caller.person), at }, async (write) =>
      presentCompanySettings(write, await changeCompany(write, caller, id, change)),
    );
    // More links than one write ends.
    if (active === false) await endExpiredLinks(db, at);
    return { status: 200, body: settings };
  };
}

/** Companies and departments as admins see them. */
type Schemas = components['schemas'];

export async function presentCompanySettings(reader: Reader, row: CompanyRow): Promise<Schemas['CompanySettings']> {
  const counts = await countPeopleByDepartment(reader, row.id);
  return {
    id: row.id,
    name: row.name,
    time_zone: row.time_zone,
    country: row.country,
    ...(row.region === null ? {} : { region: row.region }),
    active: row.active === 1,
    deduct_breaks: row.deducts_breaks_from !== null,
    colleagues_see: row.colleagues_see,
    short_rest_branch: row.short_rest_branch ?? 'none',
    record_duty: row.record_duty === 1,
    people_count: counts.reduce((sum, row) => sum + row.people, 0),
    departments: await presentDepartments(reader, row.id),
    updated_at: formatInstant(row.updated_at),
  };
}

/** By name. Who approves for the whole company approves for each of them. */
export async function presentDepartments(reader: Reader, companyId: number): Promise<Schemas['Department'][]> {
  const counts = new Map(
    (await countPeopleByDepartment(reader, companyId)).map((row) => [row.department_id, row.people]),
  );
  const approvers = await listApprovers(reader, companyId);
  return (await listDepartments(reader, { company: companyId }))
    .map(({ id, name }) => {
      const deciding = approvers.filter((approver) => approver.department_id === null || approver.department_id === id);
      return {
        id,
        name,
        people_count: counts.get(id) ?? 0,
        approvers: deciding
          .slice(0, 100)
          .map((approver) => ({ id: approver.id, name: `${approver.first_name} ${approver.last_name}` })),
      };
    })
    .sort((one, other) => one.name.localeCompare(other.name));
}

export function listHolidays({ db }: Pick<AppNeeds, 'db'>): Handler<operations['listHolidays'], PersonCaller> {
  return async ({ caller, path: { id }, query: { year } }) => {
    const { country, region } = await companyFor(db, caller, id);
    return {
      status: 200,
      body: {
        data: holidaysIn(country, region, caller.person.language)
          .ofYear(year)
          .map((holiday) => ({ ...holiday, half_day: false })),
      },
    };
  };
}
