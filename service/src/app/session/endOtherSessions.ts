import type { Handler } from '@clockproof/platform/http/operation';
import { appendAudit } from '../../audit/audit.js';
import type { operations } from '../../generated/app-types.js';
import { markAllEnded } from '../../sign-in/rows.js';
import { actorOf, type PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';

export function endOtherSessions({ db }: Pick<AppNeeds, 'db'>): Handler<operations['endOtherSessions'], PersonCaller> {
  return async ({ caller, at }) => {
    const { person, session } = caller;
    await db.write(async (tx) => {
      const ended = await markAllEnded(tx, person.id, session.id, at);
      await appendAudit(tx, {
        at,
        companyId: person.company_id,
        actor: actorOf(caller),
        action: 'session.others_ended',
        subject: `person ${person.id}`,
        details: { ended },
      });
    });
    return { status: 204 };
  };
}
