import type { Handler } from '@clockproof/platform/http/operation';
import { appendAudit } from '../../audit/audit.js';
import type { operations } from '../../generated/app-types.js';
import { findPerson } from '../../people/rows.js';
import { Refusal } from '../../refusal.js';
import { checkPassword, newerHash } from '../../sign-in/credentials.js';
import { hasSecondFactor, renewHash } from '../../sign-in/rows.js';
import { openSession } from '../../sign-in/sessions.js';
import { nameOf, type Visitor } from '../caller.js';
import type { AppNeeds } from '../needs.js';

export function signIn({
  db,
  passwords,
  cookies,
  randomBytes,
}: Pick<AppNeeds, 'db' | 'passwords' | 'cookies' | 'randomBytes'>): Handler<operations['signIn'], Visitor> {
  return async ({ body, headers, address, at }) => {
    const { credential, fits } = await checkPassword(db, passwords, body.email, body.password);
    const person = credential && (await findPerson(db, credential.person_id, null));
    if (!fits || credential === undefined || person === undefined) {
      // Written for unknown addresses too: both refusals do the same work.
      await db.write((tx) =>
        appendAudit(tx, {
          at,
          companyId: person?.company_id,
          actor: { kind: 'system' },
          action: 'sign_in.refused',
          ...(person === undefined ? {} : { subject: `person ${person.id}` }),
        }),
      );
      throw new Refusal('credentials_invalid');
    }
    const renewed = await newerHash(passwords, credential, body.password);
    const token = await db.write(async (tx) => {
      if (renewed !== undefined) await renewHash(tx, person.id, credential.password_hash!, renewed);
      const session = await openSession(
        tx,
        { personId: person.id, address, device: headers['user-agent'], before: cookies.session(headers) },
        randomBytes,
        at,
      );
      await appendAudit(tx, {
        at,
        companyId: person.company_id,
        actor: { kind: 'person', id: String(person.id), name: nameOf(person) },
        action: 'sign_in.password',
        subject: `person ${person.id}`,
        details: { session: session.id },
      });
      return session.token;
    });
    return {
      status: 200,
      headers: { 'set-cookie': cookies.setSession(token) },
      body: { next: (await hasSecondFactor(db, person.id)) ? 'second_factor' : 'enrol' },
    };
  };
}
