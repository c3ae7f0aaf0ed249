import type { Handler } from '@clockproof/platform/http/operation';
import { localDateAt } from '@clockproof/platform/time/local-date';
import { recountDays } from '../../absences/recount-days.js';
import { lockAbsences } from '../../absences/rows.js';
import type { operations } from '../../generated/app-types.js';
import { endLinks } from '../../oauth/links.js';
import { lockPeopleAccess, voidConsents } from '../../oauth/rows.js';
import { changeCompany } from '../../people/people.js';
import { listPeople } from '../../people/rows.js';
import { Refusal } from '../../refusal.js';
import { actorOf, administeredCompany, type PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { companyFor } from './administered.js';
import { refuseUnknownPlace } from './company-input.js';
import { presentCompanySettings } from './present-company.js';

const everybody = 1_000_000;

export function updateCompany({ db }: Pick<AppNeeds, 'db'>): Handler<operations['updateCompany'], PersonCaller> {
  return ({ caller, path: { id }, body, at }) =>
    db.write(async (tx) => {
      // Before everything else, as whoever mints a link does: none is opened beside the ending of all.
      if (body.active === false) await lockPeopleAccess(tx);
      const company = await companyFor(tx, caller, id);
      // Whoever switched their own company off could not switch it on again.
      if (body.active !== undefined && administeredCompany(caller) !== null) throw new Refusal('forbidden');
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
        ? await listPeople(tx, { companyId: id, active: undefined, afterId: 0, limit: everybody })
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
