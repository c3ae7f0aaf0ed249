import type { Handler } from '@clockproof/platform/http/operation';
import { appendAudit } from '../../audit/audit.js';
import type { operations } from '../../generated/app-types.js';
import { Refusal } from '../../refusal.js';
import { markEnded } from '../../sign-in/rows.js';
import { actorOf, type PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';

export function endSession({ db }: Pick<AppNeeds, 'db'>): Handler<operations['endSession'], PersonCaller> {
  return async ({ caller, path: { id }, at }) => {
    const { person } = caller;
    await db.write(async (tx) => {
      if (!(await markEnded(tx, id, person.id, at))) throw new Refusal('not_found');
      await appendAudit(tx, {
        at,
        companyId: person.company_id,
        actor: actorOf(caller),
        action: 'session.ended',
        subject: `person ${person.id}`,
        details: { session: id },
      });
    });
    return { status: 204 };
  };
}
