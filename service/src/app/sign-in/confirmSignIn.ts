import type { Handler } from '@clockproof/platform/http/operation';
import type { operations } from '../../generated/app-types.js';
import { countRecoveryCodes } from '../../sign-in/rows.js';
import type { PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { proveInSession, readProof } from './prove-factor.js';

export function confirmSignIn(
  needs: Pick<AppNeeds, 'db' | 'sealingKeys' | 'relyingParty' | 'cookies' | 'randomBytes'>,
): Handler<operations['confirmSignIn'], PersonCaller> {
  return async ({ caller, body, at }) => {
    const proof = readProof(body, caller, needs);
    const token = await proveInSession(needs, caller, proof, at);
    return {
      status: 200,
      headers: { 'set-cookie': needs.cookies.setSession(token) },
      body: {
        next: 'done',
        ...('recoveryCode' in proof
          ? { recovery_codes_left: await countRecoveryCodes(needs.db, caller.person.id) }
          : {}),
      },
    };
  };
}
