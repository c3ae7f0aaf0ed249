/** What every step with a proof of the second factor does: judge it, count it, and give the session a new token. */
import type { Instant } from '@clockproof/platform/time/instant';
import { appendAudit } from '../../audit/audit.js';
import type { components } from '../../generated/app-types.js';
import { noteSignIn } from '../../sign-in/rows.js';
import {
  type FactorOutcome,
  type FactorProof,
  proveSecondFactor,
  refuseUnproven,
} from '../../sign-in/second-factor.js';
import { renewSession } from '../../sign-in/sessions.js';
import { actorOf, type PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';

export function readProof(
  body: Pick<components['schemas']['SecondFactorProof'], 'code' | 'recovery_code' | 'passkey'>,
  { session }: PersonCaller,
  { relyingParty }: Pick<AppNeeds, 'relyingParty'>,
): FactorProof {
  if (body.passkey !== undefined) return { passkey: { assertion: body.passkey, sessionId: session.id, relyingParty } };
  return body.code === undefined ? { recoveryCode: body.recovery_code ?? '' } : { code: body.code };
}

/**
 * @returns the new token of the session, whose proof is fresh now
 * @throws Refusal `second_factor_invalid`, `rate_limited`; the try is counted all the same
 */
export async function proveInSession(
  { db, sealingKeys, randomBytes }: Pick<AppNeeds, 'db' | 'sealingKeys' | 'randomBytes'>,
  caller: PersonCaller,
  proof: FactorProof,
  at: Instant,
): Promise<string> {
  const { person, session } = caller;
  const actor = actorOf(caller);
  let token = '';
  // One transaction: the code is used up exactly if the session has its new token, and a wrong try is counted.
  const outcome = await db.write(async (tx): Promise<FactorOutcome> => {
    const judged = await proveSecondFactor(
      tx,
      { personId: person.id, companyId: person.company_id, proof, keys: sealingKeys },
      actor,
      at,
    );
    if (!judged.accepted) return judged;
    token = await renewSession(tx, session.id, 'complete', randomBytes, at);
    if (session.stage === 'password') {
      await noteSignIn(tx, person.id, at);
      await appendAudit(tx, {
        at,
        companyId: person.company_id,
        actor,
        action: 'sign_in.completed',
        subject: `person ${person.id}`,
        details: { session: session.id, ...(judged.passkey === undefined ? {} : { passkey: judged.passkey }) },
      });
    }
    return judged;
  });
  refuseUnproven(outcome);
  return token;
}
