import type { Handler } from '@clockproof/platform/http/operation';
import { appendAudit } from '../../audit/audit.js';
import type { operations } from '../../generated/app-types.js';
import { noteSignIn } from '../../sign-in/rows.js';
import { confirmEnrolment, refuseUnproven, renewRecoveryCodes } from '../../sign-in/second-factor.js';
import { renewSession } from '../../sign-in/sessions.js';
import { actorOf, isFresh, type PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';

export function confirmSecondFactor({
  db,
  sealingKeys,
  cookies,
  randomBytes,
}: Pick<AppNeeds, 'db' | 'sealingKeys' | 'cookies' | 'randomBytes'>): Handler<
  operations['confirmSecondFactor'],
  PersonCaller
> {
  return async ({ caller, body, at }) => {
    const { person, session } = caller;
    const actor = actorOf(caller);
    const someone = { personId: person.id, companyId: person.company_id, keys: sealingKeys };
    // One transaction: the factor, its recovery codes and the complete session stand together or not at all.
    const result = await db.write(async (tx) => {
      const outcome = await confirmEnrolment(
        tx,
        { ...someone, code: body.code, proven: isFresh(session, at) },
        actor,
        at,
      );
      if (!outcome.accepted) return { outcome, codes: [], token: '' };
      const codes = await renewRecoveryCodes(tx, someone, actor, randomBytes, at);
      const token = await renewSession(tx, session.id, 'complete', randomBytes, at);
      if (session.stage === 'password') {
        await noteSignIn(tx, person.id, at);
        await appendAudit(tx, {
          at,
          companyId: person.company_id,
          actor,
          action: 'sign_in.completed',
          subject: `person ${person.id}`,
          details: { session: session.id },
        });
      }
      return { outcome, codes, token };
    });
    refuseUnproven(result.outcome);
    return {
      status: 200,
      headers: { 'set-cookie': cookies.setSession(result.token) },
      body: { recovery_codes: result.codes },
    };
  };
}
