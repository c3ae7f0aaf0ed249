import type { Handler } from '@clockproof/platform/http/operation';
import type { operations } from '../../generated/app-types.js';
import type { PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { presentSession } from '../present-session.js';
import { proveInSession, readProof } from '../sign-in/prove-factor.js';

export function proveSecondFactor(
  needs: Pick<AppNeeds, 'db' | 'sealingKeys' | 'relyingParty' | 'cookies' | 'randomBytes' | 'extensionsEnabled'>,
): Handler<operations['proveSecondFactor'], PersonCaller> {
  return async ({ caller, body, at }) => {
    const token = await proveInSession(needs, caller, readProof(body, caller, needs), at);
    const session = { ...caller.session, second_factor_at: at };
    return {
      status: 200,
      headers: { 'set-cookie': needs.cookies.setSession(token) },
      body: await presentSession(needs.db, { ...caller, session }, needs.extensionsEnabled, at),
    };
  };
}
