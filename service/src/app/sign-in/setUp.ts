import type { Handler } from '@clockproof/platform/http/operation';
import { isTimeZone } from '@clockproof/platform/time/local-date';
import { invalid } from '../../api/page.js';
import type { operations } from '../../generated/app-types.js';
import { addCompany, addPerson } from '../../people/people.js';
import { Refusal } from '../../refusal.js';
import { setPassword } from '../../sign-in/credentials.js';
import { refuseWeakPassword } from '../../sign-in/password.js';
import {
  deleteSetUpLinks,
  findCredentialByEmail,
  findOneTimeLink,
  superAdminExists,
  takeOneTimeLink,
} from '../../sign-in/rows.js';
import { hashOfSecret } from '../../sign-in/secrets.js';
import { openSession } from '../../sign-in/sessions.js';
import type { Visitor } from '../caller.js';
import type { AppNeeds } from '../needs.js';

export function setUp({
  db,
  passwords,
  cookies,
  randomBytes,
}: Pick<AppNeeds, 'db' | 'passwords' | 'cookies' | 'randomBytes'>): Handler<operations['setUp'], Visitor> {
  return async ({ body, headers, address, at }) => {
    const hash = hashOfSecret(body.token);
    // Looked at before the slow hash, so that nobody without the link makes the service compute one.
    if ((await findOneTimeLink(db, hash, 'set_up', at)) === undefined) throw new Refusal('one_time_link_invalid');
    if (!isTimeZone(body.company.time_zone))
      throw invalid('company.time_zone', 'There is no such time zone.', 'unknown');
    refuseWeakPassword(body.password, [body.first_name, body.last_name, body.email, body.company.name]);
    const passwordHash = await passwords.hash(body.password);
    // If the process stops before the commit the link still works; after it the super admin exists and every set-up
    // link is dead.
    const token = await db.write(async (tx) => {
      if ((await takeOneTimeLink(tx, hash, 'set_up', at)) === undefined || (await superAdminExists(tx)))
        throw new Refusal('one_time_link_invalid');
      if ((await findCredentialByEmail(tx, body.email.toLowerCase())) !== undefined)
        throw invalid('email', 'Somebody signs in with this address already.', 'taken');
      await deleteSetUpLinks(tx);
      const actor = { kind: 'system', name: 'Set-up' } as const;
      const { name, time_zone: timeZone, country, region } = body.company;
      const companyId = await addCompany(
        tx,
        { name, timeZone, country, ...(region === undefined ? {} : { region }) },
        actor,
        at,
      );
      const personId = await addPerson(
        tx,
        {
          companyId,
          firstName: body.first_name,
          lastName: body.last_name,
          email: body.email,
          role: 'super_admin',
          language: body.language ?? 'de',
        },
        actor,
        at,
      );
      await setPassword(tx, { personId, companyId, passwordHash }, actor, at);
      return (
        await openSession(
          tx,
          { personId, address, device: headers['user-agent'], before: cookies.session(headers) },
          randomBytes,
          at,
        )
      ).token;
    });
    return { status: 201, headers: { 'set-cookie': cookies.setSession(token) }, body: { next: 'enrol' } };
  };
}
