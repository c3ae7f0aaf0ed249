import type { Handler } from '@clockproof/platform/http/operation';
import type { operations } from '../../generated/app-types.js';
import type { PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { companyFor } from './administered.js';
import { presentCompanySettings } from './present-company.js';

export function showCompany({ db }: Pick<AppNeeds, 'db'>): Handler<operations['showCompany'], PersonCaller> {
  return async ({ caller, path: { id } }) => ({
    status: 200,
    body: await presentCompanySettings(db, await companyFor(db, caller, id)),
  });
}
