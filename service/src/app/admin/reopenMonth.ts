import type { Handler } from '@clockproof/platform/http/operation';
import { reopenMonth as reopen } from '../../balances/close-month.js';
import type { operations } from '../../generated/app-types.js';
import { actorOf, type PersonCaller, requireFreshFactor } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { companyFor } from './administered.js';
import { presentMonths } from './present-months.js';

export function reopenMonth({ db }: Pick<AppNeeds, 'db'>): Handler<operations['reopenMonth'], PersonCaller> {
  return async ({ caller, path: { id, month }, body: { reason }, at }) => {
    requireFreshFactor(caller, at);
    return db.write(async (tx) => {
      const company = await companyFor(tx, caller, id);
      await reopen(tx, {
        companyId: company.id,
        month,
        reason,
        personId: caller.person.id,
        actor: actorOf(caller),
        at,
      });
      return { status: 200, body: (await presentMonths(tx, company.id, [month]))[0]! };
    });
  };
}
