import type { Handler } from '@clockproof/platform/http/operation';
import { appendAudit } from '../../audit/audit.js';
import type { operations } from '../../generated/app-types.js';
import { Refusal } from '../../refusal.js';
import { addPasskey as add } from '../../sign-in/passkeys.js';
import { noteSignIn } from '../../sign-in/rows.js';
import { renewRecoveryCodes } from '../../sign-in/second-factor.js';
import { renewSession } from '../../sign-in/sessions.js';
import { actorOf, isFresh, type PersonCaller, requireFreshFactor } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { presentPasskey } from './present-passkey.js';

export function addPasskey({
  db,
  sealingKeys,
  relyingParty,
  cookies,
  randomBytes,
}: Pick<AppNeeds, 'db' | 'sealingKeys' | 'relyingParty' | 'cookies' | 'randomBytes'>): Handler<
  operations['addPasskey'],
  PersonCaller
> {
  return async ({ caller, body: { name, credential }, at }) => {
    const { person, session } = caller;
    if (session.stage === 'complete') requireFreshFactor(caller, at);
    const actor = actorOf(caller);
    const someone = { personId: person.id, companyId: person.company_id };
    // One transaction: the passkey, and with the first one its recovery codes and the complete session, stand together
    // or not at all. A challenge that was answered wrongly is used up.
    const result = await db.write(async (tx) => {
      const added = await add(
        tx,
        { ...someone, sessionId: session.id, proven: isFresh(session, at), relyingParty, name, credential },
        actor,
        randomBytes,
        at,
      );
      if (added === undefined) return undefined;
      const codes = added.first
        ? await renewRecoveryCodes(tx, { ...someone, keys: sealingKeys }, actor, randomBytes, at)
        : undefined;
      const token = await renewSession(
        tx,
        session.id,
        session.stage === 'password' ? 'complete' : { keepProof: session.second_factor_at },
        randomBytes,
        at,
      );
      if (session.stage === 'password') {
        await noteSignIn(tx, person.id, at);
        await appendAudit(tx, {
          at,
          companyId: person.company_id,
          actor,
          action: 'sign_in.completed',
          subject: `person ${person.id}`,
          details: { session: session.id, passkey: added.passkey.id },
        });
      }
      return { passkey: added.passkey, codes, token };
    });
    if (result === undefined) throw new Refusal('passkey_refused');
    const { passkey, codes, token } = result;
    return {
      status: 201,
      headers: { 'set-cookie': cookies.setSession(token) },
      body: { passkey: presentPasskey(passkey), ...(codes === undefined ? {} : { recovery_codes: codes }) },
    };
  };
}
