import type { Handler } from '@clockproof/platform/http/operation';
import type { operations } from '../../generated/app-types.js';
import { Refusal } from '../../refusal.js';
import { removePasskey as remove } from '../../sign-in/passkeys.js';
import { findCredential } from '../../sign-in/rows.js';
import { renewSession } from '../../sign-in/sessions.js';
import { actorOf, type PersonCaller, requireFreshFactor } from '../caller.js';
import type { AppNeeds } from '../needs.js';

export function removePasskey({
  db,
  passwords,
  cookies,
  randomBytes,
}: Pick<AppNeeds, 'db' | 'passwords' | 'cookies' | 'randomBytes'>): Handler<operations['removePasskey'], PersonCaller> {
  return async ({ caller, path: { id }, body, at }) => {
    requireFreshFactor(caller, at);
    const { person, session } = caller;
    const credential = await findCredential(db, person.id);
    if (!(await passwords.verify(credential?.password_hash, body.password))) throw new Refusal('credentials_invalid');
    const result = await db.write(async (tx) => {
      const left = await remove(
        tx,
        { personId: person.id, companyId: person.company_id, id, keepSession: session.id },
        actorOf(caller),
        at,
      );
      return {
        left,
        token: await renewSession(
          tx,
          session.id,
          left ? { keepProof: session.second_factor_at } : 'password',
          randomBytes,
          at,
        ),
      };
    });
    return {
      status: 200,
      headers: { 'set-cookie': cookies.setSession(result.token) },
      body: { next: result.left ? 'done' : 'enrol' },
    };
  };
}
