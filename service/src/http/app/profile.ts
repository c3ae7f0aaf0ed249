import type { Handler } from '@clockproof/platform/http/operation';
import { appendAudit } from '../../audit/audit.js';
import { takeSequence } from '../../events/events.js';
import type { operations } from '../../generated/app-types.js';
import { actorOf } from '../../people/actor.js';
import { findPerson, updatePerson } from '../../people/rows.js';
import { Refusal } from '../../refusal.js';
import { aboutPerson, setPassword } from '../../sign-in/credentials.js';
import { refuseWeakPassword } from '../../sign-in/password.js';
import { findCredential } from '../../sign-in/rows.js';
import { renewSession } from '../../sign-in/sessions.js';
import { ownScope, type PersonCaller } from './caller.js';
import type { AppNeeds } from './needs.js';
import { presentSession } from './sessions.js';

export function updateProfile({
  db,
  extensionsEnabled,
}: Pick<AppNeeds, 'db' | 'extensionsEnabled'>): Handler<operations['updateProfile'], PersonCaller> {
  return async ({ caller, body, at }) => {
    const { language } = body;
    const person = await db.write(async (tx) => {
      const changed = await takeSequence(tx);
      const before = (await findPerson(tx, caller.person.id, ownScope(caller)))!;
      if (language === undefined || language === before.language) return before;
      const after = { ...before, language, updated_at: at, changed };
      await updatePerson(tx, after);
      await appendAudit(tx, {
        at,
        companyId: before.company_id,
        actor: actorOf(caller.person),
        action: 'profile.changed',
        subject: `person ${before.id}`,
        details: { before: { language: before.language }, after: { language } },
      });
      return after;
    });
    return { status: 200, body: await presentSession(db, { ...caller, person }, extensionsEnabled, at) };
  };
}

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
        actorOf(caller.person),
        at,
      );
      return renewSession(tx, session.id, { keepProof: session.second_factor_at }, randomBytes, at);
    });
    return { status: 204, headers: { 'set-cookie': cookies.setSession(token) } };
  };
}
