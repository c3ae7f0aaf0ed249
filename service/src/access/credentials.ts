/** Setting and checking passwords. */

import type { RandomBytes } from '@clockproof/platform/bytes/random-text';
import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { actorOf } from '../people/actor.js';
import type { SignedIn } from '../people/caller.js';
import type { PersonRow } from '../people/rows.js';
import type { CompanyId, PersonId } from '../store/ids.js';
import { Refusal } from '../store/refusal.js';
import type { Store, Write } from '../store/write.js';
import { type Passwords, refuseWeakPassword } from './password.js';
import { accountInSession, countTryInSession } from './password-tries.js';
import {
  type CredentialRow,
  findCredential,
  findCredentialByEmail,
  forgetPasswordTries,
  savePassword,
} from './rows.js';
import { renewSession } from './sessions.js';
import { takeWay } from './ways-in.js';

/**
 * Sets a person's password. The way in decides what ends with the earlier one.
 * @param passwordHash from `Passwords.hash`, computed before the transaction, because it is slow and writers wait for
 * each other
 */
export async function setPassword(
  write: Write,
  { personId, companyId, passwordHash }: { personId: PersonId; companyId: CompanyId; passwordHash: string },
): Promise<void> {
  await savePassword(write, personId, passwordHash, write.at);
  await write.audit({ companyId, action: 'password.set', subject: `person ${personId}` });
}

/**
 * A signed-in person changes their password; their other sessions end.
 * @returns the new token of this one
 * @throws Refusal `credentials_invalid`, `password_refused`, `rate_limited`
 */
export async function replacePassword(
  {
    db,
    passwords,
    randomBytes,
  }: { readonly db: Store; readonly passwords: Passwords; readonly randomBytes: RandomBytes },
  { person, session }: SignedIn,
  { present, newPassword }: { readonly present: string; readonly newPassword: string },
  at: Instant,
): Promise<string> {
  await refuseWrongPassword(db, passwords, person.id, present, at);
  refuseWeakPassword(newPassword, aboutPerson(person));
  const passwordHash = await passwords.hash(newPassword);
  return db.write({ actor: actorOf(person), at }, async (write) => {
    await setPassword(write, { personId: person.id, companyId: person.company_id, passwordHash });
    await takeWay(write, 'passwordChange', person.id, { keepSession: session.id });
    await forgetPasswordTries(write, accountInSession(person.id));
    return renewSession(write, session.id, { keepProof: session.second_factor_at }, randomBytes, at);
  });
}

/**
 * Asks a signed-in person for their password once more. A right one makes the tries before it forgotten, in the write
 * that it was asked for.
 * @throws Refusal `credentials_invalid`, `rate_limited`
 */
export async function refuseWrongPassword(
  db: Store,
  passwords: Passwords,
  personId: PersonId,
  password: string,
  at: Instant,
): Promise<void> {
  await countTryInSession(db, personId, at);
  const credential = await findCredential(db, personId);
  if (!(await passwords.verify(credential?.password_hash, password))) throw new Refusal('credentials_invalid');
}

/** The person with this address and password; undefined if either is wrong, after the same time. */
export async function checkPassword(
  reader: Reader,
  passwords: Passwords,
  email: string,
  password: string,
): Promise<{ readonly credential: CredentialRow | undefined; readonly isCorrect: boolean }> {
  const credential = await findCredentialByEmail(reader, email.toLowerCase());
  return { credential, isCorrect: await passwords.verify(credential?.password_hash, password) };
}

/** A new hash for a password that was just verified, if its parameters are outdated; otherwise undefined. */
export async function newerHash(
  passwords: Passwords,
  credential: CredentialRow,
  password: string,
): Promise<string | undefined> {
  return passwords.isOutdated(credential.password_hash!) ? passwords.hash(password) : undefined;
}

export function aboutPerson({
  first_name,
  last_name,
  email,
  company_name,
}: Pick<PersonRow, 'first_name' | 'last_name' | 'email' | 'company_name'>): string[] {
  return [first_name, last_name, company_name, ...(email === null ? [] : [email])];
}
