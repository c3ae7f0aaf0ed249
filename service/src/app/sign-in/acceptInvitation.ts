import type { Handler } from '@clockproof/platform/http/operation';
import type { operations } from '../../generated/app-types.js';
import { findPerson } from '../../people/rows.js';
import { Refusal } from '../../refusal.js';
import { aboutPerson, setPassword } from '../../sign-in/credentials.js';
import { refuseWeakPassword } from '../../sign-in/password.js';
import { findOneTimeLink, hasSecondFactor, takeOneTimeLink } from '../../sign-in/rows.js';
import { hashOfSecret } from '../../sign-in/secrets.js';
import { openSession } from '../../sign-in/sessions.js';
import { nameOf, type Visitor } from '../caller.js';
import type { AppNeeds } from '../needs.js';

export function acceptInvitation({
  db,
  passwords,
  cookies,
  randomBytes,
}: Pick<AppNeeds, 'db' | 'passwords' | 'cookies' | 'randomBytes'>): Handler<operations['acceptInvitation'], Visitor> {
  return async ({ body, headers, address, at }) => {
    const hash = hashOfSecret(body.token);
    const link = await findOneTimeLink(db, hash, 'invitation', at);
    const person = link && (await findPerson(db, link.person_id!, null));
    if (person === undefined || person.active === 0 || person.company_active === 0)
      throw new Refusal('one_time_link_invalid');
    refuseWeakPassword(body.password, aboutPerson(person));
    const passwordHash = await passwords.hash(body.password);
    // If the process stops before the commit the link still works; after it the password stands and the link is used
    // up.
    const { token, enrolled } = await db.write(async (tx) => {
      if ((await takeOneTimeLink(tx, hash, 'invitation', at)) === undefined) throw new Refusal('one_time_link_invalid');
      await setPassword(
        tx,
        { personId: person.id, companyId: person.company_id, passwordHash },
        { kind: 'person', id: String(person.id), name: nameOf(person) },
        at,
      );
      const session = await openSession(
        tx,
        { personId: person.id, address, device: headers['user-agent'], before: cookies.session(headers) },
        randomBytes,
        at,
      );
      return { token: session.token, enrolled: await hasSecondFactor(tx, person.id) };
    });
    return {
      status: 200,
      headers: { 'set-cookie': cookies.setSession(token) },
      body: { next: enrolled ? 'second_factor' : 'enrol' },
    };
  };
}
