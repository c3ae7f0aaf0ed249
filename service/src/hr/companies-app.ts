import { endExpiredLinks } from '../access/oauth/links.js';
import type { components } from '../generated/app-types.js';
import type { AppHandler } from '../http/handler.js';
import { pageOf } from '../http/page.js';
import { actorOf } from '../people/actor.js';
import { administeredScope, companyFor } from '../people/administered.js';
import { storedFlags } from '../people/company-flags.js';
import type { CompanyChange } from '../people/people.js';
import { listCompanyRows } from '../people/rows.js';
import { requireZone } from '../people/zones.js';
import { defined } from '../store/defined.js';
import { addCompany, changeCompany } from './companies.js';
import { presentCompanySettings } from './present-company.js';

export const listAllCompanies: AppHandler<'listAllCompanies'> = async ({
  db,
  cursors,
  caller,
  query: { cursor, limit = 100 },
}) => {
  const binding = ['listAllCompanies', caller.person.id];
  const afterId = cursor === undefined ? 0 : cursors.read<number>(binding, cursor);
  const page = pageOf(
    await listCompanyRows(db, administeredScope(caller), { afterId, limit: limit + 1 }),
    limit,
    (row) => row,
    (last) => cursors.write(binding, last.id),
  );
  return {
    status: 200,
    body: { ...page, data: await Promise.all(page.data.map((row) => presentCompanySettings(db, row))) },
  };
};

export const createCompany: AppHandler<'createCompany'> = async ({
  db,
  caller,
  body: { name, time_zone: timeZone, country, region, deduct_breaks: deductBreaks },
  at,
}) => {
  const company = {
    name,
    timeZone: requireZone(timeZone),
    country,
    region,
    deductBreaks: deductBreaks === true,
  };
  const settings = await db.write({ actor: actorOf(caller.person), at }, async (write) =>
    presentCompanySettings(write, await addCompany(write, caller, company)),
  );
  return { status: 201, body: settings };
};

export const showCompany: AppHandler<'showCompany'> = async ({ db, caller, path: { id } }) => ({
  status: 200,
  body: await presentCompanySettings(db, await companyFor(db, caller, id)),
});

export const updateCompany: AppHandler<'updateCompany'> = async ({ db, caller, path: { id }, body, at }) => {
  const change = changeOf(body);
  const settings = await db.write({ actor: actorOf(caller.person), at }, async (write) =>
    presentCompanySettings(write, await changeCompany(write, caller, id, change)),
  );
  // A company can have more links than one write ends.
  if (change.active === 0) await endExpiredLinks(db, at);
  return { status: 200, body: settings };
};

function changeOf(body: components['schemas']['CompanyChange']): CompanyChange {
  const {
    deduct_breaks: deductBreaks,
    time_zone,
    short_rest_branch: branch,
    local_holidays: localHolidays,
    ...change
  } = body;
  return {
    ...storedFlags(change),
    ...defined({
      deductBreaks,
      time_zone: time_zone === undefined ? undefined : requireZone(time_zone),
      local_holidays: localHolidays === 'none' ? null : localHolidays,
      short_rest_branch: branch === 'none' ? null : branch,
    }),
  };
}
