import type { Handler } from '@clockproof/platform/http/operation';
import { appendAudit } from '../../audit/audit.js';
import type { operations } from '../../generated/app-types.js';
import { markEnded } from '../../sign-in/rows.js';
import { actorOf, type PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';

export function signOut({
  db,
  cookies,
}: Pick<AppNeeds, 'db' | 'cookies'>): Handler<operations['signOut'], PersonCaller> {
  return async ({ caller, at }) => {
    const { person, session } = caller;
    await db.write(async (tx) => {
      await markEnded(tx, session.id, person.id, at);
      await appendAudit(tx, {
        at,
        companyId: person.company_id,
        actor: actorOf(caller),
        action: 'sign_in.ended',
        subject: `person ${person.id}`,
        details: { session: session.id },
      });
    });
    return { status: 204, headers: { 'set-cookie': cookies.clearSession() } };
  };
}
