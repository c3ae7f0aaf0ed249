import type { Handler } from '@clockproof/platform/http/operation';
import { endExpiredLinks } from '../access/oauth/links.js';
import type { components, operations } from '../generated/app-types.js';
import type { AppNeeds } from '../http/needs.js';
import { pageOf } from '../http/page.js';
import { actorOf } from '../people/actor.js';
import { administeredScope, companyFor } from '../people/administered.js';
import type { PersonCaller } from '../people/caller.js';
import type { CompanyChange } from '../people/people.js';
import { listCompanies } from '../people/rows.js';
import { requireZone } from '../people/zones.js';
import { addCompany, changeCompany } from './companies.js';
import { presentCompanySettings } from './present-company.js';

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
      timeZone: requireZone(timeZone),
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
    const change = changeOf(body);
    const settings = await db.write({ actor: actorOf(caller.person), at }, async (write) =>
      presentCompanySettings(write, await changeCompany(write, caller, id, change)),
    );
    // More links than one write ends.
    if (change.active === 0) await endExpiredLinks(db, at);
    return { status: 200, body: settings };
  };
}

function changeOf(body: components['schemas']['CompanyChange']): CompanyChange {
  const {
    deduct_breaks: deductBreaks,
    time_zone,
    short_rest_branch: branch,
    record_duty,
    active,
    local_holidays: local,
    ...change
  } = body;
  return {
    ...change,
    ...(deductBreaks === undefined ? {} : { deductBreaks }),
    ...(time_zone === undefined ? {} : { time_zone: requireZone(time_zone) }),
    ...(local === undefined ? {} : { local_holidays: local === 'none' ? null : local }),
    ...(branch === undefined ? {} : { short_rest_branch: branch === 'none' ? null : branch }),
    ...(record_duty === undefined ? {} : { record_duty: bit(record_duty) }),
    ...(active === undefined ? {} : { active: bit(active) }),
  };
}

const bit = (value: boolean) => (value ? 1 : 0);
