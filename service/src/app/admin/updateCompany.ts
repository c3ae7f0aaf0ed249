import type { Handler } from '@clockproof/platform/http/operation';
import type { operations } from '../../generated/app-types.js';
import { changeCompany } from '../../people/people.js';
import { Refusal } from '../../refusal.js';
import { actorOf, administeredCompany, type PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { companyFor } from './administered.js';
import { refuseUnknownPlace } from './company-input.js';
import { presentCompanySettings } from './present-company.js';

export function updateCompany({ db }: Pick<AppNeeds, 'db'>): Handler<operations['updateCompany'], PersonCaller> {
  return ({ caller, path: { id }, body, at }) => db.write(async (tx) => {
    const company = await companyFor(tx, caller, id);
    // Whoever switched their own company off could not switch it on again.
    if (body.active !== undefined && administeredCompany(caller) !== null) throw new Refusal('forbidden');
    const { name, time_zone: timeZone, country, region, deduct_breaks: deductBreaks, active } = body;
    refuseUnknownPlace({ timeZone, country: country ?? company.country, region: region === undefined ? company.region : region });
    const change = {
      ...(name === undefined ? {} : { name }), ...(timeZone === undefined ? {} : { timeZone }), ...(country === undefined ? {} : { country }), ...(region === undefined ? {} : { region }),
      ...(deductBreaks === undefined ? {} : { deductBreaks }), ...(active === undefined ? {} : { active }),
    };
    return { status: 200, body: await presentCompanySettings(tx, await changeCompany(tx, id, change, actorOf(caller), at)) };
  });
}
