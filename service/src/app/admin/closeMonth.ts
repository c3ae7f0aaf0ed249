import type { Handler } from '@clockproof/platform/http/operation';
import { closeMonth as close } from '../../balances/close-month.js';
import type { operations } from '../../generated/app-types.js';
import { actorOf, type PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { companyFor } from './administered.js';
import { presentMonths } from './present-months.js';

export function closeMonth({ db }: Pick<AppNeeds, 'db'>): Handler<operations['closeMonth'], PersonCaller> {
  return async ({ caller, path: { id, month }, at }) => {
    const company = await companyFor(db, caller, id);
    await close(db, { companyId: company.id, month, personId: caller.person.id, actor: actorOf(caller), at });
    return { status: 200, body: (await presentMonths(db, company.id, [month]))[0]! };
  };
}
