/**
 * The bounds on wrong passwords for one account.
 *
 * When signing in, from all addresses together: 100 in a row (NIST SP 800-63B §5.2.2), then one every fifteen minutes.
 * It delays guesses and locks no one out: a browser or address that the person has signed in from is not slowed down,
 * and neither is anybody with a passkey, since a password opens nothing there.
 *
 * In a session, where the password is asked for once more (a new password, the removal of a factor): 10 in a row, over
 * all sessions of the person, then one every fifteen minutes. Using them up takes a session of the person, and signing
 * in stays possible.
 */
import { day, type Instant, minute, second } from '@clockproof/platform/time/instant';
import type { PersonId } from '../store/ids.js';
import { Refusal } from '../store/refusal.js';
import type { Store } from '../store/write.js';
import { countPasswordTry, isSignInExpected, readPasswordTries } from './rows.js';
import { hashOfSecret } from './secrets.js';
import type { Browser } from './sessions.js';

const freeTries = 100;
const freeTriesInSession = 10;
const delay = 15 * minute;
/** A day without a try forgets the others. */
export const triesKeptFor = day;

/** Addresses without an account are counted too, so that both answer the same. */
export function accountOf(email: string): string {
  return hashOfSecret(`account ${email.toLowerCase()}`);
}

/**
 * Counts a try before the password is checked: parallel guesses are all counted.
 * @throws Refusal `rate_limited`
 */
export async function countTry(db: Store, email: string, browser: Browser, at: Instant): Promise<void> {
  const { address, previousToken } = browser;
  const tokenHash = previousToken === undefined ? '' : hashOfSecret(previousToken);
  if (await isSignInExpected(db, { email: email.toLowerCase(), address, tokenHash })) return;
  await count(db, accountOf(email), freeTries, at);
}

/** A person whose password is asked for once more in a session. */
export function accountInSession(personId: PersonId): string {
  return hashOfSecret(`account in session ${personId}`);
}

/**
 * Counts a try before the password is checked.
 * @throws Refusal `rate_limited`
 */
export async function countTryInSession(db: Store, personId: PersonId, at: Instant): Promise<void> {
  await count(db, accountInSession(personId), freeTriesInSession, at);
}

async function count(db: Store, account: string, freeTries: number, at: Instant): Promise<void> {
  const allowed = await db.runMaintenance('attempt counter', (tx) =>
    countPasswordTry(tx, {
      account,
      at,
      freeTries,
      delayedBefore: at - delay,
      forgottenBefore: at - triesKeptFor,
    }),
  );
  if (allowed) return;
  const last = (await readPasswordTries(db, account))?.last_at ?? at;
  const wait = Math.max(1, Math.ceil((last + delay - at) / second));
  throw new Refusal('rate_limited', { headers: { 'retry-after': String(wait) }, secretTried: true });
}
