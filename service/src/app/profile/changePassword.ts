import type { Handler } from '@clockproof/platform/http/operation';
import type { operations } from '../../generated/app-types.js';
import { Refusal } from '../../refusal.js';
import { aboutPerson, setPassword } from '../../sign-in/credentials.js';
import { refuseWeakPassword } from '../../sign-in/password.js';
import { findCredential } from '../../sign-in/rows.js';
import { renewSession } from '../../sign-in/sessions.js';
import { actorOf, type PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';

export function changePassword({
  db,
  passwords,
  cookies,
  randomBytes,
}: Pick<AppNeeds, 'db' | 'passwords' | 'cookies' | 'randomBytes'>): Handler<
  operations['changePassword'],
  PersonCaller
> {
  return async ({ caller, body, at }) => {
    const { person, session } = caller;
    const credential = await findCredential(db, person.id);
    if (!(await passwords.verify(credential?.password_hash, body.current_password)))
      throw new Refusal('credentials_invalid');
    refuseWeakPassword(body.new_password, aboutPerson(person));
    const passwordHash = await passwords.hash(body.new_password);
    const token = await db.write(async (tx) => {
      await setPassword(
        tx,
        { personId: person.id, companyId: person.company_id, passwordHash, keepSession: session.id },
        actorOf(caller),
        at,
      );
      return renewSession(tx, session.id, { keepProof: session.second_factor_at }, randomBytes, at);
    });
    return { status: 204, headers: { 'set-cookie': cookies.setSession(token) } };
  };
}
