/** A person chooses a password with a one-time link: that of an invitation, or of a request for a new password. */
import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { actorOf } from '../people/actor.js';
import { findPersonAnywhere, type PersonRow } from '../people/rows.js';
import { Refusal } from '../store/refusal.js';
import { aboutPerson, setPassword } from './credentials.js';
import { refuseWeakPassword } from './password.js';
import { canSignIn, findOneTimeLink, hasSecondFactor, takeOneTimeLink } from './rows.js';
import { hashOfSecret } from './secrets.js';
import { type Browser, openSession } from './sessions.js';
import type { OpenedSession, PasswordNeeds } from './sign-in.js';
import { takeWay } from './ways-in.js';

export type PasswordLink = 'invitation' | 'password_reset';

/** The person a link is for. @throws Refusal `one_time_link_invalid` */
export async function checkPasswordLink(
  reader: Reader,
  kind: PasswordLink,
  token: string,
  at: Instant,
): Promise<{ readonly person: PersonRow & { readonly email: string }; readonly expiresAt: Instant }> {
  const link = await findOneTimeLink(reader, hashOfSecret(token), kind, at);
  const person = link && (await findPersonAnywhere(reader, link.person_id!));
  if (link === undefined || person === undefined || person.active === 0 || person.email === null)
    throw new Refusal('one_time_link_invalid');
  return { person: { ...person, email: person.email }, expiresAt: link.expires_at };
}

/**
 * If the process stops before the commit, the link still works; after it, the password is set and the link is used up.
 * @throws Refusal `one_time_link_invalid`, `password_refused`
 */
export async function choosePassword(
  { db, passwords, randomBytes }: PasswordNeeds,
  kind: PasswordLink,
  { token, password, browser }: { readonly token: string; readonly password: string; readonly browser: Browser },
  at: Instant,
): Promise<OpenedSession> {
  const hash = hashOfSecret(token);
  const link = await findOneTimeLink(db, hash, kind, at);
  const person = link && (await findPersonAnywhere(db, link.person_id!));
  if (person === undefined || person.active === 0 || person.company_active === 0)
    throw new Refusal('one_time_link_invalid');
  refuseWeakPassword(password, aboutPerson(person));
  const passwordHash = await passwords.hash(password);
  return db.write({ actor: actorOf(person), at }, async (write) => {
    if ((await takeOneTimeLink(write, hash, kind, at)) === undefined) throw new Refusal('one_time_link_invalid');
    const { id: personId, company_id: companyId } = person;
    const wayName = (await canSignIn(write, personId)) ? 'passwordByLink' : 'firstPassword';
    await setPassword(write, { personId, companyId, passwordHash });
    await takeWay(write, wayName, personId);
    const opening = { ...browser, personId, openedBy: 'link', refusal: 'one_time_link_invalid' } as const;
    const session = await openSession(write, opening, randomBytes, at);
    return { token: session.token, next: (await hasSecondFactor(write, personId)) ? 'second_factor' : 'enrol' };
  });
}
