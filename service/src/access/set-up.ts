/** Setting up an installation: the first company and its super admin. */

import type { Instant } from '@clockproof/platform/time/instant';
import { type NewCompany, recordCompany, recordPerson } from '../people/people.js';
import { requireZone } from '../people/zones.js';
import { invalidField, Refusal } from '../store/refusal.js';
import { setPassword } from './credentials.js';
import { refuseWeakPassword } from './password.js';
import { findCredentialByEmail, findOneTimeLink, superAdminExists, takeOneTimeLink } from './rows.js';
import { hashOfSecret } from './secrets.js';
import { type Browser, openSession } from './sessions.js';
import type { OpenedSession, PasswordNeeds } from './sign-in.js';
import { takeWay } from './ways-in.js';

export interface SetUp {
  /** Token of the set-up link. */
  readonly token: string;
  readonly company: Omit<NewCompany, 'timeZone'> & { readonly timeZone: string };
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly password: string;
  readonly language: string;
  readonly browser: Browser;
}

/**
 * If the process stops before the commit, the link still works; after it, the super admin exists and no set-up link
 * works.
 * @throws Refusal `one_time_link_invalid`, `password_refused`, `invalid_request`
 */
export async function setUpInstallation(
  { db, passwords, randomBytes }: PasswordNeeds,
  { token, company, firstName, lastName, email, password, language, browser }: SetUp,
  at: Instant,
): Promise<OpenedSession> {
  const hash = hashOfSecret(token);
  // Checked before the slow hash, so that only the link can trigger one.
  if ((await findOneTimeLink(db, hash, 'set_up', at)) === undefined) throw new Refusal('one_time_link_invalid');
  const timeZone = requireZone(company.timeZone, 'company.time_zone');
  refuseWeakPassword(password, [firstName, lastName, email, company.name]);
  const passwordHash = await passwords.hash(password);
  return db.write({ actor: { kind: 'system', name: 'Set-up' }, at }, async (write) => {
    if ((await takeOneTimeLink(write, hash, 'set_up', at)) === undefined || (await superAdminExists(write)))
      throw new Refusal('one_time_link_invalid');
    if ((await findCredentialByEmail(write, email.toLowerCase())) !== undefined)
      throw invalidField('email', 'taken', 'Somebody signs in with this address already.');
    const companyId = await recordCompany(write, { ...company, timeZone });
    const person = { companyId, firstName, lastName, email, role: 'super_admin', language } as const;
    const personId = await recordPerson(write, person);
    await setPassword(write, { personId, companyId, passwordHash });
    await takeWay(write, 'setUp', personId);
    const session = await openSession(
      write,
      { ...browser, personId, openedBy: 'link', refusal: 'one_time_link_invalid' },
      randomBytes,
      at,
    );
    return { token: session.token, next: 'enrol' };
  });
}
