/** One-time links: the set-up link for the first super admin, and invitations to choose a password. */

import type { RandomBytes } from '@clockproof/platform/bytes/random-text';
import { day, type Instant } from '@clockproof/platform/time/instant';
import { enqueueLink } from '../inbox/mail/outbox.js';
import type { CompanyId, PersonId } from '../store/ids.js';
import type { SealingKeys } from '../store/sealing/sealing-keys.js';
import type { Store, Write } from '../store/write.js';
import { insertOneTimeLink, superAdminExists } from './rows.js';
import { hashOfSecret, newSecret } from './secrets.js';

const setUpMilliseconds = day;
const invitationMilliseconds = 7 * day;

/**
 * The token of a set-up link while no super admin can sign in; undefined afterwards. Each start creates one; the set-up
 * invalidates all of them.
 */
export async function createSetUpToken(db: Store, randomBytes: RandomBytes, at: Instant): Promise<string | undefined> {
  if (await superAdminExists(db)) return undefined;
  const token = newSecret('stp_', randomBytes);
  await db.runMaintenance('installation', (tx) =>
    insertOneTimeLink(tx, {
      hash: hashOfSecret(token),
      kind: 'set_up',
      person_id: null,
      created_at: at,
      expires_at: at + setUpMilliseconds,
    }),
  );
  return token;
}

export interface Invitation {
  readonly token: string;
  readonly expiresAt: Instant;
  /** True if it also goes to the person by e-mail. */
  readonly mailed: boolean;
}

/** A new invitation; an earlier one of the person stops working. @returns the token, available only here */
export async function createInvitation(
  write: Write,
  { personId, companyId, email }: { personId: PersonId; companyId: CompanyId; email: string | null },
  { randomBytes, keys }: { readonly randomBytes: RandomBytes; readonly keys: SealingKeys },
): Promise<Invitation> {
  const { at } = write;
  const token = newSecret('inv_', randomBytes);
  const expiresAt = at + invitationMilliseconds;
  await insertOneTimeLink(write, {
    hash: hashOfSecret(token),
    kind: 'invitation',
    person_id: personId,
    created_at: at,
    expires_at: expiresAt,
  });
  await write.audit({ companyId, action: 'person.invited', subject: `person ${personId}` });
  const isMailed =
    email !== null && (await enqueueLink(write, keys, { personId, kind: 'invitation', token, expiresAt }));
  return { token, expiresAt, mailed: isMailed };
}
