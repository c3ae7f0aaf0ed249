import type { Handler } from '@clockproof/platform/http/operation';
import type { operations } from '../../generated/app-types.js';
import { Refusal } from '../../refusal.js';
import { findCredential } from '../../sign-in/rows.js';
import { proveSecondFactor, refuseUnproven, removeTotp } from '../../sign-in/second-factor.js';
import { renewSession } from '../../sign-in/sessions.js';
import { actorOf, type PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { readProof } from '../sign-in/prove-factor.js';

export function removeSecondFactor({
  db,
  passwords,
  sealingKeys,
  relyingParty,
  cookies,
  randomBytes,
}: Pick<AppNeeds, 'db' | 'passwords' | 'sealingKeys' | 'relyingParty' | 'cookies' | 'randomBytes'>): Handler<
  operations['removeSecondFactor'],
  PersonCaller
> {
  return async ({ caller, body, at }) => {
    const { person, session } = caller;
    const credential = await findCredential(db, person.id);
    if (!(await passwords.verify(credential?.password_hash, body.password))) throw new Refusal('credentials_invalid');
    const actor = actorOf(caller);
    const someone = { personId: person.id, companyId: person.company_id };
    const result = await db.write(async (tx) => {
      const outcome = await proveSecondFactor(
        tx,
        { ...someone, proof: readProof(body, caller, { relyingParty }), keys: sealingKeys },
        actor,
        at,
      );
      if (!outcome.accepted) return { outcome, token: '', left: true };
      const left = await removeTotp(tx, { ...someone, keepSession: session.id }, actor, at);
      return {
        outcome,
        left,
        token: await renewSession(tx, session.id, left ? 'complete' : 'password', randomBytes, at),
      };
    });
    refuseUnproven(result.outcome);
    return {
      status: 200,
      headers: { 'set-cookie': cookies.setSession(result.token) },
      body: { next: result.left ? 'done' : 'enrol' },
    };
  };
}
