import type { Handler } from '@clockproof/platform/http/operation';
import type { operations } from '../../generated/app-types.js';
import { addCompany } from '../../people/people.js';
import { findCompany } from '../../people/rows.js';
import { actorOf, type PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { refuseUnknownPlace } from './company-input.js';
import { presentCompanySettings } from './present-company.js';

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
