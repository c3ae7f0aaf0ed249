import type { Reader } from '@clockproof/platform/database/database';
import type { Handler } from '@clockproof/platform/http/operation';
import { formatInstant } from '@clockproof/platform/time/instant';
import { isTimeZone, localDateAt } from '@clockproof/platform/time/local-date';
import { recountDays } from '../../absences/recount-days.js';
import { lockAbsences } from '../../absences/rows.js';
import type { components, operations } from '../../generated/app-types.js';
import { endLinks } from '../../oauth/links.js';
import { lockPeopleAccess, voidConsents } from '../../oauth/rows.js';
import { addCompany, changeCompany } from '../../people/people.js';
import {
  type CompanyRow,
  countPeopleByDepartment,
  findCompany,
  listApprovers,
  listCompanies,
  listDepartments,
  listPeople,
} from '../../people/rows.js';
import { Refusal } from '../../refusal.js';
import { holidaysIn, isHolidayRegion } from '../../working-time/holidays.js';
import { invalid, pageOf } from '../shared/page.js';
import { companyFor } from './administered.js';
import { actorOf, administeredScope, type PersonCaller } from './caller.js';
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
    refuseUnknownPlace({ timeZone, country, region: region ?? null });
    return db.write(async (tx) => {
      const id = await addCompany(
        tx,
        { name, timeZone, country, ...(region === undefined ? {} : { region }), deductBreaks: deductBreaks === true },
        actorOf(caller),
        at,
      );
      return { status: 201, body: await presentCompanySettings(tx, (await findCompany(tx, id))!) };
    });
  };
}

export function showCompany({ db }: Pick<AppNeeds, 'db'>): Handler<operations['showCompany'], PersonCaller> {
  return async ({ caller, path: { id } }) => ({
    status: 200,
    body: await presentCompanySettings(db, await companyFor(db, caller, id)),
  });
}

const everybody = 1_000_000;

export function updateCompany({ db }: Pick<AppNeeds, 'db'>): Handler<operations['updateCompany'], PersonCaller> {
  return ({ caller, path: { id }, body, at }) =>
    db.write(async (tx) => {
      // Before everything else, as whoever mints a link does: none is opened beside the ending of all.
      if (body.active === false) await lockPeopleAccess(tx);
      const company = await companyFor(tx, caller, id);
      // Whoever switched their own company off could not switch it on again.
      if (body.active !== undefined && administeredScope(caller).all !== true) throw new Refusal('forbidden');
      const { name, time_zone: timeZone, country, region, deduct_breaks: deductBreaks, active } = body;
      refuseUnknownPlace({
        timeZone,
        country: country ?? company.country,
        region: region === undefined ? company.region : region,
      });
      const change = {
        ...(name === undefined ? {} : { name }),
        ...(timeZone === undefined ? {} : { timeZone }),
        ...(country === undefined ? {} : { country }),
        ...(region === undefined ? {} : { region }),
        ...(deductBreaks === undefined ? {} : { deductBreaks }),
        ...(active === undefined ? {} : { active }),
      };
      const moved =
        (country !== undefined && country !== company.country) || (region !== undefined && region !== company.region);
      // Other holidays make other working days. Locked before the change takes its place in the order of commit.
      const people = moved
        ? await listPeople(tx, { company: id }, { active: undefined, afterId: 0, limit: everybody })
        : [];
      for (const person of people) await lockAbsences(tx, person.id);
      if (active === false) {
        await voidConsents(tx, { companyId: id }, at);
        // Links first: whoever ends one holds its row before asking for a place in the order of commit.
        await endLinks(tx, { companyId: id }, 'company_deactivated', actorOf(caller), at);
      }
      const changed = await changeCompany(tx, id, change, actorOf(caller), at);
      for (const person of people)
        await recountDays(
          tx,
          { ...person, country: changed.country, region: changed.region },
          localDateAt(at, changed.time_zone),
          actorOf(caller),
          at,
        );
      return { status: 200, body: await presentCompanySettings(tx, changed) };
    });
}

/** What cannot be said by a pattern about a company's settings. */
/**
 * @throws Refusal `invalid_request` an unknown time zone, or a region whose holidays are not known: a slip here would
 * silently cost people a holiday
 */
export function refuseUnknownPlace({
  timeZone,
  country,
  region,
}: {
  readonly timeZone?: string | undefined;
  readonly country: string;
  readonly region: string | null;
}): void {
  if (timeZone !== undefined && !isTimeZone(timeZone))
    throw invalid('time_zone', 'There is no such time zone.', 'unknown');
  if (region !== null && !isHolidayRegion(country, region))
    throw invalid(
      'region',
      'No holidays are known for this region of the country. Leave it out where they are the same everywhere.',
      'unknown',
    );
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
    people_count: counts.reduce((sum, one) => sum + one.people, 0),
    departments: await presentDepartments(reader, row.id),
    updated_at: formatInstant(row.updated_at),
  };
}

/** By name. Who approves for the whole company approves for each of them. */
export async function presentDepartments(reader: Reader, companyId: number): Promise<Schemas['Department'][]> {
  const counts = new Map(
    (await countPeopleByDepartment(reader, companyId)).map((one) => [one.department_id, one.people]),
  );
  const approvers = await listApprovers(reader, companyId);
  return (await listDepartments(reader, { company: companyId }))
    .map(({ id, name }) => {
      const deciding = approvers.filter((one) => one.department_id === null || one.department_id === id);
      return {
        id,
        name,
        people_count: counts.get(id) ?? 0,
        approvers: deciding.slice(0, 100).map((one) => ({ id: one.id, name: `${one.first_name} ${one.last_name}` })),
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
          .map((one) => ({ ...one, half_day: false })),
      },
    };
  };
}
