/** Signing in with a password, and out again. */

import type { RandomBytes } from '@clockproof/platform/bytes/random-text';
import type { Instant } from '@clockproof/platform/time/instant';
import { actorOf } from '../people/actor.js';
import type { SignedIn } from '../people/caller.js';
import { findPersonAnywhere } from '../people/rows.js';
import { Refusal } from '../store/refusal.js';
import type { Store, Write } from '../store/write.js';
import { checkPassword, newerHash } from './credentials.js';
import type { Passwords } from './password.js';
import { accountOf, countTry } from './password-tries.js';
import { forgetPasswordTries, hasSecondFactor, keepPassword, markEnded, renewHash } from './rows.js';
import { type Browser, openSession } from './sessions.js';

export interface PasswordNeeds {
  readonly db: Store;
  readonly passwords: Passwords;
  readonly randomBytes: RandomBytes;
}

/** A session after the password step, and the next step. */
export interface OpenedSession {
  /** Its token, available only here. */
  readonly token: string;
  readonly next: 'second_factor' | 'enrol';
}

/**
 * @param requestId ties the entry of a refusal to the line of the security log that has the address
 * @throws Refusal `credentials_invalid`, `rate_limited` too many passwords are being checked, or too many were wrong
 */
export async function signInWithPassword(
  { db, passwords, randomBytes }: PasswordNeeds,
  {
    email,
    password,
    browser,
    requestId,
  }: { readonly email: string; readonly password: string; readonly browser: Browser; readonly requestId: string },
  at: Instant,
): Promise<OpenedSession> {
  await countTry(db, email, browser, at);
  const { credential, isCorrect } = await checkPassword(db, passwords, email, password);
  const person = credential && (await findPersonAnywhere(db, credential.person_id));
  if (!isCorrect || credential === undefined || person === undefined) {
    // Written for unknown addresses too: both refusals do the same work.
    await db.write({ actor: { kind: 'system' }, at }, (write) =>
      write.audit({
        companyId: person?.company_id,
        action: 'sign_in.refused',
        subject: person === undefined ? undefined : `person ${person.id}`,
        details: { credential: 'password', request_id: requestId },
      }),
    );
    throw new Refusal('credentials_invalid');
  }
  const newHash = await newerHash(passwords, credential, password);
  return db.write({ actor: actorOf(person), at }, async (write) => {
    // While the password was checked, a new one may have been chosen. That ended all sessions but this new one.
    if (!(await keepPassword(write, credential))) throw new Refusal('credentials_invalid');
    if (newHash !== undefined) await renewHash(write, person.id, credential.password_hash!, newHash);
    await forgetPasswordTries(write, accountOf(email));
    const opening = { ...browser, personId: person.id, openedBy: 'password', refusal: 'credentials_invalid' } as const;
    const session = await openSession(write, opening, randomBytes, at);
    await write.audit({
      companyId: person.company_id,
      action: 'sign_in.password',
      subject: `person ${person.id}`,
      details: { session: session.id },
    });
    return { token: session.token, next: (await hasSecondFactor(write, person.id)) ? 'second_factor' : 'enrol' };
  });
}

export async function endSignIn(write: Write, { person, session }: SignedIn): Promise<void> {
  const { at } = write;
  await markEnded(write, session.id, person.id, at);
  await write.audit({
    companyId: person.company_id,
    action: 'sign_in.ended',
    subject: `person ${person.id}`,
    details: { session: session.id },
  });
}
