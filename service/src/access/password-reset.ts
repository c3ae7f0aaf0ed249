/**
 * A new password by e-mail. The request says nothing about whether the address exists: it stores the address, and the
 * mailer finds out later for whom it is.
 */
import type { RandomBytes } from '@clockproof/platform/bytes/random-text';
import { day, type Instant, minute } from '@clockproof/platform/time/instant';
import { sealToken } from '../inbox/mail/outbox.js';
import { addressMail, insertMail, type MailRow, readMail } from '../inbox/mail/rows.js';
import { findPersonAnywhere } from '../people/rows.js';
import type { SealingKeys } from '../store/sealing/sealing-keys.js';
import type { Store } from '../store/write.js';
import { countPasswordTry, findCredentialByEmail, insertOneTimeLink } from './rows.js';
import { hashOfSecret, newSecret } from './secrets.js';

/** Lifetime of a link. */
export const resetMilliseconds = 30 * minute;
const freeRequests = 3;
const delay = 30 * minute;

/**
 * Stores a request for a reset. The same work for every address; beyond three requests a day for one address, one every
 * thirty minutes has an effect.
 */
export async function startPasswordReset(db: Store, email: string, at: Instant): Promise<void> {
  const address = email.toLowerCase();
  const allowed = await db.runMaintenance('attempt counter', (tx) =>
    countPasswordTry(tx, {
      account: hashOfSecret(`password reset ${address}`),
      at,
      freeTries: freeRequests,
      delayedBefore: at - delay,
      forgottenBefore: at - day,
    }),
  );
  if (!allowed) return;
  await db.write({ actor: { kind: 'system' }, at }, async (write) => {
    // The entry of the link names the person, if there is one.
    write.unaudited('attempt');
    await insertMail(write, {
      person_id: null,
      kind: 'password_reset',
      address,
      facts: '{}',
      created_at: at,
      expires_at: at + resetMilliseconds,
    });
  });
}

/**
 * Makes the link for a mail to an address. If the process stops before the commit, another one makes it; after it, the
 * mail is the person's and has its link.
 * @returns undefined if no person signs in with the address
 */
export async function resolvePasswordReset(
  { db, keys, randomBytes }: { readonly db: Store; readonly keys: SealingKeys; readonly randomBytes: RandomBytes },
  mail: MailRow,
  at: Instant,
): Promise<MailRow | undefined> {
  const credential = await findCredentialByEmail(db, mail.address ?? '');
  const person = credential && (await findPersonAnywhere(db, credential.person_id));
  if (credential === undefined || credential.password_hash === null || person === undefined) return undefined;
  return db.write({ actor: { kind: 'system' }, at }, async (write) => {
    const token = newSecret('rst_', randomBytes);
    const expiresAt = at + resetMilliseconds;
    await insertOneTimeLink(write, {
      hash: hashOfSecret(token),
      kind: 'password_reset',
      person_id: person.id,
      created_at: at,
      expires_at: expiresAt,
    });
    await addressMail(write, mail.id, { personId: person.id, expiresAt });
    await sealToken(write, mail, keys, token);
    await write.audit({
      companyId: person.company_id,
      action: 'password.reset_requested',
      subject: `person ${person.id}`,
    });
    return readMail(write, mail.id);
  });
}
